// The benchmark: speed against peers in the same run, accuracy on public crowds. Writes RESULTS.md.
//   npm run bench               everything (about two hours)
//   npm run bench -- --quick    without 10 million labels, slow peers and slow fits
//   npm run bench -- --only speed|accuracy|auto|intervals|printed|learning|labelme|learners|device|trust|assign|forecast|kinds|kind-speed

import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { accuracyTables } from "./accuracy.mjs";
import { assignTables } from "./assign.mjs";
import { autoTables } from "./auto.mjs";
import { deviceTables } from "./device.mjs";
import { forecastTables } from "./forecast.mjs";
import { intervalTables } from "./intervals.mjs";
import { kindSpeed } from "./kind-speed.mjs";
import { kindTables } from "./kinds.mjs";
import { labelmeTable } from "./labelme.mjs";
import { learnerTables } from "./learners.mjs";
import { learningTables } from "./learning.mjs";
import { printedTable } from "./printed.mjs";
import { speedTables } from "./speed.mjs";
import { trustTables } from "./trust.mjs";

const quick = process.argv.includes("--quick");
const only = process.argv[process.argv.indexOf("--only") + 1];
const wanted = (part) => !process.argv.includes("--only") || only === part;
const path = join(import.meta.dirname, "RESULTS.md");

const makers = {
  speed: speedTables,
  accuracy: accuracyTables,
  auto: autoTables,
  intervals: intervalTables,
  printed: printedTable,
  learning: learningTables,
  labelme: labelmeTable,
  learners: learnerTables,
  device: deviceTables,
  trust: trustTables,
  assign: assignTables,
  forecast: forecastTables,
  kinds: kindTables,
  "kind-speed": kindSpeed,
};
const model = cpus()[0]?.model ?? "unknown";
const parts = [];
for (const [name, make] of Object.entries(makers)) {
  const text = (wanted(name) && (await make({ quick }))) || keep(name);
  parts.push(`<!-- ${name} -->\n${text.trim()}\n<!-- /${name} -->\n`);
}
writeFileSync(
  path,
  `# Benchmark

Made by \`npm run bench\` on ${cpus().length} cores (${model}), Node ${process.version}. Times are CPU seconds
unless they say otherwise; peers ran in the same run on the same files.

${parts.join("\n")}`,
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
