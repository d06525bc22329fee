/** The real world of a command: standard streams and signals. */
import { CrowdError } from "../error.ts";
import { writeError } from "../node/atomic.ts";
import type { World } from "./command.ts";

/** What a world is made of beside what commands see. */
export interface Surroundings {
  readonly world: World;
  /** Paths to remove if the command is ended from outside. */
  readonly temporaries: ReadonlySet<string>;
  /** Ends what the terminal shows, and waits until everything is written. */
  finish(): Promise<void>;
}

/** Opens the standard streams of a process and listens for its signals. */
export function createWorld(process: NodeJS.Process): Surroundings {
  const { stdout, stderr } = process;
  const control = new AbortController();
  const temporaries = new Set<string>();
  let shown = 0;
  let failure: CrowdError | undefined;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      // A second time the system's own way of ending applies.
      control.abort(signal);
    });
  }
  const fail = (error: NodeJS.ErrnoException) => {
    if (failure) return;
    // If the reader (head, less) has gone, there is nothing more to say, and nothing went wrong.
    failure =
      error.code === "EPIPE"
        ? new CrowdError("cancelled", "The reader of the output has gone.", { cause: "EPIPE" })
        : outputError(error);
    if (error.code === "EPIPE") control.abort("EPIPE");
  };
  stdout.on("error", fail);
  // Nobody can be told that messages cannot be shown.
  stderr.on("error", () => {});
  const clear = () => {
    if (shown > 0) stderr.write(`\r${" ".repeat(shown)}\r`);
    shown = 0;
  };
  const world: World = {
    terminal: stdout.isTTY === true,
    width: widthOf(process),
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
      if (failure) throw failure;
      clear();
      await unlessAborted(
        control.signal,
        new Promise<void>((resume) => {
          stdout.write(text, (error) => {
            if (error) fail(error);
            resume();
          });
        }),
      );
      if (failure) throw failure;
    },
    whole: (work) => work(),
    temporary: (path) => temporaries.add(path),
  };
  return {
    world,
    temporaries,
    async finish() {
      clear();
      if (failure || stdout.writableLength === 0) return;
      await unlessAborted(
        control.signal,
        new Promise<void>((resume) => stdout.write("", () => resume())),
      );
    },
  };
}

/** Waits for work, or until the signal is raised: a reader that has stopped must not hold us. */
async function unlessAborted(signal: AbortSignal, work: Promise<void>): Promise<void> {
  if (signal.aborted) return;
  let stop = () => {};
  const aborted = new Promise<void>((resume) => {
    stop = resume;
  });
  signal.addEventListener("abort", stop);
  await Promise.race([work, aborted]);
  signal.removeEventListener("abort", stop);
}

/** Says why standard output could not be written. */
function outputError(cause: NodeJS.ErrnoException): CrowdError {
  const { code, message } = writeError("Standard output", cause);
  return new CrowdError(code, message.replace(/ What was there before is unchanged\.$/, ""), {
    cause,
  });
}

/** Columns of the terminal: what it says, else what the environment says, else 80. */
function widthOf({ stdout, env }: NodeJS.Process): number {
  const said = stdout.columns || Number(env["COLUMNS"]);
  return Number.isInteger(said) && said >= 40 ? said : 80;
}
