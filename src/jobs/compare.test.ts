import { describe, expect, it } from "vitest";
import { featureCrowd } from "../../test/feature-crowd.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { fromRows } from "../data/from-rows.ts";
import { CrowdError } from "../error.ts";
import type { AnyLearner } from "../learn/learner.ts";
import { comparisonCsv } from "../report/comparison.ts";
import { comparisonLatex } from "../report/comparison-latex.ts";
import { comparisonText } from "../report/comparison-text.ts";
import { toMarkdown } from "../report/markdown.ts";
import { interpreter } from "../tensor/interpreter.ts";
import { compareJob, type LearningElsewhere } from "./compare.ts";
import type { JobProgress } from "./hooks.ts";
import type { Trained } from "./train.ts";

/** Ten tasks of two classes, three workers of whom the third is always wrong; gold is the class. */
const data = fromRows(
  Array.from({ length: 30 }, (_, i) => {
    const [t, w] = [Math.floor(i / 3), i % 3];
    return { task: `t${t}`, worker: `w${w}`, label: String(w === 2 ? 1 - (t % 2) : t % 2) };
  }),
  { gold: Array.from({ length: 10 }, (_, t) => [`t${t}`, String(t % 2)] as const) },
);

/** A learner that is never trained: the comparison is handed what `fake` says. */
const named = (id: string): AnyLearner =>
  Object.assign(() => Promise.reject(new Error("not called")), {
    id,
    title: id,
    summary: "",
    paper: { authors: "", year: 0, title: "", url: "" },
    options: { seed: { default: 0, help: "" } },
    forecasts: false,
    confusion: false,
    cost: "",
    steps: () => {
      throw new Error("not called");
    },
  }) as unknown as AnyLearner;

/** Answers of which the first `right` of ten are right, with probability 0.8. */
function trainedTo(method: string, right: number): Trained {
  const posterior = new Float64Array(20);
  for (let t = 0; t < 10; t++) {
    const k = t < right ? t % 2 : 1 - (t % 2);
    posterior[2 * t + k] = 0.8;
    posterior[2 * t + 1 - k] = 0.2;
  }
  const base = majorityVote(data);
  const consensus = Int32Array.from({ length: 10 }, (_, t) => (t < right ? t % 2 : 1 - (t % 2)));
  return {
    learning: { ...base, method, posterior, consensus, history: [] },
    predicted: posterior,
    testPredicted: posterior.slice(0, 8),
    testTasks: ["a", "b", "c", "d"],
    onnx: new Uint8Array(),
    shape: [1],
    engine: "none",
  };
}

const rights: Readonly<Record<string, readonly number[]>> = {
  steady: [8, 9, 7],
  better: [9, 9, 9],
  shaky: [9, 5, 7],
};

/** Says how many answers of each learner are right with seeds 4, 5 and 6; 0 fails. */
function learning(more: Partial<LearningElsewhere> = {}): LearningElsewhere {
  return {
    plugins: Object.keys(rights).map(named),
    train: async ({ method, options }, { progress }) => {
      progress?.({ words: method.id, fraction: 0.5 });
      return trainedTo(method.id, rights[method.id][Number(options["seed"]) - 4]);
    },
    ...more,
  };
}

const asked = { data, seeds: 3, seed: 4, folds: 0 };
const learners = ["steady", "better", "shaky"];

const unknown: CategoricalData = { ...data, gold: data.gold.map(() => -1) };

