/** Features out of an array of numbers, whose first axis is the task. */
import { type Features, fromMatrix, rowSize } from "../data/features.ts";
import { CrowdError, grouped, hint, plural } from "../error.ts";
import type { NpyData } from "./npy.ts";
import { excerpt } from "./problems.ts";

export interface ArrayOptions {
  /** The task of each row, for files that do not name them. */
  readonly tasks?: readonly string[] | undefined;
  /** Where the tasks are from, for messages. */
  readonly tasksName?: string | undefined;
  /** Of images: channels before or after height and width, where the shape does not tell. */
  readonly layout?: "nchw" | "nhwc" | undefined;
}

/** Features from a file, and what is worth knowing about them. */
export interface ReadFeatures extends Features {
  readonly notes: readonly string[];
}

/** How the numbers of an array become rows of features. */
export interface RowLayout {
  readonly rows: number;
  /** Of one row. */
  readonly shape: readonly number[];
  /** Where in the row of the file each number stands; absent where it is in order. */
  readonly order?: Int32Array;
  /** The first number of a row is at row * rowStep, the others `step` apart. */
  readonly rowStep: number;
  readonly step: number;
  /** 1/255 for images of bytes, else 1. */
  readonly scale: number;
}

/** Numbers as features hold them: bytes and floats as they are, the rest as 32-bit floats. */
export function toMatrix(data: NpyData): Float32Array | Float64Array | Uint8Array {
  if (data instanceof Float32Array || data instanceof Float64Array) return data;
  if (data instanceof Uint8Array) return data;
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
    return Float32Array.from(data as ArrayLike<bigint>, Number);
  }
  return new Float32Array(data);
}

/** Vectors are N × d, images N × height × width, or with channels before or behind those two. */
export function layoutOf(
  { shape, dtype, fortran }: { shape: readonly number[]; dtype: string; fortran?: boolean },
  { layout }: ArrayOptions,
  file: string,
): RowLayout {
  const [rows, ...inner] = shape;
  const bad = (what: string) =>
    new CrowdError("bad-data", `${file}: the shape is (${shape.join(", ")}); ${what}`);
  if (inner.length < 1 || inner.length > 3) {
    throw bad(
      "features have a row per task, so N × d for vectors, N × height × width or N × channels × " +
        "height × width for images. One number per task is N × 1: x.reshape(-1, 1).",
    );
  }
  if (shape.includes(0)) throw bad("there is nothing in it.");
  const last = inner.length === 3 && channelsLast(inner, layout, bad);
  const [a, b, c] = inner;
  const of = inner.length === 1 ? [a] : inner.length === 2 ? [1, a, b] : last ? [c, a, b] : inner;
  const size = rowSize({ shape: of });
  const order = last || fortran ? orderOf(inner, last, fortran === true) : undefined;
  return {
    rows,
    shape: of,
    scale: of.length === 3 && dtype.endsWith("u1") ? 1 / 255 : 1,
    ...(fortran ? { rowStep: 1, step: rows } : { rowStep: size, step: 1 }),
    ...(order && { order }),
  };
}

function channelsLast(
  [first, , third]: readonly number[],
  layout: ArrayOptions["layout"],
  bad: (what: string) => CrowdError,
): boolean {
  if (layout === "nchw" || layout === "nhwc") return layout === "nhwc";
  if (layout !== undefined) {
    throw new CrowdError("bad-option", `layout must be nchw or nhwc, not ${excerpt(layout)}.`);
  }
  const isFirst = first === 1 || first === 3;
  const isLast = third === 1 || third === 3;
  if (isFirst !== isLast) return isLast;
  throw bad(
    `${isFirst ? "both the second and the last axis" : "neither the second nor the last axis"} could ` +
      "be the channels, which are 1 or 3. Say which: " +
      `${hint("layout", "nchw")} (channels before height and width) or ${hint("layout", "nhwc")} (behind them).`,
  );
}

/** The place in the file of each number of a row, for [channels, height, width]. */
function orderOf(inner: readonly number[], last: boolean, fortran: boolean): Int32Array {
  const [a, b = 1, c = 1] = inner;
  /** The place in the row of what the file calls [i, j, k]. */
  const place = (i: number, j: number, k: number) =>
    fortran ? i + a * (j + b * k) : (i * b + j) * c + k;
  const order = new Int32Array(a * b * c);
  let at = 0;
  if (last) {
    for (let k = 0; k < c; k++)
      for (let i = 0; i < a; i++) for (let j = 0; j < b; j++) order[at++] = place(i, j, k);
  } else {
    for (let i = 0; i < a; i++)
      for (let j = 0; j < b; j++) for (let k = 0; k < c; k++) order[at++] = place(i, j, k);
  }
  return order;
}

