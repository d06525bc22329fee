import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { auto } from "../auto/auto.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { fromRows } from "../data/from-rows.ts";
import { agreement } from "../diagnose/agreement.ts";
import { skillIntervals } from "../diagnose/skill-intervals.ts";
import { evaluate } from "../evaluate/index.ts";
import { toJson } from "./json.ts";
import type { Report, Section } from "./model.ts";
import { aggregationReport } from "./report.ts";

const data = randomCrowd(1, { tasks: 60, workers: 8, classes: 3 });

const section = ({ sections }: Report, id: string): Section => {
  const found = sections.find((each) => each.id === id);
  if (!found) throw new Error(`no section ${id}: ${sections.map((each) => each.id).join(", ")}`);
  return found;
};

const ids = ({ sections }: Report) => sections.map(({ id }) => id);

function full(result: Aggregation, crowd: CategoricalData = data): Report {
  const scores = Array.from(crowd.workers, (_, w) => ({
    informativeness: 0.5,
    informativenessCorrected: 0.4,
    capacityBits: Number.NaN,
    flags: w === 2 ? ["spammer", "few-labels"] : w === 3 ? ["few-labels"] : [],
  }));
  return aggregationReport({
    data: crowd,
    result,
    scores,
    majorityVote: 0.75,
    agreement: agreement(crowd),
    intervals: skillIntervals(crowd, result),
    metrics: evaluate({ ...result, gold: crowd.gold }),
  });
}

