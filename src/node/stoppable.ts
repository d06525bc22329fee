/** An engine that stops between two steps, and is never ended within one: native code does not survive that. */
import { CrowdError } from "../error.ts";
import type { Executor } from "../tensor/executor.ts";

/** When to stop, and how a step is kept from being cut short. */
export interface Stopping {
  readonly signal: { readonly aborted: boolean; readonly reason?: unknown };
  whole?<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Wraps an engine so that every step asks first whether to go on. */
export function stoppable(
  executor: Executor,
  { signal, whole = (work) => work() }: Stopping,
): Executor {
  const step = <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (signal.aborted) {
      throw new CrowdError("cancelled", `${executor.name} was cancelled.`, {
        cause: signal.reason,
      });
    }
    return whole(work);
  };
  return {
    get name() {
      return executor.name;
    },
    async compile(outputs) {
      const program = await step(() => executor.compile(outputs));
      return {
        run: async (feeds, into) => step(() => program.run(feeds, into)),
        dispose: () => whole(() => program.dispose()),
      };
    },
  };
}
