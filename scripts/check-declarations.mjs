// Checks what an editor and a compiler see of the package: the built declarations of every page that
// package.json exports. Every export has a doc comment, nothing refers to another package or to Node,
// and everything compiles without the types of a browser or of Node. Prints sizes.
import { readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";

const root = join(import.meta.dirname, "..");
const { name, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const pages = Object.entries(exports)
  .filter(([, target]) => target.types)
  .map(([path, { types }]) => ({ page: join(name, path), file: resolve(root, types) }));

const program = ts.createProgram(
  pages.map(({ file }) => file),
  {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: [],
    lib: ["lib.es2023.d.ts"],
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
  },
);
const checker = program.getTypeChecker();
const wrong = [];

for (const { page, file } of pages) {
  const source = program.getSourceFile(file);
  const found = exportsOf(checker.getSymbolAtLocation(source), page);
  for (const { path } of found.filter(({ documented }) => !documented)) {
    wrong.push(`${path} has no doc comment.`);
  }
  const members = found.flatMap(({ members }) => members);
  const bare = members.filter((member) => !hasComment(member));
  console.log(
    `${page}: ${found.length} exports, ${bare.length} of ${members.length} members of interfaces without a comment`,
  );
}

const reached = reachable(pages.map(({ file }) => file));
for (const { file, line, module } of reached.foreign) {
  wrong.push(`${relative(root, file)}:${line} refers to ${module}; declare a type of our own.`);
}
for (const { file, start, messageText } of ts.getPreEmitDiagnostics(program)) {
  const where = file ? `${relative(root, file.fileName)}:${lineOf(file, start)}: ` : "";
  wrong.push(`${where}${ts.flattenDiagnosticMessageText(messageText, " ")}`);
}

for (const each of wrong) console.error(each);
const bytes = [...reached.files].reduce((sum, file) => sum + statSync(file).size, 0);
console.log(
  `declarations: ${pages.length} pages, ${reached.files.size} files, ${Math.round(bytes / 1024)} KiB, ${wrong.length} wrong`,
);
process.exitCode = wrong.length > 0 ? 1 : 0;

/** Lists the exports of a module, and those of the namespaces that it exports. */
function exportsOf(module, path) {
  return checker.getExportsOfModule(module).flatMap((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const own = `${path}: ${symbol.name}`;
    if (target.flags & ts.SymbolFlags.ValueModule) {
      const [statement] = symbol.declarations;
      const space = { path: own, documented: hasComment(statement.parent), members: [] };
      return [space, ...exportsOf(target, own)];
    }
    const documented = target.declarations.every(hasComment);
    const members = target.declarations
      .filter(ts.isInterfaceDeclaration)
      .flatMap((each) => each.members.filter(({ name }) => name));
    return [{ path: own, documented, members }];
  });
}

/** True if an editor shows words for this declaration; those of a variable stand before its statement. */
function hasComment(declaration) {
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return ts.getJSDocCommentsAndTags(node).some((each) => ts.isJSDoc(each) && each.comment);
}

/** Follows the imports of files to every file of the package, and lists the imports that lead elsewhere. */
function reachable(entries) {
  const files = new Set();
  const foreign = [];
  const queue = [...entries];
  while (queue.length > 0) {
    const file = queue.pop();
    if (files.has(file)) continue;
    files.add(file);
    const source = program.getSourceFile(file);
    const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(source.text);
    for (const { fileName: module, pos } of [...importedFiles, ...typeReferenceDirectives]) {
      if (module.startsWith(".")) queue.push(declarationOf(resolve(dirname(file), module)));
      else foreign.push({ file, module, line: lineOf(source, pos) });
    }
  }
  return { files, foreign };
}

function declarationOf(path) {
  return path.replace(/\.[jt]s$/, ".d.ts");
}

function lineOf(file, at) {
  return file.getLineAndCharacterOfPosition(at).line + 1;
}
