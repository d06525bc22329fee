/** Between formats of label files. */
import { existsSync } from "node:fs";
import { extname } from "node:path";
import { gzipSync } from "node:zlib";
import { CrowdError } from "../error.ts";
import { formatForName, writableFormats, writableNamed } from "../io/index.ts";
import { writeFile } from "../node/output.ts";
import type { Command } from "./command.ts";
import { commonFlags, count, dataFlags, readLabels } from "./data-flags.ts";

export const convert: Command = {
  id: "convert",
  usage: "IN… OUT [options]",
  example: "consilience convert labels.csv labels.parquet",
  flags: () => {
    const { gold: _, ...reading } = dataFlags;
    return {
      to: {
        ...{ type: "text", value: writableFormats.map(({ id }) => id).join("|") },
        help: "The format to write, where the ending of OUT does not say.",
      },
      force: { type: "switch", help: "Replace OUT if it exists." },
      ...{ quiet: commonFlags["quiet"], help: commonFlags["help"] },
      ...reading,
    };
  },
  async run(given, world) {
    const out = given.files.at(-1);
    const files = given.files.slice(0, -1);
    if (out === undefined || files.length === 0) {
      throw new CrowdError(
        "usage",
        "convert takes a file to read and a file to write. See: consilience convert --help",
      );
    }
    if (out !== "-" && !given.on("force") && existsSync(out)) {
      throw new CrowdError("bad-option", `${out} exists already. Use --force to replace it.`);
    }
    const to = given.text("to");
    const packed = extname(out).toLowerCase() === ".gz";
    const format = to ? writableNamed(to) : formatForName(packed ? out.slice(0, -3) : out);
    // Conversion keeps every row: what to make of repeats is for whoever reads the copy.
    const repeats = given.text("repeats") ?? "all";
    const text = (flag: string) => (flag === "repeats" ? repeats : given.text(flag));
    const data = await readLabels({ ...given, files, text }, world);
    const say = given.on("quiet") ? () => {} : world.say;
    const separator = /\.(tsv|tab)(\.gz)?$/i.test(out) ? "\t" : ",";
    const written = await format.write(data, {
      separator,
      onNote: (note) => say(`note: ${note}`),
    });
    if (out === "-") {
      for (const piece of written) {
        if (typeof piece !== "string")
          throw new CrowdError("usage", `${format.title} is not text; name a file.`);
        await world.print(piece);
      }
      return;
    }
    await writeFile(out, packed ? gzip(written) : written, { signal: world.signal });
    say(`Wrote ${count(data.label.length, "label")} to ${out} (${format.title}).`);
  },
};

function gzip(pieces: Iterable<string | Uint8Array>): Uint8Array {
  return gzipSync(Buffer.concat(Array.from(pieces, (piece) => Buffer.from(piece as string))));
}
