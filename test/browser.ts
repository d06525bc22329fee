/** A headless Chromium for tests: $CHROMIUM_PATH, or the system's. Without one, browser tests skip. */
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { it, type TestContext } from "vitest";

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
export function inBrowser(
  title: string,
  test: (browser: Browser, context: TestContext) => Promise<void>,
  flags: readonly string[] = [],
): void {
  it.skipIf(!path && !required)(
    title,
    async (context) => {
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
          ...flags,
        ],
      });
      try {
        await test(browser, context);
      } finally {
        await browser.close();
      }
    },
    120_000,
  );
}

/** Chromium's software adapter for WebGPU, which needs no graphics card. */
export const softwareWebGpu = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

/** Skips the rest of a test if Chromium gives this page no WebGPU adapter, and says so. */
export async function needsWebGpu(page: Page, context: TestContext): Promise<void> {
  const found = await page.evaluate("(async () => !!(await navigator.gpu?.requestAdapter()))()");
  if (found) return;
  process.stdout.write("Chromium has no WebGPU adapter here: tests of WebGPU are skipped.\n");
  context.skip("no WebGPU adapter");
}
