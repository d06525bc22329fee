import { describe, expect, it } from "vitest";
import { namesOf } from "../../data/names.ts";
import { categorical } from "../../math/distributions.ts";
import { createRandom } from "../../math/random.ts";
import { type AnswerFairnessOptions, answerFairness, type FairnessGap } from "./answer-fairness.ts";
import { taskAttribute } from "./attributes.ts";

const found = (gap: { readonly estimated: boolean }): FairnessGap => {
  if (!gap.estimated) throw new Error("not estimated");
  return gap as FairnessGap;
};

/** Tasks from a table of counts: [group, gold, answer, how many]. */
function tasksOf(cells: readonly (readonly [string, number, number, number])[]) {
  const rows = cells.flatMap(([group, gold, answer, n]) =>
    Array.from({ length: n }, () => ({ group, gold, answer })),
  );
  return {
    groups: rows.map(({ group }) => group),
    answers: {
      classes: namesOf(["no", "yes"]),
      gold: Int32Array.from(rows, ({ gold }) => gold),
      consensus: Int32Array.from(rows, ({ answer }) => answer),
    },
  };
}

// a: of 40 yes 30 found, of 60 no 6 called yes. b: of 50 yes 25 found, of 50 no 10 called yes.
const byHand = tasksOf([
  ["a", 1, 1, 30],
  ["a", 1, 0, 10],
  ["a", 0, 1, 6],
  ["a", 0, 0, 54],
  ["b", 1, 1, 25],
  ["b", 1, 0, 25],
  ["b", 0, 1, 10],
  ["b", 0, 0, 40],
]);

describe("two by two, by hand", () => {
  const { groups, answers } = byHand;
  const result = answerFairness(answers, groups, { shuffles: 50 });

  it("parity: 36 of 100 against 35 of 100", () => {
    const gap = found(result.parity);
    expect(gap).toMatchObject({ groups: ["a", "b"], class: "yes", rate: "positive" });
    expect(gap.value).toBeCloseTo(36.5 / 101 - 35.5 / 101, 12);
    expect(gap.ratio.value).toBeCloseTo(35.5 / 36.5, 12);
    expect(gap.low).toBeLessThan(0);
    expect(gap.p).toBeGreaterThan(0.5);
  });

  it("equal opportunity: 30 of 40 against 25 of 50", () => {
    const gap = found(result.equalOpportunity);
    expect(gap.value).toBeCloseTo(30.5 / 41 - 25.5 / 51, 12);
    expect(gap.rates[0]).toBeCloseTo(30.5 / 41, 12);
    // Newcombe's interval for 30/40 - 25/50, from Wilson's .598 to .858 and .366 to .634.
    expect(gap.low).toBeCloseTo(0.0477, 4);
    expect(gap.high).toBeCloseTo(0.4218, 4);
  });

  it("equalised odds: the larger of that and 6 of 60 against 10 of 50", () => {
    expect(found(result.equalisedOdds)).toMatchObject({ rate: "true-positive" });
    const flipped = answerFairness(answers, groups, { positive: "no", shuffles: 0 });
    const gap = found(flipped.equalisedOdds);
    expect(gap.rate).toBe("false-positive");
    expect(gap.groups).toEqual(["b", "a"]);
    expect(gap.value).toBeCloseTo(25.5 / 51 - 10.5 / 41, 12);
    expect(found(flipped.equalOpportunity).value).toBeCloseTo(54.5 / 61 - 40.5 / 51, 12);
  });

  it("errors: 16 of 100 against 35 of 100, and accuracies", () => {
    const gap = found(result.errorGap);
    expect(gap.value).toBeCloseTo(35.5 / 101 - 16.5 / 101, 12);
    expect(gap.groups).toEqual(["b", "a"]);
    expect(gap).not.toHaveProperty("class");
    expect(result.groups.map(({ accuracy }) => accuracy?.value)).toEqual([0.84, 0.65]);
    expect(gap.p).toBeLessThan(0.05);
    expect(gap.chance).toBeLessThan(gap.value);
  });
});

