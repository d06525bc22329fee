// Puts the options of methods, learners and scenarios where an editor finds them. Options are data, and
// the compiler writes their table into the declared type of each card; here each option in that table
// gets a doc comment made from the built card, and the table gets a name. Mapped types keep the comments,
// so they show wherever the option can be typed. Lists of cards refer to the cards instead of repeating
// their types.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";

/** Rewrites the declarations below a folder of built modules. */
export async function documentOptions(folder) {
  const pages = await pagesOf(folder);
  const homes = new Map(pages.flatMap(({ cards }) => cards));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".d.ts") && !name.startsWith(`cli${sep}`))
    .map((name) => join(folder, name));
  for (const path of files) {
    const text = readFileSync(path, "utf8");
    if (!text.includes("readonly help:")) continue;
    const constants = constantsOf(parse(path, text)).filter(
      ({ type }) => tablesIn(type).length > 0,
    );
    if (constants.length === 0) continue;
    const built = await load(path);
    const edits = constants.flatMap((constant) => {
      const value = built[constant.name];
      if (isCard(value)) return nameTable(constant, value.options);
      if (isTable(value)) return tablesIn(constant.type).flatMap((each) => comments(each, value));
      return referTo(constant, value, homes, path);
    });
    writeFileSync(path, applied(text, edits));
  }
  for (const { path, cards } of pages) {
    const text = readFileSync(path, "utf8");
    writeFileSync(path, applied(text, exportTables(parse(path, text), new Map(cards))));
  }
}

/** Lists the pages of the public API with their cards, each with the page and the name it has there. */
function pagesOf(folder) {
  const files = readdirSync(join(folder, "public")).filter((name) => name.endsWith(".d.ts"));
  return Promise.all(
    files.map(async (file) => {
      const path = join(folder, "public", file);
      const found = Object.entries(await load(path)).filter(([, value]) => isCard(value));
      return { path, cards: found.map(([name, card]) => [card, { path, name }]) };
    }),
  );
}

function load(path) {
  return import(pathToFileURL(path.replace(/\.d\.ts$/, ".js")).href);
}

function parse(path, text) {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

/** Exports the table of each card beside the card, so that others can name its type. */
function exportTables(file, cards) {
  const named = new Map([...cards].map(([{ options }, { name }]) => [name, options]));
  return file.statements
    .filter((statement) => ts.isExportDeclaration(statement) && statement.exportClause?.elements)
    .flatMap(({ exportClause }) => [...exportClause.elements])
    .filter(({ name }) => Object.keys(named.get(name.text) ?? {}).length > 0)
    .map(({ name, end }) => ({ at: end, end, text: `, type ${tableOf(name.text)}` }));
}

/** Returns the name of the type of a card's options. */
function tableOf(name) {
  return `${name[0].toUpperCase()}${name.slice(1)}OptionTable`;
}

/** Lists the constants that a declaration file has, with their types. */
function constantsOf(file) {
  return file.statements
    .filter(ts.isVariableStatement)
    .flatMap((statement) =>
      statement.declarationList.declarations
        .filter(({ type }) => type)
        .map(({ name, type }) => ({ name: name.text, type, statement })),
    );
}

function isCard(value) {
  return typeof value === "function" && isTable(value.options);
}

function isTable(value) {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((option) => typeof option?.help === "string")
  );
}

/** Finds the types of option tables: object types all of whose members have a default and a help. */
function tablesIn(node) {
  if (ts.isTypeLiteralNode(node) && node.members.length > 0 && node.members.every(isOption)) {
    return [node];
  }
  const found = [];
  ts.forEachChild(node, (child) => {
    found.push(...tablesIn(child));
  });
  return found;
}

function isOption(member) {
  if (!member.type || !ts.isTypeLiteralNode(member.type)) return false;
  const names = member.type.members.map(nameOf);
  return names.includes("default") && names.includes("help");
}

function nameOf({ name }) {
  return name?.text;
}

