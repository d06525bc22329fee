import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { ibcc } from "../aggregate/categorical/bayesian/ibcc.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { oneCoin } from "../aggregate/categorical/em/one-coin.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { fromRows } from "../data/from-rows.ts";
import { CrowdError } from "../error.ts";
import { online } from "./online.ts";

const data = randomCrowd(1, { tasks: 30, workers: 6 });
const start = () => online(data, dawidSkene(data));
const label = { task: "t0", worker: "w0", label: "c1" };

describe("labels", () => {
  it("make new tasks and workers, which start from the priors", () => {
    const live = start();
    const { prior } = dawidSkene(data);
    live.apply({ task: "new", worker: "newcomer", label: "c1" });
    const { classes, labels } = live.posterior("new");
    // A worker of whom nothing is known says nothing: smoothing makes all rates alike.
    classes.forEach(({ probability }, k) => {
      expect(probability).toBeCloseTo(prior[k], 3);
    });
    expect(labels).toBe(1);
    live.apply({ task: "new", worker: "w1", label: "c1" });
    expect(live.posterior("new").posterior[1]).toBeGreaterThan(prior[1]);
    const rows = live.skills();
    expect(rows.at(-1)).toMatchObject({ worker: "newcomer", labels: 1 });
    expect(live.data().tasks.at(30)).toBe("new");
    expect(live.data().workers.at(6)).toBe("newcomer");
  });

  it("change their own task, and other tasks only when these are looked at", () => {
    const live = start();
    const before = [...data.tasks].map((task) => live.posterior(task).posterior);
    live.apply(label);
    data.task.forEach((t) => {
      const now = live.posterior(data.tasks.at(t)).posterior;
      if (t > 0) expect(now).toEqual(before[t]);
      else expect(now).not.toEqual(before[t]);
    });
    expect(live.sweep()).toBeGreaterThan(0);
    const moved = [...data.tasks].filter(
      (task, t) => t > 0 && live.posterior(task).posterior[0] !== before[t][0],
    );
    expect(moved.length).toBeGreaterThan(0);
  });

  it("may repeat: all count, and the latest is withdrawn or corrected first", () => {
    const live = online(data, majorityVote(data));
    const votes = live.posterior("t0").labels;
    for (const time of [1, 2, 3]) live.apply({ task: "t0", worker: "x", label: "c2", time });
    expect(live.posterior("t0").labels).toBe(votes + 3);
    live.withdraw({ task: "t0", worker: "x", label: "c2" });
    expect([...(live.data().time ?? [])].slice(-2)).toEqual([1, 2]);
    live.correct({ task: "t0", worker: "x", label: "c0", time: 9 });
    const { label: said, time } = live.data();
    expect([...said.slice(-2)]).toEqual([2, 0]);
    expect([...(time ?? [])].slice(-2)).toEqual([1, 9]);
  });

  it("that are withdrawn after a sweep leave what the parameters of that time say", () => {
    const live = start();
    const before = live.posterior("t0").posterior;
    for (let t = 0; t < 20; t++) live.apply({ task: `t${t}`, worker: "w0", label: "c0" });
    while (live.sweep() > 1e-10);
    live.withdraw({ task: "t0", worker: "w0", label: "c0" });
    expect(live.posterior("t0").posterior).not.toEqual(before);
  });

  it("that come and go leave new tasks that a sweep looks at first", () => {
    const [gone, silent] = [online(data, ibcc(data)), online(data, ibcc(data))];
    for (const task of ["a", "b", "c"]) {
      gone.apply({ task, worker: "w0", label: "c0" });
      gone.withdraw({ task, worker: "w0", label: "c0" });
    }
    // Gold that is not known makes a task, too, and is looked at at once.
    for (const task of ["a", "b", "c"]) silent.setGold(task, undefined);
    expect(gone.objective()).toBe(silent.objective());
    gone.sweep();
    silent.sweep();
    for (const task of ["t0", "t29", "a", "c"]) {
      expect(gone.posterior(task)).toEqual(silent.posterior(task));
    }
  });

  it("may have numbers and booleans for names", () => {
    const rows = fromRows([{ task: 1, worker: 7, label: true }], { classes: ["false", "true"] });
    const live = online(rows, majorityVote(rows));
    live.apply({ task: 1, worker: 8, label: false });
    live.apply({ task: 2, worker: 7, label: "true" });
    expect([...live.posterior(1).posterior]).toEqual([0.5, 0.5]);
    live.withdraw({ task: "1", worker: "8", label: "false" });
    live.setGold(2, false);
    expect([...live.data().tasks]).toEqual(["1", "2"]);
    expect([...live.posterior("2").posterior]).toEqual([1, 0]);
  });

  it("are counted by their weight", () => {
    const rows = fromRows(
      [
        { task: "a", worker: "x", label: "yes" },
        { task: "a", worker: "y", label: "no" },
      ],
      { classes: ["no", "yes"] },
    );
    const live = online(rows, majorityVote(rows));
    live.apply({ task: "a", worker: "z", label: "yes", weight: 2 });
    expect([...live.posterior("a").posterior]).toEqual([0.25, 0.75]);
    expect([...(live.data().weight ?? [])]).toEqual([1, 1, 2]);
  });

  it("can start from nothing but classes, if the prior of workers says that they are mostly right", () => {
    const empty = fromRows([], { classes: ["no", "yes"] });
    const results = [
      majorityVote(empty),
      oneCoin(empty, { right: 2, wrong: 1 }),
      ibcc(empty),
      dawidSkene(empty),
    ];
    const [vote, coin, bayes, symmetric] = results.map((result) => {
      const live = online(empty, result);
      for (const task of ["a", "b", "c"]) {
        for (const worker of ["x", "y", "z"]) live.apply({ task, worker, label: "yes" });
      }
      return live;
    });
    for (const live of [vote, coin, bayes]) {
      for (const { label } of live.answers()) expect(label).toBe("yes");
    }
    // Without such a prior newcomers say nothing of each other, until a fit starts from their votes.
    expect([...symmetric.posterior("a").posterior]).toEqual([0.5, 0.5]);
    expect([...symmetric.refit().consensus]).toEqual([1, 1, 1]);
    symmetric.apply({ task: "d", worker: "x", label: "yes" });
    expect(symmetric.posterior("d").posterior[1]).toBeGreaterThan(0.9);
  });

  it("that are abstentions need a result that models them", () => {
    const silent = { ...label, label: null };
    expect(() => start().apply(silent)).toThrow(
      'Worker "w0" abstains on task "t0", but the result leaves abstentions out.',
    );
    const live = online(data, dawidSkene(data, { abstentions: "model" }));
    const before = live.skills();
    live.apply(silent);
    expect(live.data().label.at(-1)).toBe(3);
    expect(live.refit().given).toBe(4);
    live.withdraw(silent);
    expect(live.refit().given).toBe(3);
    expect(live.skills()[1].skill).toBeCloseTo(before[1].skill, 3);
  });

  it("that the method leaves out stay in the data", () => {
    const rows = { ...data, label: data.label.map((l, i) => (i === 0 ? 3 : l)) };
    const live = online(rows, dawidSkene(rows));
    const silent = { task: "t0", worker: data.workers.at(data.worker[0]), label: null };
    expect(live.data().label[0]).toBe(3);
    const [before] = live.skills();
    live.withdraw(silent);
    expect(live.data().label.length).toBe(data.label.length - 1);
    expect(live.skills()[0]).toEqual(before);
  });
});

