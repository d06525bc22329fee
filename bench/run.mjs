// The benchmark: speed against peers in the same run, accuracy on public crowds. Writes RESULTS.md.
//   npm run bench               everything (about half an hour)
//   npm run bench -- --quick    without 10 million labels and slow peers
//   npm run bench -- --only speed|accuracy|learning

import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { accuracyTables } from "./accuracy.mjs";
import { learningTables } from "./learning.mjs";
import { speedTables } from "./speed.mjs";

const quick = process.argv.includes("--quick");
const only = process.argv[process.argv.indexOf("--only") + 1];
const wanted = (part) => !process.argv.includes("--only") || only === part;
const path = join(import.meta.dirname, "RESULTS.md");

const parts = {
  speed: wanted("speed") ? await speedTables({ quick }) : keep("speed"),
  accuracy: wanted("accuracy") ? accuracyTables({ quick }) : keep("accuracy"),
  learning: wanted("learning") ? await learningTables({ quick }) : keep("learning"),
};
const model = cpus()[0]?.model ?? "unknown";
writeFileSync(
  path,
  `# Benchmark

Made by \`npm run bench\` on ${cpus().length} cores (${model}), Node ${process.version}. Times are CPU seconds
unless they say otherwise; peers ran in the same run on the same files.

<!-- speed -->
${parts.speed.trim()}
<!-- /speed -->

<!-- accuracy -->
${parts.accuracy.trim()}
<!-- /accuracy -->

<!-- learning -->
${parts.learning.trim()}
<!-- /learning -->
`,
);
console.log(`Wrote ${path}`);

/** A part that was not run keeps its last tables. */
function keep(name) {
  try {
    const text = readFileSync(path, "utf8");
    return new RegExp(`<!-- ${name} -->([\\s\\S]*?)<!-- /${name} -->`).exec(text)?.[1] ?? "";
  } catch {
    return "";
  }
}
