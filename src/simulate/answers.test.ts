/** Scenarios of answers other than labels: the same for every one, then what each plants. */
import { describe, expect, it } from "vitest";
import { allSpans, schemeOf } from "../data/sequence.ts";
import { SAME } from "../data/similarity.ts";
import type { AnyAnswerScenario } from "./answers.ts";
import { scenarioList } from "./index.ts";
import { judgesCrowd } from "./judges.ts";
import { matchersCrowd } from "./matchers.ts";
import { measurersCrowd } from "./measurers.ts";
import { pickersCrowd } from "./pickers.ts";
import { ratersCrowd } from "./raters.ts";
import { taggersCrowd } from "./taggers.ts";

const list = scenarioList.filter(
  (scenario): scenario is AnyAnswerScenario => scenario.kind !== "categorical",
);

it("there is a scenario for every other kind", () => {
  expect(list.map(({ kind }) => kind).sort()).toEqual(
    ["multi-label", "numeric", "ordinal", "pairwise", "sequence", "similarity"].sort(),
  );
});

describe.each(list.map((scenario) => [scenario.id, scenario] as const))("%s", (id, scenario) => {
  it("gives the same crowd for the same seed, and another for another", () => {
    expect(scenario({ seed: 3 })).toEqual(scenario({ seed: 3 }));
    expect(scenario({ seed: 3 }).data).not.toEqual(scenario({ seed: 4 }).data);
  });

  it("says what every worker is", () => {
    const { data, roles, facts } = scenario();
    expect(data.kind).toBe(scenario.kind);
    expect(roles.length).toBe(data.workers.length);
    expect(new Set(roles).size).toBeGreaterThan(2);
    for (const values of Object.values(facts)) expect(values.length).toBe(roles.length);
    expect(data.worker.every((w) => w >= 0 && w < roles.length)).toBe(true);
  });

  it("refuses sizes beyond memory before it draws anything", () => {
    const sizes = ["tasks", "workers", "items", "comparisons", "answers", "honest"];
    const largest = Object.entries(scenario.options).flatMap(([name, option]) =>
      sizes.includes(name) ? [[name, "max" in option ? option.max : 1e8]] : [],
    );
    expect(() => scenario(Object.fromEntries(largest))).toThrow(/answers are made/);
    for (const [name] of largest) {
      expect(() => scenario({ [String(name)]: 1e12 })).toThrow(`${id}: ${name} must be at most`);
    }
  });

  it("refuses more roles than workers", () => {
    if (!("workers" in scenario.options)) return;
    expect(() => scenario({ workers: 1 })).toThrow(/have another role than careful/);
  });
});

/** The share of answers of some workers that pass. */
function share(
  { worker }: { readonly worker: Int32Array },
  who: (w: number) => boolean,
  passes: (i: number) => boolean | undefined,
): number {
  const all = Array.from(worker.keys()).filter((i) => who(worker[i]));
  const asked = all.map(passes).filter((each) => each !== undefined);
  return asked.filter(Boolean).length / asked.length;
}

it("raters: shifts and reversed scales are where the facts say", () => {
  const { data, roles } = ratersCrowd({ tasks: 4000, levels: 7 });
  const offset = (role: string) => {
    const rows = Array.from(data.label.keys()).filter((i) => {
      const level = data.gold[data.task[i]];
      return roles[data.worker[i]] === role && level > 1 && level < 5;
    });
    return rows.reduce((sum, i) => sum + data.label[i] - data.gold[data.task[i]], 0) / rows.length;
  };
  expect(offset("careful")).toBeCloseTo(0, 1);
  expect(Math.abs(offset("severe") + 1)).toBeLessThan(0.15);
  expect(Math.abs(offset("lenient") - 1)).toBeLessThan(0.15);
  const turned = share(
    data,
    (w) => roles[w] === "reversed",
    (i) => data.label[i] === 6 - data.gold[data.task[i]],
  );
  expect(turned).toBeGreaterThan(0.5);
});

it("measurers: errors are as large as the facts say, and copies err with the first worker", () => {
  const { data, roles, facts } = measurersCrowd({ tasks: 4000, labelsPerTask: 0 });
  const W = roles.length;
  const error = (t: number, w: number) => data.value[t * W + w] - data.gold[t] - facts["offset"][w];
  for (let w = 0; w < W; w++) {
    let square = 0;
    for (let t = 0; t < 4000; t++) square += error(t, w) ** 2 / 4000;
    expect(Math.sqrt(square) / facts["noise"][w]).toBeCloseTo(1, 1);
    if (roles[w] === "copies w0") expect(Math.abs(error(7, w) - error(7, 0))).toBeLessThan(0.3);
  }
});

