/** A headless Chromium for tests: $CHROMIUM_PATH, or the system's. Without one, browser tests skip. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { it } from "vitest";

const path = [
  process.env["CHROMIUM_PATH"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
].find((each) => each !== undefined && existsSync(each));

const required = process.env["CONSILIENCE_BROWSER"] === "required";
if (!path && !required)
  process.stdout.write("No Chromium found (set CHROMIUM_PATH): browser tests are skipped.\n");

/** A test with a browser of its own, which is closed afterwards. */
export function inBrowser(title: string, test: (browser: Browser) => Promise<void>): void {
  it.skipIf(!path && !required)(
    title,
    async () => {
      if (!path)
        throw new Error("Browser tests are required, but there is no Chromium. Set CHROMIUM_PATH.");
      const browser = await chromium.launch({
        executablePath: path,
        args: [
          "--no-sandbox",
          "--disable-gpu",
          "--disable-quic",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
        ],
      });
      try {
        await test(browser);
      } finally {
        await browser.close();
      }
    },
    120_000,
  );
}
