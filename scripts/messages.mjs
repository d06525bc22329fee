// Writes every message, note and help text into one page, to be read from top to bottom:
//   node scripts/messages.mjs > messages.md
// Templates are shown as they stand in the code, with … for what is filled in.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const root = join(import.meta.dirname, "..");
const src = join(root, "src");
const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((name) => /(?<!\.test)\.ts$/.test(name) && !name.startsWith("kernels/assembly"))
  .sort();

/** What makes a text a message: where it stands in the tree. */
const groups = new Map([
  ["Errors", errors],
  ["Notes", notes],
  ["Help of options and flags", helps],
  ["Titles, summaries and costs", titles],
  ["What the command says", sayings],
  ["Text of reports", paragraphs],
]);

const trees = files.map((name) => {
  const text = readFileSync(join(src, name), "utf8");
  return { name, tree: ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true) };
});
for (const [title, find] of groups) {
  console.log(`\n# ${title}`);
  for (const { name, tree } of trees) {
    const found = [...new Set(walk(tree).flatMap((node) => find(node, name)))];
    if (found.length === 0) continue;
    console.log(`\n## ${name}\n`);
    for (const text of found) console.log(`- ${text}`);
  }
}

function walk(node) {
  const all = [];
  const visit = (each) => {
    all.push(each);
    ts.forEachChild(each, visit);
  };
  visit(node);
  return all;
}

function errors(node) {
  if (!ts.isNewExpression(node) || node.expression.getText() !== "CrowdError") return [];
  const [, template] = node.arguments ?? [];
  return template ? [textOf(template)] : [];
}

function notes(node) {
  if (
    ts.isCallExpression(node) &&
    /(?:notes\.push|\.note|note\?\.|understood)$/.test(node.expression.getText())
  )
    return node.arguments.map(textOf).filter(isProse);
  if (ts.isPropertyAssignment(node) && node.name.getText() === "notes")
    return walk(node.initializer).filter(isText).map(textOf).filter(isProse);
  return [];
}

function helps(node) {
  if (!ts.isPropertyAssignment(node) || node.name.getText() !== "help") return [];
  return [textOf(node.initializer)];
}

function titles(node) {
  if (!ts.isPropertyAssignment(node)) return [];
  if (!["title", "summary", "cost"].includes(node.name.getText())) return [];
  return isText(node.initializer) ? [textOf(node.initializer)] : [];
}

function sayings(node, name) {
  if (!name.startsWith("cli/") || !ts.isCallExpression(node)) return [];
  return /(?:say|print|show)$/.test(node.expression.getText())
    ? node.arguments.map(textOf).filter(isProse)
    : [];
}

function paragraphs(node, name) {
  if (!name.startsWith("report/") || !isText(node)) return [];
  const text = textOf(node);
  return isProse(text) && /\s\S+\s/.test(text) ? [text] : [];
}

function isText(node) {
  return (
    ts.isStringLiteral(node) ||
    ts.isNoSubstitutionTemplateLiteral(node) ||
    ts.isTemplateExpression(node)
  );
}

/** The text of an expression, with … for what is not text. */
function textOf(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return (
      node.head.text +
      node.templateSpans
        .map(({ expression, literal }) => `${inner(expression)}${literal.text}`)
        .join("")
    );
  if (ts.isBinaryExpression(node)) return textOf(node.left) + textOf(node.right);
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression);
  if (ts.isConditionalExpression(node))
    return `{${textOf(node.whenTrue)} | ${textOf(node.whenFalse)}}`;
  return "…";
}

function inner(node) {
  if (ts.isConditionalExpression(node)) return textOf(node);
  if (ts.isCallExpression(node) && node.expression.getText() === "hint")
    return `‹${node.arguments.map((each) => each.getText().replaceAll('"', "")).join(" ")}›`;
  return "…";
}

function isProse(text) {
  return /[a-z]{3,}\s+[a-z]/i.test(text);
}