describe("gold", () => {
  it("is certain from then on, teaches about workers, and can be forgotten", () => {
    const live = start();
    const before = live.skills();
    const [first] = live.posterior("t0").classes.toSorted((a, b) => a.probability - b.probability);
    live.setGold("t0", first.class);
    live.apply(label);
    expect(Math.max(...live.posterior("t0").posterior)).toBe(1);
    expect(live.known().gold?.[0]).toBe(data.classes.indexOf(first.class));
    expect(live.skills()).not.toEqual(before);
    live.setGold("t0", undefined);
    expect(Math.max(...live.posterior("t0").posterior)).toBeLessThan(1);
    expect(live.known()).not.toHaveProperty("gold");
  });

  it("may come before the first label", () => {
    const live = start();
    live.setGold("later", "c2");
    expect([...live.posterior("later").posterior]).toEqual([0, 0, 1]);
    expect(live.data().tasks.at(30)).toBe("later");
    expect(live.refit().posterior.slice(-3)).toEqual(Float64Array.of(0, 0, 1));
  });

  it("that the data has for scoring is kept, and not clamped", () => {
    const live = start();
    live.apply({ task: "new", worker: "w0", label: "c0" });
    expect([...live.data().gold]).toEqual([...data.gold, -1]);
    expect(live.known()).not.toHaveProperty("gold");
  });
});

