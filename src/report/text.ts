/** Words and numbers as people read them; the same on every machine, whatever its language. */

/** 12345 as 12,345. */
export function grouped(n: number): string {
  return String(Math.round(n))
    .replace(/\B(?=(\d{3})+$)/g, ",")
    .replace("-", "−");
}

/** Numbers for people: 12,345 labels. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${grouped(n)} ${n === 1 ? one : many}`;
}

export function percent(share: number, digits = 1): string {
  return `${(100 * share).toFixed(digits)} %`.replace("-", "−");
}

/** Three digits after the point; fewer where the number is large anyway. */
export function decimal(x: number, digits = Math.abs(x) >= 1000 ? 1 : 3): string {
  const [whole, rest] = x.toFixed(digits).split(".");
  const text = whole.replace(/\B(?=(\d{3})+$)/g, ",").replace("-", "−");
  return rest === undefined ? text : `${text}.${rest}`;
}

/** With its sign, always: +1.2, −0.3. */
export function signed(x: number, digits = 1): string {
  const size = decimal(Math.abs(x), digits);
  return Number(size) === 0 ? size : `${x < 0 ? "−" : "+"}${size}`;
}

/** A long name with its middle left out; what differs is mostly at the ends. */
export function brief(name: string, most = 80): string {
  if (name === "") return "(empty)";
  if (name.length <= most) return name;
  const characters = [...name];
  if (characters.length <= most) return name;
  const half = Math.floor((most - 1) / 2);
  return `${characters.slice(0, most - 1 - half).join("")}…${characters.slice(-half).join("")}`;
}

/** How many characters a text has, as a terminal counts them. */
export function lengthOf(text: string): number {
  return [...text].length;
}

/** a, b and 3 more. */
export function listed(names: readonly string[], most = 5): string {
  if (names.length === 0) return "none";
  const shown = names.length <= most ? names : names.slice(0, most - 1);
  const rest = names.length - shown.length;
  const parts = rest > 0 ? [...shown, `${rest} more`] : shown;
  return parts.length === 1 ? parts[0] : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

/**
 * Characters that cannot be seen but change what is: controls as their pictures (␀), halves of
 * characters as �, and those that turn the direction of the text by their number.
 */
export function visible(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}]/gu, (character) => {
      const code = character.charCodeAt(0);
      return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "␡" : "�";
    })
    .replace(
      /[\u202a-\u202e\u2066-\u2069]/g,
      (character) => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase()}⟩`,
    );
}

/** A number or nothing: what is not finite has no place in a report. */
export function finite(x: number | null | undefined): number | null {
  return x !== null && x !== undefined && Number.isFinite(x) ? x : null;
}