describe("coverage", () => {
  /** Answers of three classes, right with a probability of group and class. */
  function draw(seed: number, sizes: readonly number[], skills: readonly number[]) {
    const random = createRandom(seed).split("coverage");
    const rows = sizes.flatMap((n, g) =>
      Array.from({ length: n }, () => {
        const gold = categorical(random, [0.6 - 0.1 * g, 0.4 + 0.1 * g]);
        const answer = random.next() < skills[g] ? gold : 1 - gold;
        return { group: `g${g}`, gold, answer };
      }),
    );
    return {
      groups: rows.map(({ group }) => group),
      answers: {
        classes: namesOf(["no", "yes"]),
        gold: Int32Array.from(rows, ({ gold }) => gold),
        consensus: Int32Array.from(rows, ({ answer }) => answer),
        posterior: Float64Array.from(rows.flatMap(({ answer }) => [1 - answer, answer])),
      },
    };
  }

  const designs: [string, number[], number[], AnswerFairnessOptions][] = [
    ["two groups", [150, 200], [0.9, 0.75], {}],
    ["two groups, summed probabilities", [150, 200], [0.9, 0.75], { soft: true }],
    ["three groups", [200, 160, 160], [0.95, 0.8, 0.65], {}],
  ];
  it.each(designs)(
    "%s: intervals hold the truth in .93 to .97 of cases",
    (_, sizes, skills, soft) => {
      const runs = 200;
      let [covered, all] = [0, 0];
      const truth = skills.map((skill, g) => {
        const yes = 0.4 + 0.1 * g;
        return {
          positive: yes * skill + (1 - yes) * (1 - skill),
          "true-positive": skill,
          "false-positive": 1 - skill,
          error: 1 - skill,
        };
      });
      for (let seed = 0; seed < runs; seed++) {
        const { groups, answers } = draw(seed, sizes, skills);
        const result = answerFairness(answers, groups, { ...soft, shuffles: 0 });
        for (const each of [result.parity, result.equalOpportunity, result.errorGap]) {
          const gap = found(each);
          // The truth of the two groups that were named.
          const [a, b] = gap.groups.map((name) => truth[Number(name.slice(1))][gap.rate]);
          if (gap.low <= a - b && a - b <= gap.high) covered++;
          all++;
        }
      }
      expect(covered / all).toBeGreaterThanOrEqual(0.93);
      expect(covered / all).toBeLessThanOrEqual(0.97);
    },
  );

  it("chance is exceeded by one gap in twenty if groups are alike", () => {
    let [exceeded, all] = [0, 0];
    for (let seed = 0; seed < 100; seed++) {
      const { groups, answers } = draw(seed, [50, 50, 50, 50], [0.8, 0.8, 0.8, 0.8]);
      const result = answerFairness(answers, groups, { shuffles: 60, seed });
      for (const each of [result.equalOpportunity, result.equalisedOdds, result.errorGap]) {
        if ((found(each).p ?? 1) <= 0.05) exceeded++;
        all++;
      }
    }
    expect(exceeded / all).toBeLessThan(0.09);
    expect(exceeded / all).toBeGreaterThan(0.015);
  });
});

describe("chance", () => {
  it("of rates given gold is found among tasks of the same class", () => {
    // Group a has 25 tasks of class yes, b has 300; both find 80 % of them.
    let exceeded = 0;
    for (let seed = 0; seed < 100; seed++) {
      const random = createRandom(seed).split("strata");
      const rows = [
        ["a", 1, 25],
        ["a", 0, 375],
        ["b", 1, 300],
        ["b", 0, 100],
      ] as const;
      const drawn = rows.flatMap(([group, gold, n]) =>
        Array.from({ length: n }, () => ({
          ...{ group, gold, answer: random.next() < 0.8 ? gold : 1 - gold },
        })),
      );
      const answers = {
        classes: namesOf(["no", "yes"]),
        gold: Int32Array.from(drawn, ({ gold }) => gold),
        consensus: Int32Array.from(drawn, ({ answer }) => answer),
      };
      const groups = drawn.map(({ group }) => group);
      const gap = found(answerFairness(answers, groups, { shuffles: 60, seed }).equalOpportunity);
      if ((gap.p ?? 1) <= 0.05) exceeded++;
    }
    expect(exceeded).toBeLessThan(12);
  });
});

describe("more classes and groups", () => {
  it("reports the class, the pair and the measure with the largest gap", () => {
    const rows = ["a", "b", "c"].flatMap((group, g) =>
      Array.from({ length: 60 }, (_, i) => ({ group, answer: i < 20 + 10 * g ? 2 : i % 2 })),
    );
    const answers = {
      classes: namesOf(["x", "y", "z"]),
      consensus: Int32Array.from(rows, ({ answer }) => answer),
    };
    const result = answerFairness(
      answers,
      rows.map(({ group }) => group),
    );
    const gap = found(result.parity);
    expect(gap).toMatchObject({ class: "z", groups: ["c", "a"] });
    expect(gap.value).toBeCloseTo(20 / 61, 12);
    expect(gap.chance).toBeGreaterThan(0.05);
    expect(result.equalOpportunity).toEqual({
      estimated: false,
      reason: "No task has gold: without it only parity can be measured.",
    });
  });
});

