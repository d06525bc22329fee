import { voteShares } from "../belief/votes.ts";
import { hardened } from "./aggregate-first.ts";
import { countLabels, countsToConfusion, infer } from "./evidence.ts";
import type { Session } from "./session.ts";

export const emOptions = {
  start: {
    default: "shares",
    choices: ["shares", "hard"],
    help: "First targets of the network: vote shares, or the majority vote.",
  },
  smoothing: {
    default: 0.1,
    min: 0,
    max: 1,
    help: "Constant added to every confusion rate before taking logarithms.",
  },
  probFloor: {
    default: 1e-3,
    min: 0,
    max: 0.1,
    help: "Lower bound on the classifier's probabilities in the E step.",
  },
} as const;

export interface EmSettings {
  readonly start: "shares" | "hard";
  readonly smoothing: number;
  readonly probFloor: number;
}

/** Starts at the votes. The arrays change in place, for `session.run` to keep. */
export function createCrowdEm(session: Session, { start, smoothing, probFloor }: EmSettings) {
  const { data } = session;
  const K = data.classes.length;
  const shares = voteShares(data);
  const q = start === "hard" ? hardened(session, shares) : shares;
  const confusion = new Float64Array(data.workers.length * K * K);
  const evidence = new Float64Array(confusion.length);
  /** Confusions from q. */
  const maximise = () => {
    countLabels(data, q, confusion);
    countsToConfusion(confusion, K, 0);
    confusion.forEach((share, at) => {
      evidence[at] = Math.log(share + smoothing);
    });
  };
  maximise();
  return {
    state: { q, confusion, evidence },
    maximise,
    /** q from what the network says, f[task * K + class], and the labels; returns the log-likelihood. */
    expect: (f: Float64Array): number => infer(data, f, evidence, q, probFloor),
  };
}
