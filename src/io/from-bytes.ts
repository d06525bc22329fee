/** Files that are already in memory, such as those dropped on a page. */
import type { CrowdDataset } from "../data/dataset.ts";
import { CrowdError } from "../error.ts";
import { HEAD_BYTES } from "./format.ts";
import { formatOf } from "./index.ts";
import { createDatasetReader, type DatasetReaderOptions } from "./read.ts";

export interface NamedBytes {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface BytesOptions extends DatasetReaderOptions {
  /** Id of the format; default: found out from each file. */
  readonly format?: string | undefined;
}

/** The labels of one or more files of any format, packed with gzip or not, as one dataset. */
export async function fromBytes(
  files: readonly NamedBytes[],
  options: BytesOptions = {},
): Promise<CrowdDataset> {
  const reader = createDatasetReader(options);
  for (const { name, bytes: given } of files) {
    const bytes = given[0] === 0x1f && given[1] === 0x8b ? await gunzip(given, name) : given;
    const format = formatOf(bytes.subarray(0, HEAD_BYTES), name, options.format);
    const file = reader.open(name, format);
    for (let at = 0; at < bytes.length; at += HEAD_BYTES) {
      file.push(bytes.subarray(at, at + HEAD_BYTES));
    }
    await file.finish();
  }
  return reader.finish();
}

/** What a gzip file holds; `name` is for messages. */
export async function gunzip(bytes: Uint8Array, name: string): Promise<Uint8Array> {
  const packed = new Blob([bytes.slice()]).stream().pipeThrough(new DecompressionStream("gzip"));
  try {
    return new Uint8Array(await new Response(packed).arrayBuffer());
  } catch (cause) {
    throw new CrowdError(
      "bad-data",
      `${name}: the gzip file is cut off or damaged. Copy or download it again.`,
      { cause },
    );
  }
}
