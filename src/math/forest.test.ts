import { expect, it } from "vitest";
import { createForest } from "./forest.ts";

it("names a tree by the least in it, whatever the order of joining", () => {
  const { root, join } = createForest(7);
  join(6, 4);
  join(4, 2);
  join(5, 1);
  join(2, 6);
  expect([0, 1, 2, 3, 4, 5, 6].map(root)).toEqual([0, 1, 2, 3, 2, 1, 2]);
});
