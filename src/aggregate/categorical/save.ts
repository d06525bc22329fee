/**
 * A fitted result as bytes, and back. Files may come from anywhere, so loading believes nothing:
 * numbers must be what they are said to be, and as many as the names ask for.
 */
import { fromPlain, type Plain, toPlain } from "../../data/plain.ts";
import { CrowdError } from "../../error.ts";
import { type Packed, pack, unpack } from "../../io/container.ts";
import type { Aggregation } from "./aggregator.ts";

const MAGIC = "CONSILIENCE 1\n";

/** Everything in the result, as bytes for `load`. */
export function save(result: Aggregation): Uint8Array {
  const fields: Record<string, unknown> = {};
  const arrays = new Map<string, Packed>();
  for (const [name, value] of Object.entries(toPlain(result))) {
    if (value instanceof Float64Array || value instanceof Int32Array) arrays.set(name, value);
    else if (value !== undefined) fields[name] = value;
  }
  return pack(MAGIC, { fields, arrays });
}

/** The result that `save` wrote. Throws `bad-data` on anything else. */
export function load(bytes: Uint8Array): Aggregation {
  const { fields, arrays } = unpack(MAGIC, bytes, WHAT);
  return checked({ ...fields, ...Object.fromEntries(arrays) });
}

/** Refuses a result whose parts do not fit together. */
function checked(result: Record<string, unknown>): Aggregation {
  const names = (field: string): readonly string[] => {
    const list = result[field];
    if (!Array.isArray(list) || !list.every((name) => typeof name === "string")) {
      throw broken(`"${field}" is no list of names`);
    }
    return list;
  };
  const T = names("tasks").length;
  const W = names("workers").length;
  const K = names("classes").length;
  names("notes");
  const L = result["given"];
  if ((result["kind"] ?? "categorical") !== "categorical")
    throw broken('"kind" is not categorical');
  if (typeof result["method"] !== "string") throw broken('"method" is missing');
  if (L !== K && L !== K + 1) throw broken('"given" does not fit the classes');
  if (typeof result["options"] !== "object" || result["options"] === null)
    throw broken('"options" are missing');
  const need = (name: string, length: number, type: "f64" | "i32", optional = false) => {
    const values = result[name];
    if (values === undefined && optional) return;
    const right = type === "f64" ? values instanceof Float64Array : values instanceof Int32Array;
    if (!right || (values as Packed).length !== length) {
      throw broken(`"${name}" should hold ${length} numbers`);
    }
    if (!(values as Float64Array).every(Number.isFinite))
      throw broken(`"${name}" holds what is no number`);
  };
  need("posterior", T * K, "f64");
  need("prior", K, "f64");
  need("skill", W, "f64");
  need("confusion", W * K * L, "f64", true);
  need("exposure", W * K, "f64", true);
  need("weights", W, "f64", true);
  need("eliminated", W, "i32", true);
  need("informativeness", W, "f64", true);
  need("penalty", W, "f64", true);
  need("groups", W, "i32", true);
  need("consensus", T, "i32");
  need("confidence", T, "f64");
  need("support", T, "i32");
  need("workload", W, "i32");
  const iterations = result["iterations"];
  if (typeof iterations !== "number" || !(iterations >= 0))
    throw broken('"iterations" is no count');
  need("trace", iterations, "f64");
  checkNumbers(result, { T, W, K, L });
  if (typeof result["converged"] !== "boolean") throw broken('"converged" is missing');
  return fromPlain<Aggregation>({
    ...result,
    kind: "categorical",
  } as unknown as Plain<Aggregation>);
}

/** Refuses numbers that no fit gives: other classes, probabilities that do not sum to 1. */
function checkNumbers(
  result: Record<string, unknown>,
  { T, W, K, L }: Readonly<Record<"T" | "W" | "K" | "L", number>>,
): void {
  const within = (name: string, low: number, high: number) => {
    const values = result[name] as Float64Array | Int32Array | undefined;
    const wrong = values?.find((x) => !(x >= low && x <= high));
    if (wrong !== undefined)
      throw broken(`"${name}" holds ${wrong}, which is not between ${low} and ${high}`);
  };
  const shares = (name: string, rows: number, width: number) => {
    const values = result[name] as Float64Array | undefined;
    if (!values) return;
    within(name, 0, 1 + SLACK);
    for (let row = 0; row < rows; row++) {
      const sum = values.subarray(row * width, (row + 1) * width).reduce((a, b) => a + b, 0);
      if (Math.abs(sum - 1) > SLACK)
        throw broken(`row ${row} of "${name}" sums to ${sum}, not to 1`);
    }
  };
  if (K > 0) {
    shares("posterior", T, K);
    shares("prior", 1, K);
    shares("confusion", W * K, L);
  }
  within("consensus", -1, K - 1);
  within("confidence", 0, 1 + SLACK);
  within("support", 0, Infinity);
  within("workload", 0, Infinity);
  within("groups", 0, W - 1);
  within("exposure", 0, Infinity);
  within("eliminated", 0, 1);
  within("informativeness", 0, 1 + SLACK);
  within("penalty", 0, Infinity);
}

/** How far from 1 probabilities may sum up to, for rounding. */
const SLACK = 1e-6;

const WHAT = "This saved result";

const broken = (why: string) => new CrowdError("bad-data", `${WHAT} cannot be read: ${why}.`);
