/** Tests that ask for something that not every system has. Elsewhere they are skipped, with a line that says so. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";

const windows = process.platform === "win32";
const linux = process.platform === "linux";
if (windows)
  process.stdout.write(
    "Windows: tests of signals, shells, links and modes of files are skipped.\n",
  );
if (!linux)
  process.stdout.write(`${process.platform}: tests that write to /dev/full are skipped.\n`);

/** A test with signals, a POSIX shell or links. */
export const onPosix: ReturnType<typeof it.skipIf> = it.skipIf(windows);

/** Tests with signals, a POSIX shell or links. */
export const describeOnPosix: ReturnType<typeof describe.skipIf> = describe.skipIf(windows);

/** A test with a device that only Linux has. */
export const onLinux: ReturnType<typeof it.skipIf> = it.skipIf(!linux);

/** Where Chromium keeps a Vulkan driver in software, by which Node has WebGPU without a graphics card. */
const vulkan = ["/usr/lib/chromium", "/usr/lib/chromium-browser", "/opt/google/chrome"].find(
  (folder) =>
    existsSync(join(folder, "vk_swiftshader_icd.json")) &&
    existsSync(join(folder, "libvulkan.so.1")),
);
if (!vulkan)
  process.stdout.write(
    "No Vulkan driver in software found: tests of WebGPU in Node are skipped.\n",
  );

/** The environment in which a process finds that driver. */
export const softwareVulkan: Readonly<Record<string, string>> = {
  LD_LIBRARY_PATH: vulkan ?? "",
  VK_ICD_FILENAMES: join(vulkan ?? "", "vk_swiftshader_icd.json"),
};

/** A test of WebGPU in Node. */
export const withVulkan: ReturnType<typeof it.skipIf> = it.skipIf(!vulkan);
