/** What an editor shows of the built package: names of options, their help, and names of results. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { methods } from "../src/index.ts";
import type { Option } from "../src/method.ts";
import { learners } from "../src/public/learn.ts";
import { scenarios } from "../src/public/simulate.ts";

const root = join(import.meta.dirname, "..");

const opening = `
  import { aggregate, defineMethod, fromRows, methods, online } from "consilience";
  import { learners, maxMig, type Features, type LearnContext } from "consilience/learn";
  import { dawidSkene, glad, majorityVote } from "consilience/methods";
  import { oneCoinCrowd, scenarios } from "consilience/simulate";
  const data = fromRows([]);
  const numbers = fromRows([], { kind: "numeric" });
  const pairs = fromRows([], { kind: "pairwise" });
  declare const features: Features;
  declare const context: LearnContext;
`;

/** An editor with one file, in which \`|\` marks the cursor. */
function createEditor() {
  const path = join(root, "test/in-the-editor.ts");
  const options: ts.CompilerOptions = {
    strict: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: [],
  };
  let text = opening;
  let version = 0;
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [path],
    getScriptVersion: (name) => (name === path ? String(version) : "0"),
    getScriptSnapshot: (name) => {
      const content = name === path ? text : ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === path || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
  });
  const show = (code: string) => {
    const marked = opening + code;
    const at = marked.indexOf("|");
    text = marked.replace("|", "");
    version++;
    return at;
  };
  return {
    /** Returns what may be typed at the cursor: names, and the words that go with one of them. */
    complete(code: string) {
      const at = show(code);
      const found = service.getCompletionsAtPosition(path, at, {})?.entries ?? [];
      return {
        names: found.map(({ name }) => name),
        words: (name: string) =>
          ts.displayPartsToString(
            service.getCompletionEntryDetails(path, at, name, {}, undefined, {}, undefined)
              ?.documentation,
          ),
      };
    },
    /** Returns what is shown for the name under the cursor. */
    hover(code: string) {
      const info = service.getQuickInfoAtPosition(path, show(code));
      return {
        type: ts.displayPartsToString(info?.displayParts),
        words: ts.displayPartsToString(info?.documentation),
      };
    },
  };
}

const editor = createEditor();

/** The cards whose options are typed in these ways. */
const calls: readonly [string, { readonly options: Readonly<Record<string, Option>> }][] = [
  ["dawidSkene(data, { | });", methods["dawid-skene"]],
  ['aggregate(data, { method: "dawid-skene", options: { | } });', methods["dawid-skene"]],
  ['methods["dawid-skene"](data, { | });', methods["dawid-skene"]],
  ['aggregate(data, { method: "glad", options: { | } });', methods.glad],
  ["glad(data, { | });", methods.glad],
  ["majorityVote(data, { | });", methods["majority-vote"]],
  ['aggregate(pairs, { method: "bradley-terry", options: { | } });', methods["bradley-terry"]],
  ["maxMig(data, features, { | }, context);", learners["max-mig"]],
  ['learners["crowd-layer"](data, features, { | }, context);', learners["crowd-layer"]],
  ["oneCoinCrowd({ | });", scenarios["one-coin"]],
  ["scenarios.colluders({ | });", scenarios.colluders],
];

