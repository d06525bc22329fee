/** The real world of a command: standard streams and signals. */
import { CrowdError } from "../error.ts";
import type { World } from "./command.ts";

export function createWorld(process: NodeJS.Process): { world: World; finish(): Promise<void> } {
  const { stdout, stderr } = process;
  const control = new AbortController();
  let shown = 0;
  let closed = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      // A second time the system's own way of ending applies.
      control.abort(signal);
    });
  }
  // Whoever read us (head, less) has gone: there is nothing more to say, and nothing went wrong.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    closed = true;
    control.abort("EPIPE");
  });
  const clear = () => {
    if (shown > 0) stderr.write(`\r${" ".repeat(shown)}\r`);
    shown = 0;
  };
  const world: World = {
    terminal: stdout.isTTY === true,
    stdin: process.stdin,
    signal: control.signal,
    say(text) {
      clear();
      stderr.write(`${text}\n`);
    },
    show(text) {
      if (stderr.isTTY !== true) return;
      clear();
      const line = text.slice(0, Math.max(0, (stderr.columns || 80) - 1));
      stderr.write(line);
      shown = line.length;
    },
    async print(text) {
      if (closed)
        throw new CrowdError("cancelled", "Nobody reads the output any more.", { cause: "EPIPE" });
      clear();
      if (!stdout.write(text)) {
        await new Promise<void>((resume) => {
          const done = () => {
            stdout.off("drain", done);
            stdout.off("error", done);
            resume();
          };
          stdout.on("drain", done);
          stdout.on("error", done);
        });
      }
    },
  };
  return {
    world,
    async finish() {
      clear();
      if (!closed && stdout.writableLength > 0) {
        await new Promise<void>((resume) => stdout.write("", () => resume()));
      }
    },
  };
}