describe("learners over seeds", () => {
  it("have means and standard deviations of what each seed gave", async () => {
    const { rows } = await compareJob({ ...asked, methods: learners, learning: learning() });
    const [steady, better] = rows;
    expect(steady.runs?.map(({ seed, scores }) => [seed, scores?.["accuracy"]])).toEqual([
      [4, 0.8],
      [5, 0.9],
      [6, 0.7],
    ]);
    expect(steady.scores?.["accuracy"]).toBeCloseTo(0.8, 12);
    expect(steady.spreads?.["accuracy"]).toBeCloseTo(0.1, 12);
    // Right answers cost -log 0.8, wrong ones -log 0.2.
    const loss = (right: number) => -(right * Math.log(0.8) + (10 - right) * Math.log(0.2)) / 10;
    expect(steady.scores?.["log_loss"]).toBeCloseTo(loss(8), 12);
    expect(better).toMatchObject({ learner: true, spreads: { accuracy: 0 } });
  });

  it("are compared with the best, seed by seed", async () => {
    const { rows, measure } = await compareJob({
      ...asked,
      methods: learners,
      learning: learning(),
    });
    expect(measure).toBe("gold");
    const [steady, better, shaky] = rows.map(({ difference }) => difference);
    expect(better).toBeUndefined();
    expect(steady?.against).toBe("better");
    // Differences -.1, 0, -.2: mean -.1, sd .1; t(.975, 2) = 4.302653.
    expect(steady?.values.map(({ value }) => value)).toEqual([
      expect.closeTo(-0.1, 12),
      0,
      expect.closeTo(-0.2, 12),
    ]);
    expect(steady?.mean).toBeCloseTo(-0.1, 12);
    expect(steady?.sd).toBeCloseTo(0.1, 12);
    expect(steady?.low).toBeCloseTo(-0.1 - (4.302653 * 0.1) / Math.sqrt(3), 6);
    expect(steady?.better).toBe(0);
    // 0, -.4, -.2
    expect(shaky?.mean).toBeCloseTo(-0.2, 12);
    expect(shaky?.sd).toBeCloseTo(0.2, 12);
  });

  it("are compared with the method that was named", async () => {
    const { rows } = await compareJob({
      ...asked,
      methods: learners,
      learning: learning(),
      against: "shaky",
    });
    const [steady, better, shaky] = rows.map(({ difference }) => difference);
    expect(shaky).toBeUndefined();
    // -.1, .4, 0
    expect(steady?.mean).toBeCloseTo(0.1, 12);
    expect(steady?.better).toBe(1);
    expect(better?.better).toBe(2);
    await expect(
      compareJob({ ...asked, methods: learners, learning: learning(), against: "other" }),
    ).rejects.toThrow(/one of the methods that are compared/);
  });

  it("stand beside methods on labels, which run once and have no spread", async () => {
    let fits = 0;
    const counted = {
      ...majorityVote,
      id: "counted",
      steps: (...args: Parameters<typeof majorityVote.steps>) => {
        fits++;
        return majorityVote.steps(...args);
      },
    };
    const { rows, agreement } = await compareJob({
      ...asked,
      methods: ["counted", "shaky"],
      plugins: [counted as never],
      learning: learning(),
      seeds: 3,
    });
    const [vote, shaky] = rows;
    // Two fits show that the seed does not matter.
    expect(fits).toBe(2);
    expect(vote).toMatchObject({ deterministic: true, scores: { accuracy: 1 } });
    expect(vote.spreads?.["accuracy"]).toBe(0);
    expect(vote.runs).toHaveLength(1);
    expect(shaky.difference?.values.map(({ seed }) => seed)).toEqual([4, 5, 6]);
    expect(shaky.difference?.mean).toBeCloseTo(0.7 - 1, 12);
    expect(agreement).toEqual([
      [1, 0.9],
      [0.9, 1],
    ]);
  });

  it("are ranked by the test tasks if those have gold", async () => {
    const gold = [..."abcd"].map((task, t) => [task, String(t % 2)] as const);
    const { rows, measure, notes } = await compareJob({
      ...asked,
      data: unknown,
      methods: ["majority-vote", "shaky"],
      learning: learning({ test: { gold } }),
    });
    expect(measure).toBe("test");
    expect(rows[1].test?.["accuracy"]).toBe(1);
    expect(rows[0].test).toBeUndefined();
    expect(notes.join()).toMatch(/Methods without features have no score on the test tasks/);
  });
});

describe("without gold", () => {
  it("hidden labels tell learners apart, and a note says what needs gold", async () => {
    const { rows, measure, notes } = await compareJob({
      ...asked,
      data: unknown,
      folds: 2,
      methods: ["majority-vote", "better"],
      learning: learning(),
      against: "mv",
    });
    expect(measure).toBe("held-out");
    expect(rows[1].heldOut).toBeLessThan(0);
    expect(rows[1].difference).toMatchObject({ against: "majority-vote", values: [{}] });
    expect(notes).toEqual([
      "Accuracy, log-loss and ECE need gold. Without it methods are compared by held-out labels and time.",
    ]);
  });
});

describe("failures", () => {
  const failing = learning({
    train: async ({ method, options }) => {
      const seed = Number(options["seed"]);
      if (method.id === "shaky" && seed === 5) throw new CrowdError("bad-data", "the loss is NaN");
      if (method.id === "steady") throw new TypeError("a bug in a learner");
      return trainedTo(method.id, rights[method.id][seed - 4]);
    },
  });

  it("of one seed leave the others, and are told in the row", async () => {
    const { rows, kind } = await compareJob({ ...asked, methods: learners, learning: failing });
    const [steady, , shaky] = rows;
    expect(shaky.runs?.[1]).toEqual({ seed: 5, failed: "the loss is NaN" });
    expect(shaky.scores?.["accuracy"]).toBeCloseTo(0.8, 12);
    expect(shaky.difference?.values.map(({ seed }) => seed)).toEqual([4, 6]);
    expect(steady.skipped).toBe("a bug in a learner");
    const text = comparisonText(rows, kind.metrics, kind.baseline);
    expect(text).toContain("shaky failed with seed 5: the loss is NaN");
    expect(text).toMatch(/steady +failed: a bug in a learner/);
    expect([...comparisonCsv(rows, kind.metrics)].join("")).toMatch(
      /\nshaky,.*,shaky failed with seed 5: the loss is NaN,\n/,
    );
  });

  it("a wrong option ends the comparison before anything runs", async () => {
    await expect(
      compareJob({
        ...asked,
        methods: ["ccem"],
        options: { epochs: -1 },
        learning: learning(),
      }),
    ).rejects.toThrow(/epochs must be at least 0/);
    await expect(compareJob({ ...asked, methods: ["ccem"] })).rejects.toThrow(
      /ccem is a learner, which needs features/,
    );
  });

  it("what takes too long is given up, and keeps the seeds that were done", async () => {
    const slow = learning({
      train: async ({ method, options }, { progress }) => {
        const seed = Number(options["seed"]);
        while (seed > 4) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          progress?.({ words: "" });
          if (performance.now() - start > 300) throw new CrowdError("cancelled", "cancelled");
        }
        return trainedTo(method.id, rights[method.id][seed - 4]);
      },
    });
    const start = performance.now();
    const { rows } = await compareJob({ ...asked, methods: ["shaky"], learning: slow, limit: 0.1 });
    expect(rows[0].scores?.["accuracy"]).toBe(0.9);
    expect(rows[0].runs?.[1].failed).toBe("was given up after 0.1 seconds");
    expect(rows[0].runs).toHaveLength(2);
  });
});

