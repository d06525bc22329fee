/** Tests that ask for something that not every system has. Elsewhere they are skipped, with a line that says so. */
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
