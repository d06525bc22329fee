/** The built library as one file, as an application's bundler would make it, and a page to load it in. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build, type Rollup } from "vite";

const root = join(import.meta.dirname, "..");

/** The built files of what the package exports, but for Node. */
export function pages(): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, { readonly default?: string }>>;
  };
  return Object.entries(exports).flatMap(([page, { default: file }]) =>
    file && page !== "./node" ? [join(root, file)] : [],
  );
}

/** All pages as one module. */
const everyPage = {
  name: "every-page",
  resolveId: (id: string) => (id.endsWith("every-page") ? "every-page" : undefined),
  load(id: string) {
    if (id !== "every-page") return undefined;
    return pages()
      .map((file) => `export * from ${JSON.stringify(file)};`)
      .join("\n");
  },
};

/** The bundle, and what went into it: paths of modules, and names of what it still asks for. */
export interface Bundle {
  readonly code: string;
  readonly modules: readonly string[];
  readonly imports: readonly string[];
}

export async function bundle(): Promise<Bundle> {
  const result = (await build({
    root,
    logLevel: "silent",
    configFile: false,
    plugins: [everyPage],
    build: {
      write: false,
      minify: false,
      lib: { entry: "every-page", formats: ["es"], fileName: "consilience" },
      rollupOptions: { output: { codeSplitting: false } } as object,
    },
  })) as Rollup.RollupOutput[];
  const [{ code, moduleIds, imports, dynamicImports }] = result[0].output;
  return { code, modules: moduleIds, imports: [...imports, ...dynamicImports] };
}

/** Serves the bundle, ONNX Runtime's files and an empty page from this machine, with the given policy. */
export async function serve(code: string, policy: string): Promise<{ url: string; close(): void }> {
  const types = { js: "text/javascript", mjs: "text/javascript", wasm: "application/wasm" };
  const server = createServer((request, response) => {
    const [, name, type] = /^\/(.*\.(js|mjs|wasm))$/.exec(request.url ?? "") ?? [];
    response.setHeader("content-type", types[type as keyof typeof types] ?? "text/html");
    response.setHeader("content-security-policy", policy);
    if (name === "consilience.js") response.end(code);
    else if (name === "walk.mjs") response.end(readFileSync(join(root, "test/walk.mjs")));
    else if (name)
      response.end(readFileSync(join(root, "node_modules/onnxruntime-web/dist", name)));
    else response.end("<!doctype html><title>test</title>");
  });
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => server.close(),
  };
}
