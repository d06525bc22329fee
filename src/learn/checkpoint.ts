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
}

/** What every checkpoint begins with. */
export const CHECKPOINT_MAGIC = "CONSILIENCE CHECKPOINT 1\n";

/** Packs the state of a training into bytes. */
export function saveCheckpoint({ identity, runs, trainers }: Checkpoint): Uint8Array {
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
  };
  return pack(CHECKPOINT_MAGIC, { fields, arrays });
}

/** Unpacks the state of a training from bytes. */
export function loadCheckpoint(bytes: Uint8Array): Checkpoint {
  const { fields, arrays } = unpack(CHECKPOINT_MAGIC, bytes, WHAT);
  type Stored = { readonly steps: number; readonly arrays: number };
  const take = <Kind extends Packed>(name: string, Kind: new (n: number) => Kind): Kind => {
    const array = arrays.get(name);
    if (!(array instanceof Kind)) throw broken(`its array "${name}" is missing`);
    return array;
  };
  const trainer = (at: string, { steps, arrays: count }: Stored): TrainerState => ({
    steps,
    arrays: Array.from({ length: count }, (_, i) => take(`${at}/${i}`, Float32Array)),
  });
  const kept = (at: string, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, take(`${at}/${name}`, Float64Array)]));
  try {
    const { identity, runs, trainers } = fields as {
      identity: string;
      runs: {
        history: EpochRecord[];
        kept: string[];
        best?: { epoch: number; score: number; trainer: Stored; kept: string[] };
      }[];
      trainers: Stored[];
    };
    return {
      identity: String(identity),
      runs: runs.map((run, r) => ({
        history: run.history,
        kept: kept(`run${r}`, run.kept),
        best: run.best && {
          epoch: run.best.epoch,
          score: run.best.score,
          trainer: trainer(`best${r}`, run.best.trainer),
          kept: kept(`bestrun${r}`, run.best.kept),
        },
      })),
      trainers: trainers.map((stored, i) => trainer(`trainer${i}`, stored)),
    };
  } catch (error) {
    if (error instanceof CrowdError) throw error;
    throw broken("its head is damaged", error);
  }
}

const WHAT = "This checkpoint";

function broken(why: string, cause?: unknown): CrowdError {
  return new CrowdError("bad-data", `${WHAT} cannot be read: ${why}.`, { cause });
}
