import { describe, expect, it } from "vitest";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { fromRows } from "../data/from-rows.ts";
import { excessAgreement } from "../diagnose/collusion/excess-agreement.ts";
import { diagnose } from "../diagnose/index.ts";
import { sharedErrors } from "../diagnose/shared-errors.ts";
import { pruneSpammers } from "../diagnose/spammers/prune.ts";
import { createSvgDocument } from "../node/svg-document.ts";
import { toHtml } from "../report/html.ts";
import { toMarkdown } from "../report/markdown.ts";
import { verdictLines } from "../report/verdict-text.ts";
import { spammerCrowd } from "../reproduce/spammer-crowd.ts";
import { scenarios } from "../simulate/index.ts";
import { aggregateDocument, aggregateJob, judgeJob } from "./aggregate.ts";
import { changesSince, runOf } from "./since.ts";

/** Sixty tasks that five workers answer alike; gold says that `wrong` of ten answers are wrong. */
function alike(wrong: number): CategoricalData {
  const rows = Array.from({ length: 300 }, (_, i) => ({
    task: `t${Math.floor(i / 5)}`,
    worker: `w${i % 5}`,
    label: Math.floor(i / 5) % 2 === 0 ? "x" : "y",
  }));
  const gold = Array.from({ length: 60 }, (_, t) => {
    const right = t % 10 >= wrong;
    return [`t${t}`, (t % 2 === 0) === right ? "x" : "y"] as const;
  });
  return fromRows(rows, { gold });
}

const files = { files: [], command: [], timings: {} };

describe("the verdict of a job", () => {
  it("alarms where gold shows that the answers are overconfident", async () => {
    const outcome = await aggregateJob({ data: alike(4), method: "dawid-skene" });
    const { verdict: found } = outcome;
    expect(found).toMatchObject({ level: "do not trust yet", expected: 0.6 });
    expect(found?.alarm).toBeDefined();
    const lines = found ? verdictLines(found) : [];
    expect(lines[0]).toBe("Verdict: do not trust yet.");
    expect(lines[1]).toMatch(/^ALARM: On 60 tasks with gold 60 % of the answers are right/);
    expect(lines.filter((line) => line.includes("with gold 60 %"))).toHaveLength(1);
    expect(lines.length).toBeLessThanOrEqual(6);
    expect(aggregateDocument(outcome, files).verdict).toEqual({
      level: found?.level,
      reasons: found?.reasons,
      next: found?.next,
    });
    const report = outcome.kind.report(await judgeJob(outcome));
    expect(report.verdict?.alarm).toBe(lines[1].slice("ALARM: ".length));
    const page = await toHtml(report, createSvgDocument());
    const body = page.slice(page.indexOf("<body>"));
    expect(body.indexOf('class="alarm"')).toBeLessThan(body.indexOf("<h1>"));
    expect(body).toContain('data-level="do not trust yet"');
    expect(body.indexOf('id="verdict"')).toBeLessThan(body.indexOf('class="facts"'));
    const text = toMarkdown(report);
    expect(text.startsWith("**ALARM: On 60 tasks")).toBe(true);
    expect(text).toContain("**Verdict: do not trust yet**");
  });

  it("is that of the library on the same evidence", async () => {
    const data = { ...alike(0), gold: new Int32Array(60).fill(-1) };
    const { verdict: found, scores } = await aggregateJob({ data, method: "majority-vote" });
    expect(scores).toBeUndefined();
    expect(found).toEqual(diagnose(data, majorityVote(data)).verdict);
    expect(found?.alarm).toBeUndefined();
  });

  it("takes the shared errors that the result has", async () => {
    const shared = sharedErrors(alike(0));
    const method = {
      ...majorityVote,
      id: "own",
      *steps(data: CategoricalData) {
        yield* [];
        return { ...majorityVote(data), sharedErrors: { ...shared, labelsPerTask: 1.2 } };
      },
    };
    const { verdict: found } = await aggregateJob({ data: alike(0), method: method as never });
    expect(found?.reasons[0]).toMatch(/only 1.2 labels per task/);
  });

  it("counts workers of one group as a finding", async () => {
    const groups = Int32Array.of(0, 0, 1, 2, 3);
    const method = {
      ...majorityVote,
      id: "grouped",
      *steps(data: CategoricalData) {
        yield* [];
        return { ...majorityVote(data), groups };
      },
    };
    const { verdict: found } = await aggregateJob({ data: alike(0), method: method as never });
    expect(found?.reasons[0]).toMatch(/^2 workers with 40 % of the labels err together/);
  });

  it("is compared with that of an earlier run", async () => {
    const [good, bad] = [
      await aggregateJob({ data: alike(0), method: "dawid-skene" }),
      await aggregateJob({ data: alike(4), method: "dawid-skene" }),
    ];
    expect(changesSince(runOf(good), bad).verdict).toEqual({
      before: good.verdict?.level,
      after: "do not trust yet",
    });
    expect(good.verdict?.level).not.toBe("do not trust yet");
  });

  it("is there for other kinds too, and absent for a kind that cannot tell", async () => {
    const data = fromRows([{ task: "t", worker: "w", value: 1 }], { kind: "numeric" });
    const outcome = await aggregateJob({ data });
    expect(outcome.verdict?.level).toBe("use with care");
    const { verdict: _, ...without } = outcome;
    expect("verdict" in aggregateDocument(without, files)).toBe(false);
  });
});

const spammers = (share: number) =>
  spammerCrowd({
    ...{ tasks: 300, workers: 20, labelsPerTask: 0, prior: [0.5, 0.3, 0.2], spammers: share },
    ...({ kind: "uniform", low: 0.6, high: 0.9, seed: 1 } as const),
  }).data;
