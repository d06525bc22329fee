// Finds the slips of English that readers named: in docs, in messages and help, and in comments.
// It knows patterns, not grammar: what it finds is wrong, what it does not find may still be.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "..");

const unit =
  "task|worker|label|class|iteration|epoch|row|column|file|method|core|pair|triple|sweep|step|second|line|page|batch|set|cell|item|thread|byte|format|section|name|number|chain|fold|start|run|round|turn|pass|coin|seed|judge|thing|vote|answer|chunk|command|call|kind|model|group|draw|value|bin|part|place|point|message|key|character|month|day|minute|hour|product|gradient|fit";
const counted =
  "\\d+|six|eight|ten|accuracy|difficulty|precision|exponential|integral|strength|MB|GB|labels?|tasks?|workers?|rows?|columns?|classes|numbers?|bytes|matrix|matrices|weights?|answers?|epochs?|steps?|draws?|probabilit(?:y|ies)|lines?|files?|skills?|rates?|biase?s?|prior|priors|confusions?|votes?|iterations?|sweeps?|vectors?|values?|streams?|charts?|squares?|pages?|records?|entries|exponentials|cells?|words?|times|one|two|three|four|five|dozen|parameters?|messages?|observations?|seconds|milliseconds|microseconds|nats|bits|threads?|parts?|objects?|tables?|documents?|comparisons?|pairs?|items?|examples?|tests?|functions?|flags?|fields?";

/** What is wrong, and what to write instead. */
const slips = [
  [
    new RegExp(
      `(?<!\\b(?:who|worker|nobody|to|never|not) )\\b(?:${counted}) an? (?:${unit})\\b`,
      "gi",
    ),
    '"per", not "a"',
  ],
  [new RegExp(`O\\([^()]*(?:\\([^()]*\\)[^()]*)*\\) an? (?:${unit})\\b`, "g"), '"per", not "a"'],
  [/where all random numbers/gi, "random seed"],
  [/\bcome(?:s)? by\b/gi, "say how it is found"],
  [/\bto be found out\b/gi, "detected if omitted"],
  [/\bcom(?:e|es|ing) to a stand\b/gi, "converged"],
  [/\bas sure as (?:it is )?right\b/gi, "perfectly calibrated"],
  [/\bmean that there is none\b/gi, "missing"],
  [/\bwithout a word\b/gi, "silently; or: without a result"],
  [/\bsends? the members home\b/gi, "releases the worker threads"],
  [/\bspammer score\b/gi, "informativeness"],
  [
    /(?:help: |\| )["'`]?Most (?:iterations|steps|sweeps|passes|rounds|memory|votes)\b/g,
    "Maximum number of",
  ],
  [/(?<![.,\d-] ?)\b1 (?:tasks|workers|labels|classes|rows)\b/g, "singular"],
  [/\bparts in which labels are hidden\b/gi, "cross-validation folds"],
];

const files = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"],
  ...list("docs", /\.md$/),
  ...list("examples", /\.(?:md|mjs)$/),
  ...list("src", /\.ts$/),
  ...list("test", /\.(?:ts|mjs)$/),
  ...list("bench", /\.(?:md|mjs)$/),
  ...list("scripts", /\.mjs$/).filter((name) => name !== "scripts/check-english.mjs"),
];
let found = 0;
for (const name of files) {
  const lines = read(name).split("\n");
  lines.forEach((line, at) => {
    for (const [pattern, instead] of slips) {
      for (const { 0: text, index } of withNext(lines, at).matchAll(pattern)) {
        if (index >= line.length) continue;
        found++;
        console.error(`${name}:${at + 1}: "${text.trim()}" (${instead})`);
      }
    }
  });
}
console.log(`english: ${files.length} files, ${found} slips`);
process.exitCode = found > 0 ? 1 : 0;

function read(name) {
  try {
    return readFileSync(join(root, name), "utf8");
  } catch {
    return "";
  }
}

function list(folder, pattern) {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => pattern.test(name) && !name.includes("node_modules"))
    .map((name) => relative(root, join(root, folder, name)));
}

/** Returns a line with the first words of the next one, since a phrase may go on there. */
function withNext(lines, at) {
  const next = (lines[at + 1] ?? "").replace(/^\s*(?:\*\/?|\/\/|-|\|)?\s*/, "");
  return `${lines[at]} ${next.split(" ", 3).join(" ")}`;
}
