/**
 * Hammers, who are nearly always right; spammers, who guess; adversaries, who are worse than
 * guessing; and malicious workers, who know the answer and give another.
 */
import { CrowdError } from "../error.ts";
import { categorical } from "../math/distributions.ts";
import { assignmentOptions } from "./assignment.ts";
import { simulateCrowd } from "./crowd.ts";
import { classOption, evenErrors, uniform } from "./draw.ts";
import { scenario } from "./scenario.ts";

/** Hammers, spammers and adversaries: each worker is one of them, by given shares. */
export const hammerSpammerCrowd = scenario(
  {
    id: "hammer-spammer",
    title: "Hammers, spammers, adversaries",
    summary: "Each worker is a hammer, a spammer, an adversary or malicious, with given shares.",
    paper: {
      authors: "D. R. Karger, S. Oh, D. Shah",
      year: 2014,
      title: "Budget-optimal task allocation for reliable crowdsourcing systems",
      url: "https://doi.org/10.1287/opre.2013.1235",
    },
    options: {
      ...assignmentOptions,
      ...classOption,
      hammers: {
        default: 0.6,
        min: 0,
        max: 1,
        help: "Share of workers who are nearly always right.",
      },
      spammers: { default: 0.3, min: 0, max: 1, help: "Share of workers who guess." },
      adversaries: {
        default: 0.1,
        min: 0,
        max: 1,
        help: "Share of workers who are right less often than by guessing.",
      },
      malicious: {
        default: 0,
        min: 0,
        max: 1,
        help: "Share of workers who know the answer and never give it.",
      },
      hammerErrors: {
        default: 0.1,
        min: 0,
        max: 1,
        help: "Maximum error rate of a hammer; 0 for hammers who never err.",
      },
    },
  },
  (options, random, tasks) => {
    const { classes: K, hammerErrors } = options;
    const shares = [options.hammers, options.spammers, options.adversaries, options.malicious];
    if (!shares.some((share) => share > 0)) {
      throw new CrowdError(
        "bad-option",
        "hammer-spammer: at least one share of workers must be above 0.",
      );
    }
    const kinds = random.split("kinds");
    const workers = Array.from({ length: options.workers }, () => {
      const kind = categorical(kinds, shares);
      const u = kinds.next();
      const accuracy = [1 - hammerErrors + hammerErrors * u, 1 / K, u / K, 0][kind];
      return {
        role: ["hammer", "spammer", "adversary", "malicious"][kind],
        block: evenErrors(new Float64Array(K).fill(accuracy)),
      };
    });
    return simulateCrowd(options, uniform(K), workers, random, tasks);
  },
);