it("judges: sides, adversaries, mistakes and copies", () => {
  const options = { comparisons: 3000, spread: 3, ties: 0, mistakes: 0.1 };
  const { data, roles } = judgesCrowd(options);
  const { left, right, label, gold } = data;
  const follows = (i: number) => gold[left[i]] > gold[right[i]] === (label[i] === 0);
  const of = (role: string, passes: (i: number) => boolean | undefined) =>
    share(data, (w) => roles[w] === role, passes);
  expect(of("honest", follows) + of("adversary", follows)).toBeCloseTo(1, 1);
  expect(of("guesser", follows)).toBeCloseTo(0.5, 1);
  const far = (i: number) => Math.abs(gold[left[i]] - gold[right[i]]) > 5;
  expect(of("honest", (i) => (far(i) ? follows(i) : undefined))).toBeCloseTo(0.9, 1);
  expect(of("chooses left", (i) => label[i] === 0)).toBeCloseTo(0.95, 1);
  expect(of("chooses right", (i) => label[i] === 1)).toBeCloseTo(0.95, 1);
  // Without slips the copies say the same of a pair each time, on either side.
  const exact = judgesCrowd({ slips: 0, ties: 0.5 });
  const said = new Map<string, Set<number>>();
  exact.data.worker.forEach((w, i) => {
    if (exact.roles[w] !== "copy of a model") return;
    const [a, b, l] = [exact.data.left[i], exact.data.right[i], exact.data.label[i]];
    const key = [a, b].sort().join();
    said.set(key, (said.get(key) ?? new Set()).add(l === 2 ? -1 : l === 0 ? a : b));
  });
  expect([...said.values()].every(({ size }) => size === 1)).toBe(true);
});

it("matchers: answers are right as often as the facts say", () => {
  const { data, roles, facts } = matchersCrowd({ answers: 4000 });
  const same = (i: number) => data.gold[data.left[i]] === data.gold[data.right[i]];
  for (const [w] of roles.entries()) {
    const says = (within: boolean) =>
      share(
        data,
        (u) => u === w,
        (i) => (same(i) === within ? data.label[i] === SAME : undefined),
      );
    expect(Math.abs(says(true) - facts["sensitivity"][w])).toBeLessThan(0.07);
    expect(Math.abs(1 - says(false) - facts["specificity"][w])).toBeLessThan(0.04);
  }
});

it("taggers: those who miss spans mark half as many, and tags are whole spans", () => {
  const { data, roles } = taggersCrowd({ tasks: 400, labelsPerTask: 0, types: 3 });
  const scheme = schemeOf(data.classes);
  if (!scheme) throw new Error("not BIO");
  const { chains, length } = data.tokens;
  const spans = (tags: Int32Array) => [...allSpans(scheme, tags, chains)];
  const truth = new Set(spans(data.gold).map((span) => Object.values(span).join()));
  const found = roles.map((_, w) => {
    const tags = new Int32Array(length);
    data.worker.forEach((u, i) => {
      if (u === w) tags[data.token[i]] = data.label[i];
    });
    const seen = spans(tags).map((span) => Object.values(span).join());
    return seen.filter((span) => truth.has(span)).length / truth.size;
  });
  const of = (role: string) => found.filter((_, w) => roles[w] === role);
  // Neither missed nor shifted nor confused: .9 · .95 · .95, and .5 in place of one of them.
  for (const right of of("careful")) expect(right).toBeCloseTo(0.81, 1);
  for (const right of of("misses spans")) expect(Math.abs(right - 0.45)).toBeLessThan(0.06);
  for (const right of of("confuses types")) expect(Math.abs(right - 0.43)).toBeLessThan(0.06);
  for (const right of of("guesser")) expect(right).toBeLessThan(0.1);
});

it("pickers: labels are picked as often as the facts say, and none stands alone", () => {
  const { data, roles, facts } = pickersCrowd({ tasks: 3000, labelsPerTask: 0, labels: 5 });
  const L = data.classes.length;
  expect(data.classes.at(L - 1)).toBe("none");
  const [hit, fits] = [roles.map(() => 0), roles.map(() => 0)];
  for (let i = 0; i < data.task.length; i++) {
    const chosen = data.label.subarray(data.start[i], data.start[i + 1]);
    expect(chosen.includes(L - 1) ? chosen.length : 1).toBe(1);
    for (let l = 0; l < L - 1; l++) {
      if (data.gold[data.task[i] * L + l] !== 1) continue;
      fits[data.worker[i]]++;
      if (chosen.includes(l)) hit[data.worker[i]]++;
    }
  }
  roles.forEach((_, w) => {
    expect(Math.abs(hit[w] / fits[w] - facts["sensitivity"][w])).toBeLessThan(0.03);
  });
  expect([...pickersCrowd({ none: false }).data.classes]).not.toContain("none");
});
