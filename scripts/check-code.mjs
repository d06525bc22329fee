// Checks the shape of the code: how long functions are, and ways of writing that do not stand here.
// Prints what it found; fails on any function above 100 lines, 15 or more above 60, and any such way.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const LONGEST = 100;
const LONG = 60;
const MANY = 15;

/** Calls that take every item of a list as an argument: a list of data would not fit on the stack. */
const spreadCalls =
  /^(Math\.(max|min|hypot)|String\.from(CharCode|CodePoint)|.*\.(push|unshift))$/s;

const root = join(import.meta.dirname, "../src");
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
  (name) => /(?<!\.test|wasm-bytes)\.ts$/.test(name) && !name.includes("assembly"),
);
const long = [];
const wrong = [];

for (const name of files) {
  const text = readFileSync(join(root, name), "utf8");
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const lineOf = (at) => file.getLineAndCharacterOfPosition(at).line + 1;
  const visit = (node) => {
    const where = `src/${name}:${lineOf(node.getStart())}`;
    if (ts.isFunctionLike(node) && node.body) {
      const lines = lineOf(node.end) - lineOf(node.getStart()) + 1;
      if (lines > LONG) long.push({ where, lines });
    }
    const spread = ts.isSpreadElement(node) || ts.isSpreadAssignment(node);
    if (spread && /^[{[]/.test(node.expression.getText()) && isLiteral(node.expression)) {
      wrong.push(`${where}: a literal is spread; write its parts out.`);
    }
    if (
      ts.isSpreadElement(node) &&
      ts.isCallExpression(node.parent) &&
      !isLiteral(node.expression)
    ) {
      const called = node.parent.expression.getText();
      if (spreadCalls.test(called))
        wrong.push(
          `${where}: ${called.split("\n").at(-1).trim()}(...) is called with a whole list.`,
        );
    }
    if (node.kind === ts.SyntaxKind.AnyKeyword) wrong.push(`${where}: any.`);
    if (ts.isNonNullExpression(node)) wrong.push(`${where}: a non-null assertion.`);
    ts.forEachChild(node, visit);
  };
  visit(file);
}

const tooLong = long.filter(({ lines }) => lines > LONGEST);
for (const { where, lines } of long.sort((a, b) => b.lines - a.lines))
  console.log(`${where}: ${lines} lines`);
for (const each of wrong) console.error(each);
console.log(
  `code: ${files.length} files; ${tooLong.length} functions above ${LONGEST} lines, ${long.length} above ${LONG}; ` +
    `${wrong.length} other finds`,
);
process.exitCode = tooLong.length > 0 || long.length >= MANY || wrong.length > 0 ? 1 : 0;

function isLiteral(node) {
  return ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node);
}
