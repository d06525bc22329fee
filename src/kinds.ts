/**
 * The kinds of answers, in the order in which their files are recognised; the first is what nothing
 * else fits. A new kind is new files and one line here.
 */
import type { CrowdResult } from "./aggregate/result.ts";
import type { CategoricalData } from "./data/categorical.ts";
import type { CrowdData } from "./data/crowd-data.ts";
import type { MultiLabelData } from "./data/multi-label.ts";
import type { NumericData } from "./data/numeric.ts";
import type { OrdinalData } from "./data/ordinal.ts";
import type { PairwiseData } from "./data/pairwise.ts";
import type { SequenceData } from "./data/sequence.ts";
import type { SimilarityData } from "./data/similarity.ts";
import { CrowdError } from "./error.ts";
import type { Reading } from "./io/sink.ts";
import { categorical } from "./kinds/categorical.ts";
import type { Kind } from "./kinds/kind.ts";
import { multiLabel } from "./kinds/multi-label.ts";
import { numeric } from "./kinds/numeric.ts";
import { ordinal } from "./kinds/ordinal.ts";
import { pairwise } from "./kinds/pairwise.ts";
import { sequence } from "./kinds/sequence.ts";
import { similarity } from "./kinds/similarity.ts";

/** The data of each kind by its id. */
export interface DataByKind {
  readonly categorical: CategoricalData;
  readonly ordinal: OrdinalData;
  readonly numeric: NumericData;
  readonly pairwise: PairwiseData;
  readonly sequence: SequenceData;
  readonly "multi-label": MultiLabelData;
  readonly similarity: SimilarityData;
}

/** Data of any kind; its `kind` says which. */
export type AnyData = DataByKind[keyof DataByKind];

export const kinds: readonly Kind[] = [
  categorical,
  ordinal,
  numeric,
  pairwise,
  sequence,
  multiLabel,
  similarity,
];

/** Returns a kind by its id. */
export function kindNamed(id: string): Kind {
  const found = kinds.find((kind) => kind.id === id);
  if (found) return found;
  const known = kinds.map((kind) => kind.id).join(", ");
  throw new CrowdError("bad-option", `There is no kind of answers "${id}". There are: ${known}.`);
}

/** Returns how a kind is read; `auto` is all of them, to be told apart by the columns. */
export function readingsOf(id: string): readonly Reading[] {
  return id === "auto" ? kinds.map(({ reading }) => reading) : [kindNamed(id).reading];
}

/** True if a file with these columns is taken for answers of a kind without being told so. */
export function isRecognised(id: string, header: readonly string[]): boolean {
  const found = kinds.find(({ reading }) => reading.recognise(header) !== undefined) ?? kinds[0];
  return found.id === id || (found.id !== kinds[0].id && found.reading.undecided !== undefined);
}

/** Returns the kind of data or of a result. */
export function kindOf({ kind }: Pick<CrowdData | CrowdResult, "kind">): Kind {
  return kindNamed(kind);
}
