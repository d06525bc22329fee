import { expect, it } from "vitest";
import { createForest, joinedBy } from "./forest.ts";

it("names a tree by the least in it, whatever the order of joining", () => {
  const { root, join } = createForest(7);
  join(6, 4);
  join(4, 2);
  join(5, 1);
  join(2, 6);
  expect([0, 1, 2, 3, 4, 5, 6].map(root)).toEqual([0, 1, 2, 3, 2, 1, 2]);
});

it("joins things by pairs, and leaves out those in none", () => {
  const pairs = [
    [4, 2],
    [7, 8],
    [2, 0],
  ] as const;
  expect(joinedBy(pairs, 9).map((group) => [...group])).toEqual([
    [0, 2, 4],
    [7, 8],
  ]);
  expect(joinedBy([], 3)).toEqual([]);
});
