import { expect, it } from "vitest";
import { ebcc } from "../aggregate/categorical/bayesian/ebcc.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { pgTac } from "../aggregate/categorical/spectral/pg-tac.ts";
import { crowdlab } from "../aggregate/categorical/votes/crowdlab.ts";
import { costNote, inapplicable } from "./applicable.ts";

const size = { labels: 1000, tasks: 100, workers: 10, classes: 3 };

it("says what a method lacks, by the name it has in `known`", () => {
  expect(inapplicable(crowdlab, size, {})).toEqual({
    skipped: "needs a classifier's predictions",
    needs: "predictions",
  });
  expect(inapplicable(crowdlab, size, { predictions: new Float64Array(1) })).toBeUndefined();
});

it("refuses tables that do not fit into memory, and iterations without end", () => {
  expect(inapplicable(dawidSkene, size, {})).toBeUndefined();
  expect(inapplicable(dawidSkene, { ...size, workers: 1e6, classes: 20 }, {})?.skipped).toBe(
    "needs 6.4 GB of memory",
  );
  expect(inapplicable(pgTac, { ...size, tasks: 1e4, workers: 1000 }, {})?.skipped).toMatch(
    /would take \d+ billion steps per iteration/,
  );
});

it("keeps methods for two classes from more", () => {
  const binary = { ...dawidSkene, binaryOnly: true } as const;
  expect(inapplicable(binary, size, {})?.skipped).toBe("takes two classes only");
  expect(inapplicable(binary, { ...size, classes: 2 }, {})).toBeUndefined();
});

it("tells the cost of long fits only", () => {
  expect(costNote(ebcc, size, "dawid-skene")).toBeUndefined();
  expect(
    costNote(ebcc, { ...size, labels: 20_000, workers: 97, classes: 200 }, "dawid-skene"),
  ).toBe(
    "ebcc will take about 4 minutes: the cost grows with the 200 classes, 97 workers and 20000 labels. " +
      "Try dawid-skene, which takes less.",
  );
});