describe("cancelled", () => {
  it("throws, and hands over the rows and the seeds that were done", async () => {
    const control = new AbortController();
    const stopping = learning({
      train: async ({ method, options }, { signal }) => {
        const seed = Number(options["seed"]);
        if (method.id === "better" && seed === 6) control.abort();
        if (signal?.aborted) throw new CrowdError("cancelled", "stopped");
        return trainedTo(method.id, rights[method.id][seed - 4]);
      },
    });
    const seen: [string, number | undefined][] = [];
    await expect(
      compareJob(
        {
          ...asked,
          methods: learners,
          learning: stopping,
          onRow: ({ method, runs }) => seen.push([method, runs?.length]),
        },
        { signal: control.signal },
      ),
    ).rejects.toMatchObject({ code: "cancelled" });
    expect(seen).toEqual([
      ["steady", 3],
      ["better", 2],
    ]);
  });
});

describe("progress", () => {
  it("is that of the whole: it never falls, and has a time left once a learner has begun", async () => {
    const told: JobProgress[] = [];
    await compareJob(
      { ...asked, methods: ["majority-vote", ...learners], learning: learning() },
      { progress: (each) => told.push(each) },
    );
    const fractions = told.map(({ fraction = -1 }) => fraction);
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    expect(fractions[0]).toBe(0);
    // The last of nine trainings is half done, and three fits on labels count a twentieth each.
    expect(fractions.at(-1)).toBeCloseTo((8.5 + 0.15) / 9.15, 9);
    expect(told.at(-1)?.remaining).toBeGreaterThanOrEqual(0);
    expect(told[0].remaining).toBeUndefined();
  });
});

describe("the table", () => {
  it("has the best in bold in LaTeX, Markdown and on the page", async () => {
    const { rows, kind, report } = await compareJob({
      ...asked,
      methods: learners,
      learning: learning(),
    });
    const latex = comparisonLatex(rows, kind.metrics);
    expect(latex).toContain("Method & Accuracy & Log-loss & ECE & From better & Seconds");
    expect(latex).toMatch(/better & \$\\mathbf\{0\.9000\} \\pm 0\.0000\$ & \$\\mathbf/);
    expect(latex).toMatch(/steady & \$0\.8000 \\pm 0\.1000\$ .* & \$-0\.1000 \\pm 0\.1000\$ & \$/);
    const markdown = toMarkdown(report());
    expect(markdown).toContain("| better | **90.0 ± 0.0 %** |");
    expect(markdown).toContain("| steady | 80.0 ± 10.0 % |");
    expect(markdown).toContain("## Differences from better");
  });

  it("fits the terminal, and explains what it shows", async () => {
    const { rows, kind } = await compareJob({ ...asked, methods: learners, learning: learning() });
    const lines = comparisonText(rows, kind.metrics, kind.baseline, 80).split("\n");
    expect(lines[0]).toMatch(/^method +accuracy +difference +better +log-loss +seconds$/);
    expect(lines[1]).toMatch(/^steady +0\.8000 ±0\.1000 +-0\.1000 ±0\.1000 +0\/3 /);
    expect(lines.join("\n")).toContain(
      "difference: accuracy minus that of better with the same seed",
    );
  });
});

it("trains learners in this thread with features and an executor", async () => {
  const { data: crowd, features } = featureCrowd(3, { tasks: 40, dimensions: 4 });
  const gold = Array.from(
    crowd.tasks,
    (task, t) => [task, crowd.classes.at(crowd.gold[t])] as const,
  );
  const { rows } = await compareJob({
    data: crowd,
    methods: ["majority-vote", "ccem", "two-stage"],
    options: { epochs: 2, hidden: "4" },
    seeds: 2,
    folds: 0,
    learning: { features, executor: interpreter, test: { features, gold } },
  });
  const [vote, ccem] = rows;
  expect(vote.deterministic).toBe(true);
  expect(ccem.runs).toHaveLength(2);
  expect(ccem.test?.["accuracy"]).toBeGreaterThan(0);
  expect(ccem.iterations).toBe(2);
});
