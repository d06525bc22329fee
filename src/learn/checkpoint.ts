/** Where a training stands, as bytes, so that one that was killed goes on to the same bits. */
import { CrowdError } from "../error.ts";
import { type Packed, pack, unpack } from "../io/container.ts";
import type { TrainerState } from "../tensor/train.ts";

/** One epoch as it is remembered. */
export interface EpochRecord {
  readonly epoch: number;
  readonly loss: number;
  /** The score on validation, where there is one. */
  readonly validation?: number;
}

/** One run of epochs: how far it is, what it was, and the best epoch so far. */
export interface RunState {
  readonly history: readonly EpochRecord[];
  /** Arrays of the method that change with the epochs. */
  readonly kept: Readonly<Record<string, Float64Array>>;
  readonly best?:
    | {
        readonly epoch: number;
        readonly score: number;
        readonly trainer: TrainerState;
        readonly kept: Readonly<Record<string, Float64Array>>;
      }
    | undefined;
}

/** The state of a training, from which it can go on. */
export interface Checkpoint {
  /** What it belongs to: method, options, data. */
  readonly identity: string;
  readonly runs: readonly RunState[];
  readonly trainers: readonly TrainerState[];
  /** Those of the learners that it uses, in the order in which it came to them. */
  readonly parts?: readonly Checkpoint[];
}

/** What every checkpoint begins with. */
export const CHECKPOINT_MAGIC = "CONSILIENCE CHECKPOINT 1\n";

/** Packs the state of a training into bytes. */
export function saveCheckpoint({ identity, runs, trainers, parts = [] }: Checkpoint): Uint8Array {
  const arrays = new Map<string, Packed>();
  const putTrainer = (at: string, { steps, arrays: own }: TrainerState) => {
    own.forEach((array, i) => {
      arrays.set(`${at}/${i}`, array);
    });
    return { steps, arrays: own.length };
  };
  const putKept = (at: string, kept: RunState["kept"]) => {
    for (const [name, array] of Object.entries(kept)) arrays.set(`${at}/${name}`, array);
    return Object.keys(kept);
  };
  const fields = {
    identity,
    runs: runs.map(({ history, kept, best }, r) => ({
      history,
      kept: putKept(`run${r}`, kept),
      ...(best && {
        best: {
          epoch: best.epoch,
          score: best.score,
          trainer: putTrainer(`best${r}`, best.trainer),
          kept: putKept(`bestrun${r}`, best.kept),
        },
      }),
    })),
    trainers: trainers.map((state, i) => putTrainer(`trainer${i}`, state)),
    parts: parts.length,
  };
  parts.forEach((part, i) => {
    // Files of checkpoints are whole multiples of eight bytes.
    arrays.set(`part${i}`, new Int32Array(saveCheckpoint(part).buffer));
  });
  return pack(CHECKPOINT_MAGIC, { fields, arrays });
}

/** Unpacks the state of a training from bytes, which may come from anywhere: every field is checked. */
export function loadCheckpoint(bytes: Uint8Array): Checkpoint {
  const { fields, arrays } = unpack(CHECKPOINT_MAGIC, bytes, WHAT);
  const take = <Kind extends Packed>(name: string, Kind: new (n: number) => Kind): Kind => {
    const array = arrays.get(name);
    if (!(array instanceof Kind)) throw broken(`its array "${name}" is missing`);
    return array;
  };
  const trainer = (at: string, stored: unknown): TrainerState => {
    const { steps, arrays: length } = fieldsOf(stored);
    return {
      steps: countOf(steps),
      arrays: Array.from({ length: countOf(length, arrays.size) }, (_, i) =>
        take(`${at}/${i}`, Float32Array),
      ),
    };
  };
  const kept = (at: string, names: unknown) =>
    Object.fromEntries(
      listOf(names).map((name) => [String(name), take(`${at}/${name}`, Float64Array)]),
    );
  if (typeof fields["identity"] !== "string") throw damaged();
  return {
    identity: fields["identity"],
    runs: listOf(fields["runs"]).map((stored, r) => {
      const { history, kept: names, best: bestStored } = fieldsOf(stored);
      const best = bestStored === undefined ? undefined : fieldsOf(bestStored);
      return {
        history: listOf(history).map(epochOf),
        kept: kept(`run${r}`, names),
        best: best && {
          epoch: countOf(best["epoch"]),
          score: numberOf(best["score"]),
          trainer: trainer(`best${r}`, best["trainer"]),
          kept: kept(`bestrun${r}`, best["kept"]),
        },
      };
    }),
    trainers: listOf(fields["trainers"]).map((stored, i) => trainer(`trainer${i}`, stored)),
    parts: Array.from({ length: countOf(fields["parts"] ?? 0, arrays.size) }, (_, i) => {
      const { buffer, byteOffset, byteLength } = take(`part${i}`, Int32Array);
      return loadCheckpoint(new Uint8Array(buffer, byteOffset, byteLength));
    }),
  };
}

/** Returns one epoch; a loss that was no number is null in JSON. */
function epochOf(stored: unknown): EpochRecord {
  const { epoch, loss, validation } = fieldsOf(stored);
  const number = (value: unknown) => (value === null ? Number.NaN : numberOf(value));
  return {
    epoch: countOf(epoch),
    loss: number(loss),
    ...(validation !== undefined && { validation: number(validation) }),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw damaged();
  return value as Readonly<Record<string, unknown>>;
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw damaged();
  return value;
}

function numberOf(value: unknown): number {
  if (typeof value !== "number") throw damaged();
  return value;
}

function countOf(value: unknown, most = Number.MAX_SAFE_INTEGER): number {
  const count = numberOf(value);
  if (!(Number.isSafeInteger(count) && count >= 0 && count <= most)) throw damaged();
  return count;
}

const damaged = () => broken("its head is damaged");

const WHAT = "This checkpoint";

function broken(why: string): CrowdError {
  return new CrowdError("bad-data", `${WHAT} cannot be read: ${why}.`);
}