/** Copies one row of the array to where its features go. */
export function copyRow(
  from: ArrayLike<number>,
  row: number,
  { order, rowStep, step }: Pick<RowLayout, "order" | "rowStep" | "step">,
  into: Float32Array | Float64Array | Uint8Array,
  at: number,
  size: number,
): void {
  const start = row * rowStep;
  if (order) for (let j = 0; j < size; j++) into[at + j] = from[start + order[j] * step];
  else for (let j = 0; j < size; j++) into[at + j] = from[start + j * step];
}

/** Features of an array in memory. */
export function featuresFromArray(
  array: { shape: readonly number[]; dtype: string; fortran?: boolean; data: NpyData },
  options: ArrayOptions,
  file: string,
): ReadFeatures {
  const layout = layoutOf(array, options, file);
  const tasks = checkTasks(layout.rows, options, file);
  const given = toMatrix(array.data);
  const size = rowSize(layout);
  let matrix = given;
  if (layout.order) {
    matrix = new (given.constructor as Float32ArrayConstructor)(given.length);
    for (let row = 0; row < layout.rows; row++) {
      copyRow(given, row, layout, matrix, row * size, size);
    }
  }
  const features = fromMatrix(tasks, layout.shape, matrix, layout.scale);
  checkFinite(features, array.dtype, file);
  return { ...features, notes: layoutNotes(layout, file) };
}

/** What a user would want to hear of how the array was understood. */
export function layoutNotes({ shape, scale, order }: RowLayout, file: string): string[] {
  if (shape.length !== 3) return [];
  const [channels, height, width] = shape;
  const behind = order && channels > 1 ? ", channels last in the file" : "";
  const scaled = scale === 1 ? "" : "; their 0 to 255 are scaled to 0 to 1";
  return [
    `${file}: images of ${plural(channels, "channel")}, ${height} × ${width}${behind}${scaled}.`,
  ];
}

/** The names of the rows, one each, none twice. */
export function checkTasks(
  rows: number,
  { tasks, tasksName = "the list of tasks" }: ArrayOptions,
  file: string,
): readonly string[] {
  if (!tasks) {
    throw new CrowdError(
      "bad-data",
      `${file}: its rows have no names. Say which task each row is, in a file with the header task ` +
        "and a line for each row (the gold file of a test set will do): tasks.csv beside it, or " +
        `${hint("tasks")}.`,
    );
  }
  if (tasks.length !== rows) {
    throw new CrowdError(
      "bad-data",
      `${file} has ${plural(rows, "row")}, but ${tasksName} names ${plural(tasks.length, "task")}. ` +
        `Give the file that names the rows in their order: ${hint("tasks")}.`,
    );
  }
  refuseRepeats(tasks, tasksName);
  return tasks;
}

/** An error that names the first ten tasks that have more than one row. */
export function refuseRepeats(tasks: readonly string[], file: string): void {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const task of tasks) {
    if (seen.has(task)) twice.add(task);
    else seen.add(task);
  }
  if (twice.size === 0) return;
  throw new CrowdError(
    "bad-data",
    `${file}: ${plural(twice.size, "task")} named more than once: ${firstTen([...twice].map(excerpt))}. ` +
      "Each task has one row of features.",
  );
}

/** The first ten of a list, and how many more. */
export function firstTen(list: readonly string[], count = list.length): string {
  const more = count > 10 ? ` and ${grouped(count - 10)} more` : "";
  return list.slice(0, 10).join(", ") + more;
}

/** Numbers looked at together. */
const CHUNK = 2 ** 16;

/** Refuses NaN, infinity, and what is too large for 32 bits; reads every row once. */
export function checkFinite(features: Features, dtype: string, file: string): void {
  if (!/f[248]$/.test(dtype)) return;
  const size = rowSize(features);
  const rows = features.tasks.length;
  const step = Math.max(1, Math.floor(CHUNK / size));
  const numbers = new Float32Array(step * size);
  const found: string[] = [];
  let count = 0;
  for (let start = 0; start < rows; start += step) {
    const length = Math.min(step, rows - start);
    features.read(
      Array.from({ length }, (_, i) => start + i),
      numbers,
    );
    // Nothing times NaN or infinity is NaN: one look for all.
    let sum = 0;
    for (let i = 0; i < length * size; i++) sum += numbers[i] * 0;
    if (sum === 0) continue;
    for (let i = 0; i < length * size; i++) {
      if (Number.isFinite(numbers[i]) || count++ >= 10) continue;
      const row = start + Math.floor(i / size);
      found.push(`task ${excerpt(features.tasks.at(row))} (row ${row}, column ${i % size})`);
    }
  }
  if (count === 0) return;
  throw new CrowdError(
    "bad-data",
    `${file}: ${plural(count, "number")} ${count === 1 ? "is" : "are"} NaN, infinite, or too large for 32 ` +
      `bits: ${firstTen(found, count)}. Rows and columns are counted from 0. Fill them in, or leave ` +
      "those rows out.",
  );
}
