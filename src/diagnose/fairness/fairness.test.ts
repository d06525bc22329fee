import { describe, expect, it } from "vitest";
import { dawidSkene } from "../../aggregate/categorical/em/dawid-skene.ts";
import type { CategoricalData } from "../../data/categorical.ts";
import { scenarios } from "../../simulate/index.ts";
import { answerFairness } from "./answer-fairness.ts";
import { fairDawidSkene } from "./fair-dawid-skene.ts";
import { fairness, measures } from "./fairness.ts";
import { holm } from "./holm.ts";
import { workerFairness } from "./worker-fairness.ts";
import { workerGroupGaps } from "./worker-group-gaps.ts";

/** A crowd in which the first four of 24 workers call three quarters of what they see in the north "c0". */
function biased(): CategoricalData {
  const { data } = scenarios["one-coin"]({ tasks: 1200, workers: 24, labelsPerTask: 6, seed: 1 });
  const site = Array.from(data.tasks, (_, t) => (t % 2 ? "north" : "south"));
  const label = data.label.map((k, i) =>
    site[data.task[i]] === "north" && data.worker[i] < 4 && i % 4 > 0 ? 0 : k,
  );
  return {
    ...data,
    label,
    gold: data.gold.map((k, t) => (t < 400 ? k : -1)),
    taskAttributes: new Map([
      ["site", site],
      ["same", site.map(() => "all")],
    ]),
    workerAttributes: new Map([["team", Array.from(data.workers, (_, w) => (w < 12 ? "a" : "b"))]]),
  };
}

const data = biased();
const result = dawidSkene(data);
const found = fairness(data, { ...result, gold: data.gold });

describe("all comparisons of a run", () => {
  it("are those of each attribute, by the functions for one", () => {
    const [site, ...rest] = found.tasks;
    expect([site.attribute, rest]).toEqual(["site", []]);
    for (const name of measures) expect(site.answers[name].estimated, name).toBe(true);
    const alone = workerFairness(data, data.taskAttributes?.get("site") ?? []);
    expect(site.workers.map(({ relative }) => relative.estimated && relative.p)).toEqual(
      alone.map(({ relative }) => relative.estimated && relative.p),
    );
    expect(found.workers.map(({ attribute, measure }) => [attribute, measure])).toEqual([
      ["team", "answers"],
      ["team", "errors"],
    ]);
    expect(found.workers[0].gaps[0].value).toBe(workerGroupGaps(data, ["team"]).gaps[0].value);
    expect(found.notes).toContain('The attribute "same" has fewer than two groups.');
  });

  it("find the workers who are biased, and the gap with one matrix per worker and group", () => {
    const [{ adjusted, workers }] = found.tasks;
    const flagged = workers.filter(
      ({ relative }) => relative.estimated && relative.corrected < 0.01,
    );
    for (const name of ["w0", "w1", "w2", "w3"]) {
      expect(flagged.map((worker) => worker.name)).toContain(name);
    }
    const sites = data.taskAttributes?.get("site") ?? [];
    const { consensus } = fairDawidSkene(data, sites);
    const fair = answerFairness({ ...data, consensus }, sites, { shuffles: 0 });
    expect(adjusted).toEqual(fair.parity);
  });

  it("are corrected by Holm within each question, times the number of questions", () => {
    const [{ answers, workers }] = found.tasks;
    const gaps = measures.map((name) => answers[name]);
    const p = gaps.map((gap) => (gap.estimated ? (gap.p ?? 1) : 1));
    expect(gaps.map((gap) => gap.estimated && gap.corrected)).toEqual(
      holm(p).map((each) => Math.min(1, 3 * each)),
    );
    const groups = found.workers.flatMap((each) => each.gaps);
    expect(groups.map(({ corrected }) => corrected)).toEqual(
      holm(groups.map((gap) => gap.p)).map((each) => Math.min(1, 3 * each)),
    );
    expect(found.comparisons).toBe(gaps.length + groups.length + workers.length);
  });

  it("are as before if one question is asked: a single Holm correction", () => {
    const { taskAttributes: _, ...plain } = data;
    const alone = fairness(plain, { ...result, gold: data.gold });
    const gaps = alone.workers.flatMap((each) => each.gaps);
    expect(gaps.map(({ corrected }) => corrected)).toEqual(holm(gaps.map(({ p }) => p)));
    expect(alone.tasks).toEqual([]);
  });
});

describe("limits", () => {
  it("answers without labels are compared, and nothing else", () => {
    const none = new Int32Array(0);
    const bare = { ...data, task: none, worker: none, label: none };
    const { tasks } = fairness(
      { ...bare, workerAttributes: new Map() },
      { ...result, gold: data.gold },
    );
    expect(tasks[0].workers).toEqual([]);
    expect(tasks[0].adjusted).toBeUndefined();
    expect(tasks[0].answers.parity).toMatchObject({ estimated: true });
  });

  it("tasks without an answer are in no group", () => {
    const consensus = result.consensus.map((k, t) => (t < 100 ? -1 : k));
    const { tasks, notes } = fairness(data, { ...result, consensus, gold: data.gold });
    const counted = tasks[0].answers.groups.reduce((sum, group) => sum + group.tasks, 0);
    expect(counted).toBe(data.tasks.length - 100);
    expect(notes).toContain("100 tasks without an answer left out of the groups.");
  });

  it("ratings are numbers if all classes are, and classes one by one otherwise", () => {
    const rated = fairness({ ...data, taskAttributes: new Map() }, result, { ratings: true });
    expect(rated.notes.join()).toContain("Not all classes are numbers");
    const classes = Object.assign(Object.create(data.classes), { list: ["1", "2"] });
    const numbers = { ...data, classes, taskAttributes: new Map() };
    expect(fairness(numbers, result, { ratings: true }).workers[0].measure).toBe("ratings");
  });
});
