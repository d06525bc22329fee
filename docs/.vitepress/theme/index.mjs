// The default theme without its web fonts: text is set in the fonts of the reader's system.
import DefaultTheme from "vitepress/theme-without-fonts";
import "./style.css";

export default DefaultTheme;
