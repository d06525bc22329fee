import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { folder as dataFolder, withSet } from "../../test/datasets.ts";
import { cli } from "../../test/world.ts";
import { readNpy, writeNpy } from "../io/npy.ts";
import { kindNamed } from "../kinds.ts";
import { openFeatures } from "../node/features.ts";
import { readData } from "../node/files.ts";
import type { AnyAnswerScenario } from "../simulate/answers.ts";
import { scenarioList, scenarios } from "../simulate/index.ts";

const work = mkdtempSync(join(tmpdir(), "consilience-simulate-"));
const at = (name: string) => join(work, name);
const text = (name: string) => readFileSync(at(name), "utf8");
const array = (name: string) => readNpy(new Uint8Array(readFileSync(at(name))));
afterAll(() => rmSync(work, { recursive: true, force: true }));

describe("features", () => {
  it("are written with the tasks in their order, and those to test on beside them", async () => {
    const made = await cli([
      "simulate",
      "one-coin",
      "--tasks",
      "30",
      "--test-tasks",
      "20",
      "--classes",
      "3",
      "--features",
      "gauss",
      "--separation",
      "3",
      "--dimensions",
      "4",
      "--out",
      at("gauss"),
    ]);
    expect(made.said).toContain("Wrote 150 labels of 30 tasks by 50 workers");
    expect(readdirSync(at("gauss")).sort()).toEqual([
      "confusion.csv",
      "features.npy",
      "gold.csv",
      "labels.csv",
      "simulation.json",
      "tasks.csv",
      "test_features.npy",
      "test_gold.csv",
      "test_labels.csv",
      "workers.csv",
    ]);
    expect(text("gauss/tasks.csv").split("\n").slice(0, 3)).toEqual(["task", "t0", "t1"]);
    expect(text("gauss/test_gold.csv")).toMatch(/^task,label\ntest0,c\d\n/);
    expect(array("gauss/features.npy")).toMatchObject({ shape: [30, 4], dtype: "<f4" });
    expect(array("gauss/test_features.npy").shape).toEqual([20, 4]);
    expect(JSON.parse(text("gauss/simulation.json"))).toMatchObject({
      parameters: { testTasks: 20 },
      features: { source: "gauss", shape: [4], separation: 3, dimensions: 4 },
      test: { tasks: 20, labels: 100 },
    });
    const data = await readData([at("gauss/labels.csv")]);
    const features = await openFeatures(at("gauss/features.npy"));
    expect([...features.tasks]).toEqual([...data.tasks]);
  });

  it("change no label", async () => {
    await cli(["simulate", "one-coin", "--tasks", "30", "--out", at("plain")]);
    await cli(["simulate", "one-coin", "--tasks", "30", "--radius", "1", "--out", at("round")]);
    for (const name of ["labels.csv", "gold.csv", "confusion.csv"]) {
      expect(text(`round/${name}`)).toBe(text(`plain/${name}`));
    }
    expect(readdirSync(at("plain"))).not.toContain("features.npy");
  });

  it("can be blurred, to test on too", async () => {
    const scene = ["simulate", "robustness", "--tasks", "9", "--test-tasks", "9", "--weak", "3"];
    await cli([...scene, "--out", at("sharp")]);
    await cli([...scene, "--blur", "4", "--out", at("soft")]);
    for (const name of ["features.npy", "test_features.npy"]) {
      expect(array(`soft/${name}`).shape).toEqual(array(`sharp/${name}`).shape);
      expect(array(`soft/${name}`).data).not.toEqual(array(`sharp/${name}`).data);
    }
    expect(text("soft/labels.csv")).toBe(text("sharp/labels.csv"));
  });

  it("say which tasks are outliers", async () => {
    await cli(["simulate", "instance-dependent", "--tasks", "50", "--out", at("odd")]);
    const rows = text("odd/tasks.csv").trim().split("\n");
    expect(rows[0]).toBe("task,outlier");
    expect(new Set(rows.slice(1).map((row) => row.split(",")[1]))).toEqual(new Set(["0", "1"]));
    expect(text("odd/workers.csv")).toContain("w0,symmetric noise,\n");
  });

  it.each([
    [["one-coin", "--features", "images"], /--features is gauss, not "images"/],
    [["one-coin", "--blur", "3"], /--blur needs features/],
    [["one-coin", "--separation", "1", "--radius", "1"], /give one of separation, radius/],
    [["machines", "--features", "gauss"], /There is no option --features/],
    [["one-coin", "--given-features", "x.npy"], /--given-features needs --given-gold/],
    [
      ["one-coin", "--given-gold", "x.csv", "--given-test-features", "y.npy"],
      /needs --given-test-gold/,
    ],
  ])("refuse %j", async (args, message) => {
    const { code, said } = await cli(["simulate", ...args, "--out", at("refused")]);
    expect(said).toMatch(message);
    expect(code).toBe(2);
  });
});