describe("the options of a call", () => {
  it.each(calls)("complete, with help, default and values: %s", (code, { options }) => {
    const { names, words } = editor.complete(code);
    expect(names.toSorted()).toEqual(Object.keys(options).toSorted());
    for (const [name, { help, default: usual }] of Object.entries(options)) {
      expect(words(name)).toContain(help);
      expect(words(name)).toContain(`Default: ${JSON.stringify(usual)}.`);
    }
  });

  it.each([
    ["methods", methods],
    ["learners", learners],
    ["scenarios", scenarios],
  ])("complete for every one of the %s", (list, cards) => {
    for (const [id, { options }] of Object.entries(cards)) {
      if (Object.keys(options).length === 0) continue;
      const before = list === "methods" ? "data as never, " : "";
      const start = list === "learners" ? "data, features, " : before;
      const { names, words } = editor.complete(`${list}["${id}"](${start}{ | }`);
      expect([id, ...names].toSorted()).toEqual([id, ...Object.keys(options)].toSorted());
      for (const [name, { help }] of Object.entries<Option>(options)) {
        expect(words(name)).toContain(help);
      }
    }
  });

  it("say the range and the unit of a number", () => {
    const { words } = editor.complete("dawidSkene(data, { | });");
    expect(words("smoothing")).toContain("Default: 0.01. Values: numbers from 0, in labels.");
    expect(words("maxIterations")).toContain("Default: 100. Values: whole numbers from 1.");
  });

  it("say the default that a learner changes", () => {
    const { epochs } = learners.raykar.options;
    const { words } = editor.complete("learners.raykar(data, features, { | }, context);");
    expect(words("epochs")).toContain(`Default: ${epochs.default}.`);
  });

  it.each([
    'dawidSkene(data, { start: "|" });',
    'aggregate(data, { method: "dawid-skene", options: { start: "|" } });',
    'methods["dawid-skene"](data, { start: "|" });',
  ])("complete their values: %s", (code) => {
    const { choices } = methods["dawid-skene"].options.start;
    expect(editor.complete(code).names.toSorted()).toEqual([...choices].toSorted());
  });

  it("show their help where they are given", () => {
    const { words } = editor.hover("dawidSkene(data, { smoo|thing: 0.1 });");
    expect(words).toContain(methods["dawid-skene"].options.smoothing.help);
  });

  it("complete for a method of one's own, with the shared ones", () => {
    const own = `const own = defineMethod(
      { id: "own", options: { share: { default: 0.5, help: "A share." } } },
      (data) => ({ posterior: new Float64Array(data.tasks.length) }),
    );`;
    const { names, words } = editor.complete(`${own} own(data, { | });`);
    expect(names.toSorted()).toEqual(["seed", "share", "ties"]);
    expect(words("ties")).toContain(methods["majority-vote"].options.ties.help);
  });

  it("complete for live models", () => {
    const { words } = editor.complete("online(data, dawidSkene(data), {}, { | });");
    expect(words("exponent")).toContain("Default: 0.6. Values: numbers from 0.5 to 1.");
  });
});

describe("names", () => {
  it("complete the ids of methods", () => {
    const { names } = editor.complete('aggregate(data, { method: "|" });');
    expect(names).toContain("dawid-skene");
    expect(names).not.toContain("mean");
  });

  it.each([
    ["const res|ult = dawidSkene(data);", "const result: Aggregation<DawidSkene>"],
    ['const res|ult = aggregate(data, { method: "glad" });', "const result: Aggregation<Glad>"],
    ["const res|ult = aggregate(data);", "const result: Aggregation<Auto>"],
    ["const res|ult = aggregate(numbers);", "const result: Picked<NumericResult>"],
    ["const res|ult = aggregate(pairs);", "const result: Picked<PairwiseResult>"],
    ["const res|ult = await maxMig(data, features, {}, context);", "const result: Learning"],
    ["const res|ult = oneCoinCrowd();", "const result: Simulated<OneCoinCrowdOptionTable>"],
    ["dawidS|kene;", "(alias) const dawidSkene: Aggregator<DawidSkeneOptionTable, DawidSkene>"],
  ])("are those of the result: %s", (code, type) => {
    expect(editor.hover(code).type.split("\nimport")[0]).toBe(type);
  });

  it("say what a method assumes, by its name and by its id", () => {
    expect(editor.hover("dawidS|kene;").words).toContain("confusion matrix");
    expect(editor.complete('methods["|"];').words("dawid-skene")).toContain("confusion matrix");
  });

  it("exist for the result of every method", () => {
    const page = readFileSync(join(root, "src/public/methods.ts"), "utf8");
    for (const id of Object.keys(methods)) {
      const { type } = editor.hover(`const res|ult = methods["${id}"](data as never);`);
      if (
        /^const result: (Numeric|Pairwise|Sequence|MultiLabel|Similarity)Result$|Aggregation<Fit>$/.test(
          type,
        )
      )
        continue;
      const [, own] = /^const result: (?:(?:Aggregation|OrdinalResult)<)?(\w+)>?$/.exec(type) ?? [];
      expect(own, type).toBeDefined();
      expect(page).toMatch(new RegExp(`\\b${own}\\b`));
    }
  });
});
