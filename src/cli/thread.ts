/** The thread in which a command runs; see guard.ts. */
import { parentPort, workerData } from "node:worker_threads";
import { CrowdError } from "../error.ts";
import type { World } from "./command.ts";
import type { FromThread, Start, ToThread } from "./guard.ts";
import { main } from "./main.ts";

const { args, stopped, terminal, width, watched } = workerData as Start;
const post = (message: FromThread) => parentPort?.postMessage(message);

const control = new AbortController();
// The flag is seen even in a loop that lets no message in.
const reached = Object.getOwnPropertyDescriptor(AbortSignal.prototype, "aborted")?.get;
Object.defineProperty(control.signal, "aborted", {
  get: () => Atomics.load(stopped, 0) === 1 || reached?.call(control.signal) === true,
});

/** What the main thread has not yet written. */
const waiting = new Map<number, { resume(): void; fail(error: Error): void }>();
let prints = 0;

function settle(id: number, failure: CrowdError | undefined): void {
  const print = waiting.get(id);
  waiting.delete(id);
  if (failure) print?.fail(failure);
  else print?.resume();
}

parentPort?.on("message", (message: ToThread) => {
  if (message.kind === "printed") {
    const { id, failure } = message;
    const { code, text, cause } = failure ?? {};
    settle(id, code && new CrowdError(code, text ?? "", { cause }));
  } else {
    Atomics.store(stopped, 0, 1);
    control.abort(message.reason);
    const failure = new CrowdError("cancelled", "Writing was cancelled.", {
      cause: message.reason,
    });
    for (const id of [...waiting.keys()]) settle(id, failure);
  }
});

async function* stdin(): AsyncIterable<Uint8Array> {
  post({ kind: "stdin" });
  yield* process.stdin;
}

const world: World = {
  terminal,
  width,
  signal: control.signal,
  stdin: { [Symbol.asyncIterator]: () => stdin()[Symbol.asyncIterator]() },
  say: (text) => post({ kind: "say", text }),
  show: (text) => {
    if (watched) post({ kind: "show", text });
  },
  print(text) {
    const id = prints++;
    return new Promise((resume, fail) => {
      waiting.set(id, { resume, fail });
      post({ kind: "print", id, text });
    });
  },
  async whole(work) {
    post({ kind: "hold", on: true });
    try {
      return await work();
    } finally {
      post({ kind: "hold", on: false });
    }
  },
  temporary: (path) => post({ kind: "temporary", path }),
};

post({ kind: "end", code: await main(args, world) });
parentPort?.close();
