/** Identifiability in practice: from where EM fails, moments find the confusions that labels allow. */

import { oracle } from "../aggregate/categorical/bayesian/oracle.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { multiSpa } from "../aggregate/categorical/moments/multi-spa.ts";
import { symNmf } from "../aggregate/categorical/moments/sym-nmf.ts";
import { accuracy } from "../evaluate/accuracy.ts";
import { dirichlet } from "../math/distributions.ts";
import { append } from "../math/lists.ts";
import { createRandom } from "../math/random.ts";
import { simulateCrowd } from "../simulate/crowd.ts";
import type { Drawn } from "../simulate/simulation.ts";
import { type Check, type ComparedRow, checkStop, type Experiment, mean } from "./experiment.ts";
import { knownTruthError, misledCrowd } from "./misled-crowd.ts";

/** Four classes, twenty workers, six per task; everyone right in .5 to .9 of the tasks of a class. */
function friendlyCrowd(seed: number, tasks: number): Drawn {
  const random = createRandom(seed).split("friendly");
  const workers = Array.from({ length: 20 }, () => {
    const block = new Float64Array(16);
    for (let k = 0; k < 4; k++) {
      const right = 0.5 + 0.4 * random.next();
      const rest = dirichlet(random, Float64Array.of(1, 1, 1));
      for (let l = 0, other = 0; l < 4; l++) {
        block[k * 4 + l] = l === k ? right : (1 - right) * rest[other++];
      }
    }
    return { role: "honest", block };
  });
  return simulateCrowd(
    { tasks, testTasks: 0, workers: 20, labelsPerTask: 6, activity: 0, regular: false },
    new Float64Array(4).fill(0.25),
    workers,
    random,
    { of: "friendly", train: tasks, test: 0 },
  );
}

type Start = "multi-spa" | "sym-nmf";

interface Measured {
  /** Mean absolute error of the confusions: counted with known truth, by moments alone, after EM. */
  readonly error: Record<"counting" | "votes, EM" | Start | `${Start}, EM`, number>;
  /** What accuracy is short of the oracle's. */
  readonly short: Record<"votes, EM" | `${Start}, EM`, number>;
}

const crowds = {
  misled: { draw: misledCrowd, options: { anchor: "experts" } },
  friendly: { draw: friendlyCrowd, options: {} },
} as const;

function measure(crowd: keyof typeof crowds, seed: number, tasks: number): Measured {
  const { draw, options } = crowds[crowd];
  const { data, confusion = new Float64Array(), prior } = draw(seed, tasks);
  const right = (posterior: Float64Array) => accuracy({ ...data, posterior }).split;
  const best = right(oracle(data, {}, { confusion, prior }).posterior);
  // Classes as they are called: to find them all under wrong names is to be wrong.
  const error = (found: Float64Array) =>
    mean([...found].map((rate, at) => Math.abs(rate - confusion[at])));
  const votes = dawidSkene(data);
  const [spa, nmf] = [multiSpa(data, options), symNmf(data, options)];
  return {
    error: {
      counting: knownTruthError(data, confusion),
      "votes, EM": error(votes.confusion),
      "multi-spa": error(spa.byMoments),
      "multi-spa, EM": error(spa.confusion),
      "sym-nmf": error(nmf.byMoments),
      "sym-nmf, EM": error(nmf.confusion),
    },
    short: {
      "votes, EM": best - right(votes.posterior),
      "multi-spa, EM": best - right(spa.posterior),
      "sym-nmf, EM": best - right(nmf.posterior),
    },
  };
}

export const identifiability: Experiment = {
  id: "identifiability",
  title: "Moments recover confusions where EM from the votes does not",
  paper:
    "Ibrahim, Fu, Kargas, Huang (2019), NeurIPS; Ibrahim, Fu (2021), ICML: MultiSPA and SymNMF.",
  about:
    "Simulated crowds of known confusions. Misled: nine workers of fifteen take each class for the next, six are experts of a class, so that the majority is wrong. Friendly: twenty workers of four classes, each right in .5 to .9 of the tasks. Errors are means over the cells of all confusions, classes as they are called; counting with known truth is the best that labels allow. On the misled crowd EM from the votes finds the confusions too, but calls every class by the name of the next: which is which, only experts tell (anchor experts).",
  seeds: { full: 10, quick: 1 },
  async run(context) {
    const sizes = context.quick ? [500, 2000] : [500, 2000, 8000, 32_000];
    const rows: ComparedRow[] = [];
    const checks: Check[] = [];
    for (const crowd of ["misled", "friendly"] as const) {
      const bySize: Measured[][] = [];
      for (const tasks of sizes) {
        const runs: Measured[] = [];
        for (let seed = 0; seed < context.seeds; seed++) {
          checkStop(context);
          context.onProgress?.(`${crowd} crowd, ${tasks} tasks, seed ${seed + 1}`);
          runs.push(measure(crowd, seed, tasks));
        }
        bySize.push(runs);
        const setting = `${crowd}, ${tasks} tasks`;
        for (const name of Object.keys(runs[0].error) as (keyof Measured["error"])[]) {
          rows.push({ name: `error of ${name}`, setting, ours: runs.map((r) => r.error[name]) });
        }
        for (const name of Object.keys(runs[0].short) as (keyof Measured["short"])[]) {
          const ours = runs.map((r) => r.short[name]);
          rows.push({ name: `accuracy short of the oracle, ${name}`, setting, ours });
        }
      }
      append(checks, claims(crowd, sizes, bySize));
    }
    return { rows, checks, charts: [], notes: [] };
  },
};

function claims(
  crowd: keyof typeof crowds,
  sizes: readonly number[],
  bySize: readonly Measured[][],
): Check[] {
  const errors = (name: keyof Measured["error"]) =>
    bySize.map((runs) => mean(runs.map(({ error }) => error[name])));
  const short = (name: keyof Measured["short"]) =>
    bySize.map((runs) => mean(runs.map((run) => run.short[name])));
  const digits = (list: readonly number[], n = 4) => list.map((x) => x.toFixed(n)).join(", ");
  const counting = errors("counting");
  const large = sizes.map((tasks) => tasks >= 2000);
  const checks: Check[] = [];
  if (crowd === "misled") {
    const lost = short("votes, EM");
    checks.push({
      claim: "misled: EM from the votes is lost at every size",
      passed: lost.every((x) => x > 0.3),
      measured: `short of the oracle by ${digits(lost)}`,
    });
  }
  for (const start of ["multi-spa", "sym-nmf"] as const) {
    const after = errors(`${start}, EM`);
    const ratios = after.map((error, s) => error / counting[s]);
    const falls = after.slice(1).map((error, s) => error / after[s]);
    const missing = short(`${start}, EM`);
    checks.push(
      {
        claim: `${crowd}: EM from ${start} errs at most 1.25 times as much as counting with known truth`,
        passed: ratios.every((x) => x <= 1.25),
        measured: digits(ratios, 3),
      },
      {
        claim: `${crowd}: its error about halves with four times the tasks (.4 to .6)`,
        passed: falls.every((x) => x >= 0.4 && x <= 0.6),
        measured: digits(falls, 3),
      },
      {
        claim: `${crowd}: EM from ${start} is within .01 of the oracle's accuracy from 2000 tasks up`,
        passed: missing.every((x, s) => !large[s] || x <= 0.01),
        measured: digits(missing),
      },
    );
  }
  const alone = errors("multi-spa");
  checks.push({
    claim: `${crowd}: multi-spa alone errs by at most .10`,
    passed: alone.every((x) => x <= 0.1),
    measured: digits(alone),
  });
  return checks;
}