describe("answers", () => {
  it("are the most probable classes; ties go by the method's rule", () => {
    const rows = fromRows(
      [
        { task: "a", worker: "x", label: "yes" },
        { task: "a", worker: "y", label: "no" },
        { task: "b", worker: "x", label: "yes" },
      ],
      { classes: ["no", "yes"] },
    );
    const asked = (ties: "prior" | "abstain") => [
      ...online(rows, majorityVote(rows, { ties })).answers(),
    ];
    expect(asked("prior")).toEqual([
      { task: "a", label: "yes", confidence: 0.5 },
      { task: "b", label: "yes", confidence: expect.closeTo(0.6846, 4) },
    ]);
    expect(asked("abstain")[0]).toEqual({ task: "a", label: undefined, confidence: 0.5 });
    // The commoner class wins a tie, and labels change which one that is.
    const live = online(rows, majorityVote(rows));
    for (const worker of ["x", "y"]) live.apply({ task: "c", worker, label: "no" });
    expect([...live.answers()][0].label).toBe("no");
    for (const worker of ["x", "y"]) live.withdraw({ task: "c", worker, label: "no" });
    expect([...live.answers()][0].label).toBe("yes");
  });

  it("of a fresh model are those of the result", () => {
    const result = dawidSkene(data);
    const live = online(data, result);
    const labels = [...live.answers()].map((answer) => answer.label);
    expect(labels).toEqual([...result.consensus].map((k) => data.classes.at(k)));
    const sure = [...live.answers()].map((answer) => answer.confidence);
    expect(sure).toEqual([...result.confidence].map((p) => expect.closeTo(p, 9)));
    expect(live.skills().map(({ labels }) => labels)).toEqual([...result.workload]);
  });
});

describe("facts of tasks and workers", () => {
  it("are empty for new ones", () => {
    const site = Array.from({ length: 6 }, (_, w) => `site ${w % 2}`);
    const rows = { ...data, workerAttributes: new Map([["site", site]]) };
    const live = online(rows, dawidSkene(rows));
    live.apply({ task: "t0", worker: "newcomer", label: "c0" });
    expect(live.data().workerAttributes?.get("site")).toEqual([...site, ""]);
    expect(live.data()).not.toHaveProperty("taskAttributes");
  });
});

describe("limits", () => {
  it.each([
    [{ ...label, label: "c9" }, 'The label "c9" is none of the classes c0, c1, c2.'],
    [{ ...label, weight: -1 }, "The weight of a label must be 0, or from 1e-9 to 1e9, not -1."],
    [
      { ...label, weight: Number.NaN },
      "The weight of a label must be 0, or from 1e-9 to 1e9, not NaN.",
    ],
    [{ ...label, time: Infinity }, "must be in milliseconds since 1970, not Infinity"],
    [{ ...label, task: Number.NaN }, "The task should be text or a number, but is NaN."],
    [{ ...label, worker: {} as string }, "The worker should be text or a number, but is [object"],
  ])("refuses %j", (wrong, message) => {
    const live = start();
    expect(() => live.apply(wrong)).toThrow(message);
    expect(() => live.apply(wrong)).toThrow(CrowdError);
    expect(live.data().label).toEqual(data.label);
  });

  it("refuses to take away or correct what is not there", () => {
    const live = start();
    for (const wrong of [
      { ...label, worker: "nobody" },
      { ...label, task: "nothing" },
    ]) {
      expect(() => live.withdraw(wrong)).toThrow(/has no label c1 for task/);
      expect(() => live.correct(wrong)).toThrow(/has no label for task .* Add labels with apply/);
    }
    const said = data.classes.at((data.label[0] + 1) % 3);
    const other = { task: "t0", worker: data.workers.at(data.worker[0]), label: said };
    expect(() => live.withdraw(other)).toThrow(`has no label ${said} for task "t0"`);
    expect(() => live.correct({ ...other, label: "c9" })).toThrow(/none of the classes/);
    expect(live.data().label).toEqual(data.label);
    expect(() => live.posterior("nothing")).toThrow('There is no task "nothing".');
    expect(() => live.setGold("t0", "c9")).toThrow('The gold class "c9" is none of the classes');
  });

  it("refuses data, knowledge and options that do not fit", () => {
    const other = randomCrowd(2, { tasks: 31, workers: 6 });
    expect(() => online(other, dawidSkene(data))).toThrow(
      "it has 30 tasks, the data have 31, or their names differ",
    );
    const renamed = { ...data, classes: fromRows([], { classes: ["a", "b", "c"] }).classes };
    expect(() => online(renamed, dawidSkene(data))).toThrow(/3 classes/);
    expect(() => online(data, dawidSkene(data), { gold: new Int32Array(2) })).toThrow(
      "online, dawid-skene: known.gold must hold 30 numbers, not 2.",
    );
    expect(() => online(data, dawidSkene(data), {}, { exponent: 2 })).toThrow(
      "online: exponent must be at most 1, not 2.",
    );
  });
});
