import { isDeepStrictEqual } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { aggregators } from "../src/aggregate/categorical/index.ts";
import { createEngine } from "../src/kernels/engine.ts";
import { run } from "../src/run.ts";
import { randomCrowd } from "./random-crowd.ts";

// Threads run the built files: Node 20 cannot start a worker from TypeScript.
const { openTeam } = (await import(
  "../dist/node/team.js" as string
)) as typeof import("../src/node/team.ts");

const data = randomCrowd(1, { tasks: 50_000, workers: 12, classes: 3, rate: 0.6 });
const teams = [2, 3].map((threads) => openTeam(threads));
afterAll(() => {
  for (const team of teams) team?.close();
});

const weight = Float64Array.from(data.label, (_, i) => 0.5 + ((7 * i) % 101) / 101);
const weighted = { ...data, weight };

describe.each(["dawid-skene", "ibcc", "one-coin"])("%s", (id) => {
  it.each([
    ["labels without weights", data],
    ["labels with weights", weighted],
  ])("gives the same bits on one, two and three threads (%s)", async (_, data) => {
    const method = aggregators.find((each) => each.id === id);
    if (!method) throw new Error(`no ${id}`);
    expect(data.label.length).toBeGreaterThan(2 * 131_072);
    const alone = await run(data, method, { maxIterations: 8 }, { engine: createEngine() });
    for (const team of teams) {
      expect(team?.threads).toBeGreaterThan(1);
      const together = await run(data, method, { maxIterations: 8 }, { engine: team });
      // An equality of such large arrays would take minutes to fail.
      expect(isDeepStrictEqual(together, alone)).toBe(true);
    }
  });
});

it("does the work of members that never came", async () => {
  const { createTeam } = await import("../src/kernels/team.ts");
  const [method] = aggregators.filter(({ id }) => id === "dawid-skene");
  const lonely = createTeam(4);
  const result = await run(data, method, { maxIterations: 2 }, { engine: lonely });
  const alone = await run(data, method, { maxIterations: 2 });
  expect(isDeepStrictEqual(result, alone)).toBe(true);
});

it("stops when told to", async () => {
  const [method] = aggregators.filter(({ id }) => id === "dawid-skene");
  const control = new AbortController();
  const stopped = run(
    data,
    method,
    {},
    { signal: control.signal, onProgress: () => control.abort() },
  );
  await expect(stopped).rejects.toThrow("dawid-skene was cancelled.");
});