describe("invariants", () => {
  it("names of groups and classes and the order of tasks change nothing but names", () => {
    const { groups, answers } = byHand;
    const options = { shuffles: 0 };
    const here = answerFairness(answers, groups, options);
    const swap = (k: number) => 1 - k;
    const turned = answerFairness(
      {
        classes: namesOf(["yes", "no"]),
        gold: answers.gold.map(swap).reverse(),
        consensus: answers.consensus.map(swap).reverse(),
      },
      groups.map((name) => (name === "a" ? "z" : "q")).reverse(),
      { ...options, positive: "yes" },
    );
    for (const measure of ["parity", "equalOpportunity", "equalisedOdds", "errorGap"] as const) {
      const [one, other] = [found(here[measure]), found(turned[measure])];
      for (const end of ["value", "low", "high"] as const) {
        expect(other[end]).toBeCloseTo(one[end], 12);
      }
      expect(other.groups).toEqual(one.groups.map((name) => (name === "a" ? "z" : "q")));
      expect(other.ratio.low).toBeCloseTo(one.ratio.low, 12);
    }
  });

  it("weights count tasks several times, but not as independent ones", () => {
    const { groups, answers } = byHand;
    const weight = new Float64Array(groups.length).fill(3);
    const [plain, weighted] = [answers, { ...answers, weight }].map((each) =>
      found(answerFairness(each, groups, { shuffles: 0 }).errorGap),
    );
    expect(weighted.value).toBeCloseTo(plain.value, 12);
    expect(weighted.high - weighted.low).toBeCloseTo(plain.high - plain.low, 1);
  });
});

describe("limits", () => {
  const { groups, answers } = byHand;

  it("says what was found and what to do", () => {
    expect(() =>
      answerFairness(
        answers,
        groups.map(() => "a"),
      ),
    ).toThrow(
      'A gap is between two groups of tasks or more; found only "a". Check the attribute of each task.',
    );
    expect(() =>
      answerFairness(
        answers,
        groups.map(() => ""),
      ),
    ).toThrow("found none");
    expect(() => answerFairness(answers, ["a"])).toThrow("There are 200 tasks and groups of 1.");
    expect(() => answerFairness(answers, groups, { positive: "maybe" })).toThrow(
      'There is no class "maybe". The classes are: no, yes.',
    );
    expect(() => answerFairness(answers, groups, { soft: true })).toThrow("no posterior");
    expect(() => taskAttribute({}, "site")).toThrow(
      'There is no task attribute "site". The data have: none. Give one value per task as taskAttributes.',
    );
    const attributes = { taskAttributes: new Map([["city", ["x"]]]) };
    expect(() => taskAttribute(attributes, "site")).toThrow('The data have: "city".');
    expect(taskAttribute(attributes, "city")).toEqual(["x"]);
  });

  it("leaves out small groups and tasks without a group, and says so", () => {
    const some = groups.map((name, t) => (t < 15 ? "few" : t < 20 ? "" : name));
    const result = answerFairness(answers, some, { shuffles: 0 });
    expect(found(result.parity).groups).not.toContain("few");
    expect(result.groups.find(({ name }) => name === "few")).toEqual({
      ...{ name: "few", tasks: 15, scored: 15 },
      rates: [{ class: "yes" }],
    });
    expect(result.notes).toEqual([
      'Not estimated, fewer than 20 tasks: "few".',
      "Tasks without a group, left out: 5.",
    ]);
    const tiny = answerFairness(answers, some, { leastTasks: 1000 });
    expect(tiny.parity).toEqual({
      estimated: false,
      reason: "Not estimated: fewer than two groups have 1000 tasks that count for it.",
    });
  });

  it("takes the most probable class, and -1 for no answer at all", () => {
    const posterior = Float64Array.from(
      [...answers.consensus].flatMap((k) => [0.9 - k * 0.6, 0.1 + k * 0.6]),
    );
    const { consensus, ...rest } = answers;
    const options = { shuffles: 0 };
    expect(answerFairness({ ...rest, posterior }, groups, options)).toEqual(
      answerFairness({ ...rest, consensus }, groups, options),
    );
    const none = answerFairness({ ...rest, consensus: consensus.map(() => -1) }, groups, options);
    expect(found(none.parity).value).toBe(0);
    expect(none.groups[0].accuracy?.value).toBe(0);
  });
});
