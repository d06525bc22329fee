/** The shortest number that is the same in 32 bits: 0.1 instead of 0.10000000149011612. */
export function shortFloat(value: unknown): unknown {
  if (typeof value !== "number" || Number.isInteger(value) || !Number.isFinite(value)) return value;
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}
