// Comparisons as arenas of language models write them.
import { describe, expect, it } from "vitest";
import { exportText, readText } from "../../../test/tool-exports.ts";
import type { PairwiseData } from "../../data/pairwise.ts";
import { fromBytes } from "../../jobs/from-bytes.ts";

const WINNERS = ["left", "right", "tie"];

/** `task judge left right winner`, in order. */
const rowsOf = (data: PairwiseData) =>
  Array.from(data.task, (t, i) =>
    [
      data.tasks.at(t),
      data.workers.at(data.worker[i]),
      data.items.at(data.left[i]),
      data.items.at(data.right[i]),
      WINNERS[data.label[i]],
    ].join(" "),
  );

async function readArena(text: string) {
  const said: string[] = [];
  const data = await fromBytes([{ name: "arena", bytes: new TextEncoder().encode(text) }], {
    kind: "auto",
    onUnderstood: (line) => said.push(line),
  });
  return { data: data as PairwiseData, said: said.join() };
}

const wanted = [
  "q1 arena_user_1 gpt-x mistral-y left",
  "q1 arena_user_2 gpt-x mistral-y tie",
  "q2 arena_user_1 llama mistral-y right",
  "q2 arena_user_2 llama gpt-x right",
];

describe("an arena", () => {
  const lines = exportText("arena.jsonl");

  it("is recognised by its columns, with the reason, as lines and as a list", async () => {
    const list = `[${lines.trim().split("\n").join(",\n")}]`;
    for (const text of [lines, list]) {
      const { data, said } = await readArena(text);
      expect(data.kind).toBe("pairwise");
      expect(rowsOf(data)).toEqual(wanted);
      expect(said).toContain("taken for pairwise answers, since there are columns for a left and");
      expect(said).toContain('worker = "judge", left = "model_a", right = "model_b"');
      expect(said).toContain('not used: "conversation_a", "turn"');
      expect(data.notes.join()).toContain("1 tie says that both items are bad, and counts as any");
      expect(data.time?.[0]).toBeCloseTo(1682351591132.2, 0);
    }
  });

  it.each([
    ["model_a", "left"],
    ["MODEL_B", "right"],
    ["gpt", "left"],
    ["mistral", "right"],
    ["tie", "tie"],
    ["tie (bothbad)", "tie"],
    ["both_bad", "tie"],
    ["both bad", "tie"],
  ])("has winners such as %s", async (winner, side) => {
    const row = { prompt: "why?", model_a: "gpt", model_b: "mistral", user: "u", winner };
    const { data } = await readArena(JSON.stringify(row));
    expect(rowsOf(data)).toEqual([`why? u gpt mistral ${side}`]);
  });

  it("names the side of a column by any name", async () => {
    const row = { worker: "u", response_a: "x", response_b: "y", winner: "response_b" };
    expect(rowsOf((await readArena(JSON.stringify(row))).data)).toEqual([" u x y right"]);
  });

  it("says what is no winner", async () => {
    const row = { question: "q", model_a: "gpt", model_b: "mistral", judge: "u", winner: "llama" };
    await expect(
      readText("a.jsonl", JSON.stringify(row), { kind: "pairwise" } as object),
    ).rejects.toThrow(
      'a.jsonl:1: the label should be the winner, "gpt" or "mistral", left, right or tie, but is "llama".',
    );
  });
});
