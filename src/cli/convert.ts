/** Between formats of label files. */
import { extname } from "node:path";
import { gzipSync } from "node:zlib";
import { CrowdError } from "../error.ts";
import type { Format, Written } from "../io/format.ts";
import {
  formatForName,
  formatNamed,
  formats,
  writableFormats,
  writableNamed,
} from "../io/index.ts";
import { amendFile, readAnswers } from "../node/files.ts";
import { writeFile } from "../node/output.ts";
import type { Command, Given, World } from "./command.ts";
import { columnMap, commonFlags, count, dataFlags, readLabels } from "./data-flags.ts";
import { checkFile } from "./output.ts";

export const convert: Command = {
  id: "convert",
  usage: "IN… OUT [options]",
  example: "consilience convert labels.csv labels.parquet",
  flags: () => {
    const { gold: _, "gold-columns": __, ...reading } = dataFlags;
    return {
      to: {
        type: "text",
        value: writableFormats.map(({ id }) => id).join("|"),
        help: "The format to write, where the ending of OUT does not say.",
      },
      answers: {
        type: "switch",
        help: "IN holds one answer per task, such as truth.csv, to be given back to a tool.",
      },
      into: {
        type: "text",
        value: "EXPORT",
        help: "With --answers: add them to this export of a tool, all else as it is.",
      },
      force: { type: "switch", help: "Replace OUT if it exists." },
      quiet: commonFlags["quiet"],
      help: commonFlags["help"],
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
    if (out !== "-") await checkFile(out, given, given.inputs(files));
    const to = given.text("to");
    const packed = extname(out).toLowerCase() === ".gz";
    if (given.named.has("into") && !given.on("answers")) {
      throw new CrowdError("usage", "--into goes with --answers: the answers to add.");
    }
    if (given.on("answers")) return giveBack(files, out, { to, packed }, given, world);
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
    await put(written, out, packed, format, world);
    if (out !== "-") say(`Wrote ${count(data.label.length, "label")} to ${out} (${format.title}).`);
  },
};

/** Answers in the form in which a tool takes them. */
async function giveBack(
  files: readonly string[],
  out: string,
  { to, packed }: { readonly to: string | undefined; readonly packed: boolean },
  given: Given,
  world: World,
): Promise<void> {
  if (files.length > 1) {
    throw new CrowdError(
      "usage",
      "--answers takes one file to read. To add them to the export of a tool, say --into EXPORT.",
    );
  }
  const into = given.text("into");
  if (into !== undefined) return addTo(into, files[0], out, { to, packed }, given, world);
  const format = to ? formatNamed(to) : formatForName(packed ? out.slice(0, -3) : out);
  if (!format.writeAnswers) {
    const known = formats.filter(({ writeAnswers }) => writeAnswers).map(({ id }) => id);
    throw new CrowdError(
      "bad-option",
      `${format.title} takes no answers back. Try --to ${known.join(", --to ")}.`,
    );
  }
  const columns = columnMap(given.text("columns"));
  const answers = await readAnswers(files[0], { columns, signal: world.signal });
  await put(await format.writeAnswers(answers), out, packed, format, world);
  if (out === "-" || given.on("quiet")) return;
  world.say(`Wrote ${count(answers.tasks.length, "answer")} to ${out} (${format.title}).`);
}

/** The export of a tool with the answers in it. The columns are those of the export. */
async function addTo(
  into: string,
  file: string,
  out: string,
  { to, packed }: { readonly to: string | undefined; readonly packed: boolean },
  given: Given,
  world: World,
): Promise<void> {
  const reading = { signal: world.signal, stdin: world.stdin };
  const answers = await readAnswers(file, reading);
  const columns = columnMap(given.text("columns"));
  const { format, written, notes } = await amendFile(into, answers, {
    ...reading,
    columns,
    format: given.text("format") ?? to,
  });
  await put(written, out, packed, format, world);
  if (given.on("quiet")) return;
  for (const note of notes) world.say(`note: ${note}`);
  if (out !== "-") world.say(`Wrote ${into} with answers to ${out} (${format.title}).`);
}

async function put(
  written: Written,
  out: string,
  packed: boolean,
  { title }: Format,
  world: World,
): Promise<void> {
  if (out !== "-") {
    const { signal, temporary } = world;
    const content = packed ? gzip(written) : written;
    await writeFile(out, content, { signal, onTemporary: temporary });
    return;
  }
  for (const piece of written) {
    if (typeof piece !== "string")
      throw new CrowdError("usage", `${title} is not text; name a file.`);
    await world.print(piece);
  }
}

function gzip(pieces: Iterable<string | Uint8Array>): Uint8Array {
  return gzipSync(Buffer.concat(Array.from(pieces, (piece) => Buffer.from(piece as string))));
}