describe("invariants", () => {
  it.each([dawidSkene, majorityVote, auto])("$id: is plain data, the same twice", (method) => {
    const report = full(method(data));
    expect(JSON.parse(toJson(report))).toEqual(report);
    expect(full(method(data))).toEqual(report);
    expect(toJson(report)).not.toMatch(/undefined|NaN|Infinity/);
  });

  it("has a cell per column, of the column's kind", () => {
    for (const { tables } of full(dawidSkene(data)).sections) {
      for (const { columns, rows } of tables) {
        for (const row of rows) {
          expect(row).toHaveLength(columns.length);
          row.forEach((cell, c) => {
            if (cell === null) return;
            expect(typeof cell).toBe(columns[c].kind === "text" ? "string" : "number");
          });
        }
      }
    }
  });

  it("gives charts and tables names of their own", () => {
    const { sections } = full(auto(data));
    const names = [
      ...sections.flatMap(({ charts }) => charts.map(({ id }) => `chart ${id}`)),
      ...sections.flatMap(({ tables }) => tables.map(({ id }) => `table ${id}`)),
    ];
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("sections", () => {
  it("come in the order in which one reads", () => {
    expect(ids(full(dawidSkene(data)))).toEqual([
      "answers",
      "gold",
      "review",
      "workers",
      "confusions",
      "agreement",
      "objective",
      "provenance",
    ]);
    expect(ids(full(auto(data)))).toContain("portfolio");
  });

  it("leave themselves out where there is nothing to say", () => {
    expect(ids(aggregationReport({ data, result: majorityVote(data) }))).toEqual([
      "answers",
      "review",
      "workers",
      "confusions",
      "provenance",
    ]);
  });

  it("tell who said what of a doubtful task", () => {
    const rows = [
      { task: "t", worker: "ann", label: "cat" },
      { task: "t", worker: "bob", label: "dog" },
      { task: "u", worker: "ann", label: "dog" },
    ];
    const crowd = fromRows(rows);
    const { tables, text } = section(
      aggregationReport({ data: crowd, result: majorityVote(crowd) }),
      "review",
    );
    expect(tables[0].rows).toEqual([
      [
        "t",
        "dog",
        0.5,
        "cat",
        0,
        2,
        "Tied. ann said cat (−1.0); bob said dog (+1.0). bob alone could turn it.",
      ],
    ]);
    expect(text.join(" ")).toContain("votes: plus for the answer");
  });

  it("put workers worst first, those who cannot be told from guessing in a group of their own", () => {
    const { tables, text } = section(full(dawidSkene(data)), "workers");
    const [guessing, others] = tables;
    expect(guessing.caption).toBe("Cannot be told from guessing (1), worst first");
    expect(guessing.columns.map(({ name }) => name)).toEqual([
      "Worker",
      "Labels",
      "Skill",
      "From",
      "To",
      "Informativeness",
      "Against guessing",
      "Flags",
    ]);
    expect(guessing.rows.map(([name]) => name)).toEqual(["w2"]);
    expect(guessing.rows[0].slice(5, 7)).toEqual([0.4, "cannot be told"]);
    expect(others.caption).toBe("The other workers (7), worst first");
    const best = others.rows.map((row) => Number(row[4]));
    expect(best).toEqual(best.toSorted((a, b) => a - b));
    expect(others.rows.map((row) => row[6])).toContain("too few labels to tell");
    expect(text.join(" ")).toContain(
      "few-labels (2: too few to judge), spammer (1: cannot be told from guessing)",
    );
  });

  it("count answers against labels by hand", () => {
    const rows = ["aa", "ab", "ba"].map((name, i) => ({
      task: name[0],
      worker: `${i}`,
      label: name[1],
    }));
    const crowd = fromRows(rows);
    const { charts } = section(
      aggregationReport({ data: crowd, result: majorityVote(crowd, { ties: "first" }) }),
      "confusions",
    );
    // Task a was called a and b and is answered a; task b was called a.
    expect(charts[0]).toMatchObject({
      panels: [
        {
          values: [
            [2 / 3, 1 / 3],
            [0, 0],
          ],
        },
      ],
    });
  });

  it("compare with a majority vote and with chance", () => {
    const report = full(dawidSkene(data));
    expect(section(report, "gold").text[0]).toMatch(
      /A majority vote, ties shared, is right on 75\.00 %/,
    );
    expect(report.facts.map(([label]) => label)).toContain("Majority vote");
    const names = section(report, "agreement").tables[0].rows.map(([name]) => name);
    expect(names).toContain("Krippendorff's alpha");
  });

  it("say how it was made", () => {
    const { rows } = section(full(dawidSkene(data)), "provenance").tables[0];
    const facts = new Map(rows.map(([what, value]) => [what, value]));
    expect(facts.get("Method")).toBe("Dawid–Skene (dawid-skene)");
    expect(facts.get("Fingerprint of the labels")).toMatch(/^[0-9a-f]{16}$/);
    expect(facts.get("Paper")).toContain("1979");
  });
});

describe("limits", () => {
  it("copes with no labels, one label, one class, one worker", () => {
    const none = fromRows([]);
    expect(ids(aggregationReport({ data: none, result: majorityVote(none) }))).toEqual([
      "provenance",
    ]);
    const one = fromRows([{ task: "t", worker: "w", label: "x" }]);
    for (const method of [majorityVote, dawidSkene, auto]) {
      const report = aggregationReport({ data: one, result: method(one) });
      expect(ids(report)).toContain("answers");
      expect(ids(report)).not.toContain("confusions");
    }
    const alone = randomCrowd(2, { workers: 1 });
    expect(ids(full(dawidSkene(alone), alone))).toContain("workers");
  });

  it("draws thirty classes, and of more the most common", () => {
    const many = randomCrowd(3, { tasks: 200, workers: 6, classes: 40 });
    const { charts, text } = section(full(dawidSkene(many), many), "confusions");
    expect(charts).toHaveLength(1);
    expect(charts[0]).toMatchObject({ rows: { length: 30 }, columns: { length: 30 } });
    expect(text.join(" ")).toContain("30 most common classes of 40");
  });

  it("explains nothing that would take for ever", () => {
    const many = randomCrowd(4, { tasks: 30, workers: 4, classes: 150 });
    const { tables } = section(full(majorityVote(many), many), "review");
    expect(tables[0].rows[0].at(-1)).toMatch(/^w\d said c\d+;/);
  });

  it("knows abstentions and tasks without an answer", () => {
    const rows = [
      { task: "t", worker: "a", label: "x" },
      { task: "t", worker: "b", label: "y" },
      { task: "u", worker: "a", label: "?" },
      { task: "u", worker: "b", label: "y" },
    ];
    const crowd = fromRows(rows, { abstentions: ["?"] });
    const result = dawidSkene(crowd, { abstentions: "model", ties: "abstain" });
    const report = aggregationReport({ data: crowd, result });
    expect(section(report, "confusions").charts[1]).toMatchObject({
      columns: ["x", "y", "(abstained)"],
    });
    const tied = aggregationReport({
      data: crowd,
      result: { ...result, consensus: Int32Array.of(-1, 1) },
    });
    expect(section(tied, "answers").text[0]).toContain("1 task got no answer");
    expect(section(tied, "review").tables[0].rows[0].slice(0, 2)).toEqual(["t", null]);
  });

  it("shortens long names, and cuts long lists", () => {
    const rows = Array.from({ length: 600 }, (_, w) => ({
      task: `t${w % 3}`,
      worker: `${"w".repeat(200)}${w}`,
      label: `${w % 2}`,
    }));
    const crowd = fromRows(rows);
    const [table] = section(
      aggregationReport({ data: crowd, result: majorityVote(crowd) }),
      "workers",
    ).tables;
    expect(table.rows).toHaveLength(500);
    expect(table.more).toBe("100 more workers in workers.csv.");
    expect(String(table.rows[0][0])).toHaveLength(80);
  });
});