describe("given tasks", () => {
  writeFileSync(at("gold.csv"), "task,label\na,10\nb,9\nc,10\nd,9\n");
  writeFileSync(at("tasks.csv"), "task\nd\nc\nb\na\n");
  writeFileSync(at("features.npy"), writeNpy([4, 2], Float32Array.of(0, 1, 2, 3, 4, 5, 6, 7)));
  writeFileSync(at("test_gold.csv"), "task,label\nx,9\ny,10\n");
  writeFileSync(at("test_features.npy"), writeNpy([2, 2], Float32Array.of(8, 9, 10, 11)));

  it("are labelled under their own names, in the order of their features", async () => {
    const { code } = await cli([
      "simulate",
      "five-workers",
      "--out",
      at("given"),
      "--given-gold",
      at("gold.csv"),
      "--given-features",
      at("features.npy"),
      "--given-test-gold",
      at("test_gold.csv"),
      "--given-test-features",
      at("test_features.npy"),
    ]);
    expect(code).toBe(0);
    expect(text("given/gold.csv")).toBe("task,label\nd,9\nc,10\nb,9\na,10\n");
    expect(text("given/tasks.csv")).toBe("task\nd\nc\nb\na\n");
    expect([...array("given/features.npy").data]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(text("given/test_gold.csv")).toBe("task,label\nx,9\ny,10\n");
    expect([...array("given/test_features.npy").data]).toEqual([8, 9, 10, 11]);
    // Numbers in the order of numbers: the second class is 10.
    expect(text("given/confusion.csv")).toContain("w3,10,10,0.2\n");
    expect(text("given/test_labels.csv").split("\n").length).toBe(12);
  });

  it("may come without features, or get made ones", async () => {
    const gold = ["--given-gold", at("gold.csv")];
    await cli(["simulate", "five-workers", ...gold, "--radius", "2", "--out", at("made")]);
    expect(text("made/tasks.csv")).toBe("task\na\nb\nc\nd\n");
    expect(array("made/features.npy").shape).toEqual([4, 10]);
  });

  it("are refused where they do not fit", async () => {
    const gold = ["--given-gold", at("test_gold.csv")];
    const features = ["--given-features", at("features.npy")];
    const missing = await cli(["simulate", "one-coin", ...gold, ...features, "--out", at("no")]);
    expect(missing.said).toContain("4 of 4 rows of");
    expect(missing.code).toBe(1);
    const many = await cli(["simulate", "mixed", ...gold, "--out", at("no")]);
    expect(many.said).toContain("mixed: the given tasks have 2 classes, but this crowd needs 4.");
    expect(many.code).toBe(2);
    const both = ["--given-gold", at("gold.csv"), ...features, "--features", "gauss"];
    const twice = await cli(["simulate", "one-coin", ...both, "--out", at("no")]);
    expect(twice.said).toContain("--features is for tasks without features; these have some.");
  });

  withSet("digits", "labelled by the crowd of Max-MIG", async () => {
    const digits = join(dataFolder, "digits");
    const { code } = await cli([
      "simulate",
      "max-mig",
      "--table",
      "cifar10",
      "--out",
      at("digits"),
      "--given-gold",
      join(digits, "gold.csv"),
      "--given-features",
      join(digits, "features.npy"),
    ]);
    expect(code).toBe(0);
    expect(array("digits/features.npy").shape).toEqual([1797, 64]);
    expect(text("digits/labels.csv").split("\n").length).toBe(1797 * 5 + 2);
  });
});

it("the help lists all scenarios, apart from what they are", async () => {
  const { out } = await cli(["simulate", "--help"], { width: 1000 });
  for (const { id, summary } of scenarioList) expect(out).toMatch(`  ${id.padEnd(20)}${summary}`);
});

describe("answers of every kind", () => {
  const others = scenarioList.filter(({ kind }) => kind !== "categorical");

  it.each(others.map(({ id, kind }) => [id, kind] as const))(
    "%s are written so that aggregate reads them, with gold",
    async (id, kind) => {
      const made = await cli(["simulate", id, "--seed", "5", "--out", at(id)]);
      expect(made.code).toBe(0);
      expect(readdirSync(at(id)).sort()).toEqual([
        "gold.csv",
        "labels.csv",
        "simulation.json",
        "workers.csv",
      ]);
      const needed = kind === "ordinal" || kind === "multi-label";
      expect(made.said.includes(`--kind ${kind} --gold`)).toBe(needed);
      expect(text(`${id}/workers.csv`)).toMatch(/^worker,role,\w+/);
      expect(JSON.parse(text(`${id}/simulation.json`))).toMatchObject({ scenario: id, kind });
      const flags = ["--gold", at(`${id}/gold.csv`), "--json", ...(needed ? ["--kind", kind] : [])];
      const method = kindNamed(kind).baseline;
      const labels = at(`${id}/labels.csv`);
      const read = await cli(["aggregate", labels, "--method", method, ...flags]);
      expect([read.code, JSON.parse(read.out)]).toMatchObject([0, { kind }]);
      const { data } = (scenarios[id as "judges"] as AnyAnswerScenario)({ seed: 5 });
      const { counts, goldCount } = kindNamed(kind);
      const again = await readData([labels], { kind, goldFile: at(`${id}/gold.csv`) });
      expect(counts(again as never)).toEqual(counts(data as never));
      expect(goldCount(again as never)).toBe(goldCount(data as never));
    },
  );

  it("take no flags of labels, and refuse sizes beyond memory", async () => {
    const blurred = await cli(["simulate", "judges", "--blur", "2", "--out", at("none")]);
    expect([blurred.code, blurred.said]).toEqual([2, expect.stringContaining("no option --blur")]);
    const huge = await cli(["simulate", "raters", "--tasks", "1e12", "--out", at("none")]);
    expect([huge.code, huge.said]).toEqual([2, expect.stringContaining("tasks must be at most")]);
  });
});
