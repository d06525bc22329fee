/** Methods of one's own through --plugin, and never out of a result file. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, it } from "vitest";
import { writeCrowd } from "./crowd-files.ts";

const root = join(import.meta.dirname, "..");
const work = mkdtempSync(join(tmpdir(), "consilience-plugins-"));
const at = (name: string) => join(work, name);
afterAll(() => rmSync(work, { recursive: true, force: true }));
const run = (...args: string[]) =>
  spawnSync(process.execPath, [join(root, "dist/cli/bin.js"), ...args], { encoding: "utf8" });

writeFileSync(
  at("mine.mjs"),
  `import { defineMethod } from ${JSON.stringify(pathToFileURL(join(root, "dist/index.js")).href)};
   export const first = defineMethod(
     { id: "always-first", options: { sure: { default: 0.9, min: 0.5, max: 1, help: "P(first)." } } },
     (data, { sure }) => {
       const K = data.classes.length;
       const posterior = new Float64Array(data.tasks.length * K).fill((1 - sure) / (K - 1));
       for (let t = 0; t < data.tasks.length; t++) posterior[t * K] = sure;
       return { posterior };
     },
   );`,
);
writeFileSync(at("labels.csv"), "task,worker,label\na,x,1\na,y,2\nb,x,2\nb,y,2\n");

it("run with the options that --set gives them", () => {
  const mine = ["aggregate", at("labels.csv"), "--plugin", at("mine.mjs")];
  const plain = run(...mine, "--method", "always-first");
  expect(plain.stdout).toBe("task,label,confidence\na,1,0.9\nb,1,0.9\n");
  const set = run(...mine, "--method", "always-first", "--set", "sure=0.75");
  expect(set.stdout).toContain("a,1,0.75\n");
});

it("join compare", () => {
  const { stdout, stderr } = run(
    "compare",
    at("labels.csv"),
    "--plugin",
    at("mine.mjs"),
    "--methods",
    "majority-vote,always-first",
    "--folds",
    "0",
  );
  expect(stdout, stderr).toMatch(/\nalways-first,/);
});

it("learn with learners of one's own", () => {
  writeFileSync(
    at("learner.mjs"),
    `import { defineLearner } from ${JSON.stringify(pathToFileURL(join(root, "dist/index.js")).href)};
     import { ops } from ${JSON.stringify(pathToFileURL(join(root, "dist/public/tensor.js")).href)};
     export const mine = defineLearner(
       { id: "first-label-net", options: { tilt: { default: 0, help: "Nothing." } } },
       async function* (session, { tilt }) {
         if (tilt !== 3) throw new Error("tilt is " + tilt);
         const net = await session.network(({ logits, task, label }) => {
           const given = ops.pick(ops.gather(ops.logSoftmax(logits), task), label);
           return { loss: ops.negate(ops.mean(given)) };
         });
         const run = session.run(net);
         while (run.more()) yield await run.done(await run.train());
         await run.finish();
         return { net };
       },
     );`,
  );
  const files = writeCrowd(work, { tasks: 40, dimensions: 3 });
  const args = ["learn", files.labels, "--features", files.features, "--plugin", at("learner.mjs")];
  const { stdout, stderr } = run(
    ...args,
    "--method",
    "first-label-net",
    "--set",
    "tilt=3",
    "--epochs",
    "3",
    "--json",
  );
  expect(JSON.parse(stdout || "{}"), stderr).toMatchObject({
    method: "first-label-net",
    options: { tilt: 3, epochs: 3 },
  });
});

it("compare learners of one's own beside methods of one's own", () => {
  const files = writeCrowd(work, { tasks: 40, dimensions: 3 });
  writeFileSync(
    at("plain.mjs"),
    readFileSync(at("learner.mjs"), "utf8")
      .replace("if (tilt !== 3)", "if (tilt === 3)")
      .replace("first-label-net", "plain-net"),
  );
  const { stdout, stderr } = run(
    ...["compare", files.labels, "--features", files.features, "--gold", files.gold],
    ...["--plugin", at("plain.mjs"), "--plugin", at("mine.mjs")],
    ...["--methods", "plain-net,always-first", "--seeds", "2", "--epochs", "2", "--json"],
  );
  expect(JSON.parse(stdout || "{}").methods, stderr).toMatchObject([
    { method: "plain-net", learner: true, runs: [{ seed: 0 }, { seed: 1 }], iterations: 2 },
    { method: "always-first", deterministic: true },
  ]);
});

it("are never loaded because a result file says so", () => {
  writeFileSync(
    at("evil.mjs"),
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(at("ran"))}, "");`,
  );
  const made = run("aggregate", at("labels.csv"), "--method", "majority-vote", "--out", at("out"));
  expect(made.status, made.stderr).toBe(0);
  const path = at("out/result.json");
  const document = JSON.parse(readFileSync(path, "utf8"));
  document.command.push(`--plugin=${at("evil.mjs")}`, `--out=${at("elsewhere")}`);
  writeFileSync(path, JSON.stringify(document));
  const again = run("aggregate", "--rerun", path);
  expect(again.status, again.stderr).toBe(0);
  expect(again.stdout).toContain("task,label,confidence\n");
  expect(() => readFileSync(at("ran"))).toThrow();
  expect(() => readFileSync(at("elsewhere/truth.csv"))).toThrow();
});

it("say what is wrong with a module", () => {
  writeFileSync(at("empty.mjs"), "export const nothing = 1;\n");
  const empty = run("aggregate", at("labels.csv"), "--plugin", at("empty.mjs"));
  expect(empty.stderr).toContain("empty.mjs: it exports no method.");
  const missing = run("aggregate", at("labels.csv"), "--plugin", at("missing.mjs"));
  expect(missing.stderr).toContain("missing.mjs: this module cannot be loaded");
  expect(missing.status).toBe(2);
});
