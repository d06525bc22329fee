import { expect, it } from "vitest";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { namesOf } from "../../../data/names.ts";
import { crowdParts } from "./crowd-parts.ts";

it("joins workers through common tasks, near and far", () => {
  const rows = ["av", "aw", "bw", "bx", "cy", "dz", "cz", "eq"].map(([task, worker]) => ({
    task,
    worker,
    label: "yes",
  }));
  const base = fromRows(rows);
  const data = {
    ...base,
    workers: namesOf([...base.workers, "silent"]),
    tasks: namesOf([...base.tasks, "unlabelled"]),
  };
  const { ofWorker, ofTask, count } = crowdParts(data);
  expect(count).toBe(3);
  const named = (names: readonly string[], of: Int32Array) =>
    names.map((name, at) => `${name}${of[at]}`).join(" ");
  expect(named([...data.workers], ofWorker)).toBe("v0 w0 x0 y1 z1 q2 silent-1");
  expect(named([...data.tasks], ofTask)).toBe("a0 b0 c1 d1 e2 unlabelled-1");
});

it("is one part in a crowd that shares tasks", () => {
  expect(crowdParts(randomCrowd(1)).count).toBe(1);
});
