/** What bad workers would do: answers again and again, with part of the workers spoilt. */
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError } from "../error.ts";
import type { KindMethod } from "../kinds/kind.ts";
import { kindOf } from "../kinds.ts";
import { maxOf, minOf } from "../math/lists.ts";
import { createRandom } from "../math/random.ts";
import { mean } from "../math/statistics.ts";
import type { Report } from "../report/model.ts";
import { robustnessReport, type SpoiltPoint } from "../report/robustness-report.ts";
import { run } from "../run.ts";
import { methodNamed, ofKind } from "./choose-method.ts";
import { createClock, type Hooks, walking } from "./hooks.ts";
import { noSuchName } from "./nearest-name.ts";

/** Shares of workers that are spoilt. */
export const SHARES = [0, 0.1, 0.2, 0.3, 0.4, 0.5];

/** How far a score may fall before a method counts as broken. */
const MOST_LOST = 0.05;

/** Which methods to try, under which corruptions. */
export interface RobustnessRequest {
  readonly data: CrowdData;
  /** Ids or presets of methods; default: the kind's default and its baseline. */
  readonly methods?: readonly string[] | undefined;
  /** Ids of corruptions; default: all of the kind. */
  readonly corruptions?: readonly string[] | undefined;
  /** Shares of the workers that are spoilt, from 0 to 1; default: 0 to half in tenths. */
  readonly shares?: readonly number[] | undefined;
  /** Number of draws of who is spoilt; default 3. */
  readonly draws?: number | undefined;
  readonly seed?: number | undefined;
  readonly plugins?: readonly KindMethod[] | undefined;
}

/** How the answers hold while more workers are spoilt. */
export interface Robustness {
  /** True where the score is against gold; else it is the share of answers that stay the same. */
  readonly gold: boolean;
  readonly points: readonly SpoiltPoint[];
  /** The smallest share at which a method lost more than 5 points; absent where none. */
  readonly breakdowns: readonly {
    readonly corruption: string;
    readonly method: string;
    readonly share: number;
  }[];
  report(): Report;
}

/** Spoils part of the answers, fits again, and scores. */
export async function robustnessJob(
  request: RobustnessRequest,
  hooks: Hooks = {},
): Promise<Robustness> {
  const { data, shares = SHARES, draws = 3, seed = 0, plugins = [] } = request;
  const kind = kindOf(data);
  checkShares(shares);
  const all = kind.corruptions ?? [];
  if (all.length === 0) {
    throw new CrowdError(
      "not-supported",
      `robustness is for labels; these are ${kind.id} answers.`,
    );
  }
  const chosen = request.corruptions?.map((id) => corruptionNamed(id, all)) ?? all;
  const names = request.methods ?? [...new Set([kind.defaultMethod, kind.baseline])];
  const methods = names.map((name) => methodNamed(name, kind, ofKind(plugins, kind)));
  const gold = kind.goldCount(data) > 0;
  const clock = createClock(methods.length * chosen.length * shares.length);
  const points: SpoiltPoint[] = [];
  for (const { name, method, options } of methods) {
    const fitted = (answers: CrowdData) => run(answers, method, options, walking(hooks, name));
    const whole = await fitted(data);
    const scoreOf = async (answers: CrowdData) => {
      const result = await fitted(answers);
      return gold ? mean(kind.credits(answers, result)) : kind.alike(whole, result);
    };
    const untouched = gold ? mean(kind.credits(data, whole)) : 1;
    for (const corruption of chosen) {
      for (const share of shares) {
        const words = `${name}: ${corruption.id}, ${Math.round(100 * share)} %`;
        hooks.progress?.({ words, ...clock(points.length) });
        const scores: number[] = [];
        for (let draw = 0; draw < (share === 0 ? 0 : draws); draw++) {
          const random = createRandom(seed).split("robustness").split(corruption.id).split(draw);
          scores.push(await scoreOf(corruption.apply(data, share, random)));
        }
        points.push({
          corruption: corruption.id,
          method: name,
          share,
          ...spread(scores, untouched),
        });
      }
    }
  }
  const breakdowns = breakdownsOf(points);
  const counts = kind.counts(data);
  const report = () => robustnessReport({ counts, gold, points, breakdowns, corruptions: chosen });
  return { gold, points, breakdowns, report };
}

function checkShares(shares: readonly number[]): void {
  const wrong = shares.find((share) => !(share >= 0 && share <= 1));
  if (wrong !== undefined || shares.length === 0) {
    throw new CrowdError("bad-option", `Shares are from 0 to 1, not ${wrong ?? "none"}.`);
  }
}

function corruptionNamed<Each extends { readonly id: string }>(
  id: string,
  all: readonly Each[],
): Each {
  const found = all.find((each) => each.id === id);
  if (found) return found;
  const ids = all.map((each) => each.id);
  throw new CrowdError("bad-option", noSuchName("corruption", id, ids));
}

/** The mean over the draws, and the lowest and highest of them. */
function spread(scores: readonly number[], untouched: number) {
  const all = scores.length === 0 ? [untouched] : scores;
  return {
    score: mean(all),
    low: minOf(all),
    high: maxOf(all),
    lost: untouched - mean(all),
  };
}

/** The first share at which each method lost too much under each corruption. */
function breakdownsOf(points: readonly SpoiltPoint[]): Robustness["breakdowns"] {
  const broken = points
    .filter(({ lost }) => lost > MOST_LOST)
    .toSorted((a, b) => a.share - b.share);
  const first = new Map(
    broken.toReversed().map((point) => [`${point.corruption} ${point.method}`, point]),
  );
  return [...first.values()]
    .toReversed()
    .map(({ corruption, method, share }) => ({ corruption, method, share }));
}