/** Moves the table of a card into a type with a name and comments. */
function nameTable({ name, type, statement }, options) {
  const tables = tablesIn(type);
  const members = new Map();
  for (const member of tables.flatMap((table) => [...table.members])) {
    const known = members.get(nameOf(member));
    if (known && known.type.getText() !== member.type.getText()) {
      throw new Error(`${name}: the option ${nameOf(member)} has two types.`);
    }
    members.set(nameOf(member), known ?? member);
  }
  for (const option of Object.keys(options)) {
    if (!members.has(option)) throw new Error(`${name}: the option ${option} has no type.`);
  }
  const alias = tableOf(name);
  const [whole] = tables.map(({ parent }) => (ts.isIntersectionTypeNode(parent) ? parent : null));
  const [first, last] = whole ? [whole, whole] : [tables[0], tables.at(-1)];
  const lines = [...members.values()].flatMap((member) => [
    commentOn(options[nameOf(member)], "    "),
    `    ${briefly(member)}`,
  ]);
  const table = `/** The options of \`${name}\`, as data. */\nexport type ${alias} = {\n${lines.join("\n")}\n};\n`;
  return [
    { at: first.getStart(), end: last.end, text: alias },
    { at: statement.end, end: statement.end, text: `\n${table.trimEnd()}` },
  ];
}

/** Returns the type of an option without the words of its help, which its comment has. */
function briefly(member) {
  const at = member.getStart();
  const edits = member.type.members
    .filter((each) => nameOf(each) === "help")
    .map(({ type }) => ({ at: type.getStart() - at, end: type.end - at, text: "string" }));
  return applied(member.getText(), edits);
}

/** Writes a comment before each option of a table. */
function comments(table, options) {
  return table.members.map((member) => {
    const at = member.getStart();
    const { character } = ts.getLineAndCharacterOfPosition(member.getSourceFile(), at);
    const indent = " ".repeat(character);
    return {
      at,
      end: at,
      text: `${commentOn(options[nameOf(member)], indent).trimStart()}\n${indent}`,
    };
  });
}

/** Replaces the types of the cards in a list by references to the cards, each with its summary. */
function referTo({ type }, list, homes, path) {
  const members = ts.isTypeLiteralNode(type) ? [...type.members] : [];
  return members.flatMap((member) => {
    const card = list?.[nameOf(member)];
    const home = homes.get(card);
    if (!home) return [];
    const at = member.getStart();
    const page = relative(dirname(path), home.path.replace(/\.d\.ts$/, ".ts")).replaceAll(sep, "/");
    const from = page.startsWith(".") ? page : `./${page}`;
    return [
      { at, end: at, text: `/** ${card.title}. ${card.summary} */\n    ` },
      {
        at: member.type.getStart(),
        end: member.type.end,
        text: `typeof import("${from}").${home.name}`,
      },
    ];
  });
}

/** Says what an option is, its default and its values, as a doc comment. */
function commentOn(option, indent) {
  const { default: usual, help } = option;
  const values = valuesOf(option);
  const lines = [
    help,
    "",
    `Default: ${JSON.stringify(usual)}.${values ? ` Values: ${values}.` : ""}`,
  ];
  return ["/**", ...lines.map((line) => ` * ${line}`.trimEnd()), " */"]
    .map(
      (line, i, all) =>
        indent + (i > 0 && i < all.length - 1 ? line.replaceAll("*/", "*\\/") : line),
    )
    .join("\n");
}

function valuesOf({ default: usual, choices, wants, unit, min, max, integer }) {
  if (choices) return choices.map((choice) => JSON.stringify(choice)).join(", ");
  if (wants) return wants;
  if (typeof usual !== "number") return "";
  const from = min === undefined ? "" : ` from ${min}`;
  const to = max === undefined ? "" : min === undefined ? ` up to ${max}` : ` to ${max}`;
  return `${integer ? "whole numbers" : "numbers"}${from}${to}${unit ? `, in ${unit}` : ""}`;
}

function applied(text, edits) {
  return edits
    .toSorted((a, b) => b.at - a.at)
    .reduce((all, { at, end, text: put }) => all.slice(0, at) + put + all.slice(end), text);
}
