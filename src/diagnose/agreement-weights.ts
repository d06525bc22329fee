/** How far two classes agree, by how far apart they stand in the order of the classes. */
import { CrowdError } from "../error.ts";

/**
 * identity: only a class with itself. linear and quadratic: 1 − (distance / (K − 1)) or its square;
 * ordinal: 1 − C(distance + 1, 2) / C(K, 2), by the number of pairs of classes in between.
 */
export type AgreementWeights = "identity" | "linear" | "quadratic" | "ordinal";

export interface AgreementFunction {
  (k: number, l: number): number;
  /** True for the identity, which makes sums short. */
  readonly diagonal: boolean;
}

export function agreementWeights(weights: AgreementWeights, K: number): AgreementFunction {
  return Object.assign(weightFunction(weights, K), { diagonal: weights === "identity" });
}

function weightFunction(weights: AgreementWeights, K: number): (k: number, l: number) => number {
  const span = Math.max(1, K - 1);
  switch (weights) {
    case "identity":
      return (k, l) => (k === l ? 1 : 0);
    case "linear":
      return (k, l) => 1 - Math.abs(k - l) / span;
    case "quadratic":
      return (k, l) => 1 - ((k - l) / span) ** 2;
    case "ordinal":
      return (k, l) => {
        const distance = Math.abs(k - l);
        return 1 - (distance * (distance + 1)) / Math.max(1, K * (K - 1));
      };
    default:
      throw new CrowdError(
        "bad-option",
        `agreement: weights must be one of identity, linear, quadratic, ordinal, not ${String(weights)}.`,
      );
  }
}
