/** A made-up world for commands: what they print and say is kept, and the terminal is what we say it is. */

import type { World } from "../src/cli/command.ts";
import { main } from "../src/cli/main.ts";

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly said: string;
}

export async function cli(
  args: readonly string[],
  {
    terminal = false,
    width = 80,
    stdin = "",
    interruptAt,
  }: {
    readonly terminal?: boolean;
    readonly width?: number;
    readonly stdin?: string | Uint8Array;
    /** Interrupts when progress shows this. */
    readonly interruptAt?: string;
  } = {},
): Promise<Outcome> {
  let out = "";
  let said = "";
  async function* input() {
    yield typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
  }
  const control = new AbortController();
  const world: World = {
    print: async (text) => {
      out += text;
    },
    say: (text) => {
      said += `${text}\n`;
    },
    show: (text) => {
      if (interruptAt !== undefined && text.includes(interruptAt)) control.abort("SIGINT");
    },
    terminal,
    width,
    stdin: input(),
    signal: control.signal,
    whole: (work) => work(),
    temporary: () => {},
  };
  return { code: await main(args, world), out, said };
}