const spammed = spammers(0.5);
const copied = scenarios.colluders({ tasks: 400, workers: 30, seed: 1 }).data;

describe("dropping spammers", () => {
  const request = { data: spammed, method: "majority-vote", dropSpammers: true } as const;

  it("takes out what pruneSpammers takes out, says so, and fits the rest", async () => {
    const notes: string[] = [];
    const outcome = await aggregateJob(request, { note: (note) => notes.push(note) });
    const pruning = pruneSpammers(spammed);
    expect(pruning.workers.length).toBeGreaterThan(5);
    expect(outcome.data.task.length).toBe(spammed.task.length - pruning.labels);
    expect(outcome.result).toEqual(majorityVote(outcome.data as CategoricalData));
    expect(outcome.pruning).toMatchObject({
      workers: pruning.workers.length,
      labels: pruning.labels,
      changed: pruning.changed.length,
    });
    const words = notes.join("\n");
    for (const { worker, labels } of pruning.workers) {
      expect(words).toContain(`${worker} (${labels} labels): `);
    }
    expect(words).toMatch(/By dawid-skene, \d+ of 300 answers would be different/);
    expect(words).toMatch(/log-probability of −.* per label with these labels and −.* without/);
    expect(outcome.data.notes.join()).not.toContain(pruning.workers[0].worker);
  });

  it("keeps the fingerprint and the size of what was given", async () => {
    const [with_, without] = [
      await aggregateJob(request),
      await aggregateJob({ ...request, dropSpammers: false }),
    ];
    const [a, b] = [aggregateDocument(with_, files), aggregateDocument(without, files)];
    expect(a.dataset).toEqual(b.dataset);
    expect(changesSince(runOf(without), with_).sameData).toBe(true);
    expect(without.source).toBeUndefined();
  });

  it("refuses what the guards forbid, by the name of its own option, unless it is forced", async () => {
    const data = spammers(0.75);
    await expect(aggregateJob({ ...request, data })).rejects.toMatchObject({
      code: "bad-data",
      hints: [{ option: "dropSpammers", value: "force" }],
    });
    const forced = await aggregateJob({ ...request, data, dropSpammers: "force" });
    expect(forced.data.task.length).toBeLessThan(0.4 * data.task.length);
  });

  it("is for labels", async () => {
    const data = fromRows([{ task: "t", worker: "w", value: 1 }], { kind: "numeric" });
    await expect(aggregateJob({ data, dropSpammers: true })).rejects.toThrow(/is for labels/);
    await expect(aggregateJob({ data, groupAware: true })).rejects.toThrow(/is for labels/);
  });
});

describe("group-aware", () => {
  it("fits group-dawid-skene and says which groups were found", async () => {
    const notes: string[] = [];
    const { result, verdict: found } = await aggregateJob(
      { data: copied, groupAware: true },
      { note: (note) => notes.push(note) },
    );
    expect(result.method).toBe("group-dawid-skene");
    expect(notes.some((note) => /^group 1 {2}w\d+, /.test(note))).toBe(true);
    expect(found?.reasons.join()).toMatch(/err together in 1 group/);
  });

  it("takes no other method", async () => {
    await expect(
      aggregateJob({ data: copied, groupAware: true, method: "dawid-skene" }),
    ).rejects.toMatchObject({ code: "usage" });
  });
});

describe("the report of workers who err together", () => {
  it("shows the group as a graph with its tables, and names nobody where that is asked for", async () => {
    // Now and then each of them slips, so that they are no exact copies.
    const slips = (i: number) => copied.worker[i] > 20 && i % 23 === 0;
    const label = copied.label.map((l, i) => (slips(i) ? (l + 1) % copied.classes.length : l));
    const data = { ...copied, label };
    const outcome = await aggregateJob({ data, method: "majority-vote" });
    const report = outcome.kind.report(await judgeJob(outcome));
    const section = report.sections.find(({ id }) => id === "dependence");
    const graph = section?.charts.find(({ kind }) => kind === "worker-graph");
    const members = excessAgreement(data).groups[0].names;
    expect(graph?.kind === "worker-graph" && graph.nodes.map(({ name }) => name)).toEqual(members);
    expect(section?.tables.map(({ id }) => id)).toEqual(["agreeing-groups", "agreeing-pairs"]);
    expect(report.facts.map(([label]) => label)).toContain("Independent workers");
    const capacity = report.sections
      .flatMap(({ charts }) => charts)
      .find(({ id }) => id === "capacity");
    expect(capacity).toMatchObject({ kind: "intervals", bars: true });
    const hidden = outcome.kind.report(await judgeJob(outcome, { anonymous: true }));
    const words = JSON.stringify(hidden.sections.filter(({ id }) => id !== "provenance"));
    for (const name of members) expect(words).not.toMatch(new RegExp(`\\b${name}\\b`));
  });

  it("names exact copies, by other names where that is asked for", async () => {
    const outcome = await aggregateJob({ data: copied, method: "majority-vote" });
    const textOf = async (anonymous: boolean) =>
      outcome.kind
        .report(await judgeJob(outcome, { anonymous }))
        .sections.find(({ id }) => id === "dependence")
        ?.text.join(" ");
    expect(await textOf(false)).toMatch(/Copies of one another, .*: w21, w22, .* and w29\. They/);
    expect(await textOf(true)).toMatch(/Copies of one another, /);
    expect(await textOf(true)).not.toMatch(/\bw2\d\b/);
  });
});
