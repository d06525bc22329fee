import { expect, it } from "vitest";
import { anchorOpinions } from "./group-em.ts";

it("names opinions by what the members of a group say, and leaves workers alone as they are", () => {
  // Three classes; workers 0 and 1 are a group, whose opinion 0 is what they call 1, 1 what they call 2, 2 what they call 0.
  const K = 3;
  const said = (g: number) => (g + 1) % K;
  const rates = new Float64Array(3 * K * K);
  const groupRates = new Float64Array(K * K);
  for (let w = 0; w < 3; w++) {
    for (let l = 0; l < K; l++) {
      for (let g = 0; g < K; g++) rates[(w * K + l) * K + g] = said(g) === l ? 0.8 : 0.1;
    }
  }
  for (let g = 0; g < K; g++) {
    for (let k = 0; k < K; k++) groupRates[g * K + k] = 10 * g + k;
  }
  const before = { rates: rates.slice(), groupRates: groupRates.slice() };
  const counts = rates.map((rate) => 100 * rate);
  const shape = { workers: 3, classes: K, given: K };
  anchorOpinions(
    { rates, counts, groupRates },
    Int32Array.of(0, 0, 1),
    Int32Array.of(0, -1),
    shape,
  );
  for (let g = 0; g < K; g++) {
    for (let w = 0; w < 2; w++) expect(rates[(w * K + g) * K + g]).toBe(0.8);
    for (let k = 0; k < K; k++) {
      expect(groupRates[said(g) * K + k]).toBe(before.groupRates[g * K + k]);
    }
  }
  expect(rates.subarray(2 * K * K)).toEqual(before.rates.subarray(2 * K * K));
});
