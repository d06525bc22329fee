// Writes the API reference as Markdown: one page per export of every page that package.json exports.
// It reads the built declarations, which is what an editor shows: they have the help of every option.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { Application, Comment, Converter, ReflectionKind } from "typedoc";
import { load } from "typedoc-plugin-markdown";
import ts from "typescript";

const root = join(import.meta.dirname, "../..");
const { name, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** The pages of the package that have declarations: what is imported, and the file behind it. */
const pages = Object.entries(exports).flatMap(([path, { types }]) =>
  types ? [{ module: join(name, path).replaceAll("\\", "/"), file: resolve(root, types) }] : [],
);

/** Writes the reference into a folder. Throws if an export has no comment or a link leads nowhere. */
export async function writeReference(folder, work) {
  const tsconfig = join(work, "tsconfig.json");
  writeFileSync(tsconfig, JSON.stringify(settings(tsconfig)));
  const app = await Application.bootstrapWithPlugins({
    entryPoints: pages.map(({ file }) => file),
    tsconfig,
    plugin: [load],
    logLevel: "Warn",
    name: "API",
    readme: "none",
    disableSources: true,
    // Exports may mention types that are not exported themselves: their names are shown without a link.
    validation: { notExported: false, invalidLink: true, notDocumented: false },
    outputs: [{ name: "markdown", path: folder }],
    entryFileName: "index.md",
    hidePageHeader: true,
    pageTitleTemplates: { index: "API reference", module: "{name}", member: titleOf },
    parametersFormat: "table",
    interfacePropertiesFormat: "table",
    classPropertiesFormat: "table",
    typeAliasPropertiesFormat: "table",
    typeDeclarationFormat: "table",
    indexFormat: "table",
    tableColumnSettings: { hideModifiers: true },
    sanitizeComments: true,
  });
  app.converter.on(Converter.EVENT_CREATE_SIGNATURE, keepDeclaredTypes(app));
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, keepTypeArguments(app));
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => nameModules(project));
  const project = await app.convert();
  if (!project) throw new Error("The API reference cannot be made; run npm run build first.");
  app.validate(project);
  const bare = undocumented(project).map((path) => `${path} has no doc comment.`);
  if (bare.length > 0) throw new Error(bare.join("\n"));
  if (app.logger.hasErrors() || app.logger.hasWarnings()) {
    throw new Error("The API reference is not complete; the lines above say what is missing.");
  }
  await app.generateOutputs(project);
}

/** Returns the compiler's settings for the declarations alone. */
function settings(tsconfig) {
  return {
    compilerOptions: {
      target: "es2023",
      lib: ["es2023"],
      types: [],
      module: "nodenext",
      strict: true,
      noEmit: true,
    },
    files: pages.map(({ file }) => relative(dirname(tsconfig), file)),
  };
}

/** Titles the page of an export by its name, without type parameters. */
function titleOf({ rawName }) {
  return rawName.replace(/<.*/, "");
}

/** Calls every module what a program imports, and gives it the first comment of its file. */
function nameModules(project) {
  for (const each of project.getReflectionsByKind(ReflectionKind.Module)) {
    const page = pages.find(({ file }) => entryOf(file) === each.name);
    if (!page) throw new Error(`package.json exports no page for the module ${each.name}.`);
    each.name = page.module;
    each.comment ??= new Comment([{ kind: "text", text: introduction(page.file) }]);
  }
}

/** Returns the name that TypeDoc gives to the module of a built file. */
function entryOf(file) {
  return relative(join(root, "dist"), file)
    .replaceAll("\\", "/")
    .replace(/(?<=.)\/index\.d\.ts$|\.d\.ts$/, "");
}

/** Returns the text of the comment at the top of a file, without the name of the page, which is the title. */
function introduction(file) {
  const [, text = ""] = /^\/\*\*(.*?)\*\//s.exec(readFileSync(file, "utf8")) ?? [];
  const plain = text.replace(/^\s*\*? ?/gm, "").trim();
  const [first, ...rest] = plain.replace(/^`[^`]+`: /, "");
  return first ? [first.toUpperCase(), ...rest].join("") : "";
}

/** Lists the exports without a comment, those of namespaces among them. */
function undocumented(project) {
  const kinds = ReflectionKind.Module | ReflectionKind.Namespace;
  return project
    .getReflectionsByKind(kinds)
    .flatMap(({ children = [] }) => children)
    .filter((each) => !each.isReference() && !isDocumented(each))
    .map((each) => each.getFullName());
}

/** The comments of a function are those of its signatures. */
function isDocumented(reflection) {
  const { signatures = [] } = reflection;
  return (
    reflection.hasComment() || (signatures.length > 0 && signatures.every((s) => s.hasComment()))
  );
}

/**
 * Shows the types of parameters and results as they are declared. Otherwise the name of a type that
 * stands for `typeof table` is lost, and the whole table is written out instead.
 */
function keepDeclaredTypes(app) {
  return (context, signature, declaration) => {
    if (!declaration) return;
    for (const [i, parameter] of (signature.parameters ?? []).entries()) {
      const declared = declaration.parameters?.[i]?.type;
      if (declared) parameter.type = app.converter.convertType(context, declared);
    }
    if (declaration.type) signature.type = app.converter.convertType(context, declaration.type);
  };
}

/** Shows the type of constants with its arguments, which TypeDoc leaves out of `import("…").Type<…>`. */
function keepTypeArguments(app) {
  return (context, reflection) => {
    if (reflection.kind !== ReflectionKind.Variable) return;
    const [declaration] = context.getSymbolFromReflection(reflection)?.declarations ?? [];
    if (declaration?.type?.kind !== ts.SyntaxKind.ImportType) return;
    const type = context.checker.getTypeAtLocation(declaration);
    reflection.type = app.converter.convertType(context, type);
  };
}
