/**
 * A crowd as one meets them: mostly good workers, some mediocre, random spammers, some who always
 * say the same, a few who swap two classes; a few very active workers and many who did little.
 */
import { beta } from "../math/distributions.ts";
import { assignmentOptions } from "./assignment.ts";
import { simulateCrowd } from "./crowd.ts";
import { evenErrors, unevenErrors } from "./draw.ts";
import { scenario } from "./scenario.ts";

const K = 4;

/** Each role and the share of workers up to and including it. */
const KINDS = [
  ["good", 0.62],
  ["mediocre", 0.8],
  ["spammer", 0.92],
  ["one class", 0.97],
  ["swaps", 1],
] as const;

/**
 * A typical crowd: four classes; good and mediocre workers, spammers, one-class and swapping
 * workers.
 */
export const mixedCrowd = scenario(
  {
    id: "mixed",
    title: "A typical crowd",
    summary: "Four classes; 62 % good, 18 % mediocre, 12 % spammers, 5 % one-class, 3 % swapping.",
    options: {
      ...assignmentOptions,
      tasks: { ...assignmentOptions.tasks, default: 2000 },
      workers: { ...assignmentOptions.workers, default: 1000 },
      activity: { ...assignmentOptions.activity, default: 1 },
    },
  },
  (options, random, tasks) => {
    const draws = random.split("workers");
    const workers = Array.from({ length: options.workers }, (_, w) => {
      // Exact shares, whatever the number of workers.
      const place = (w + 0.5) / options.workers;
      const [role] = KINDS.find(([, upTo]) => place < upTo) ?? KINDS[0];
      return { role, block: block(role, draws) };
    });
    return simulateCrowd(options, Float64Array.of(0.4, 0.3, 0.2, 0.1), workers, random, tasks);
  },
);

function block(role: string, random: Parameters<typeof beta>[0]): Float64Array {
  if (role === "spammer") return evenErrors(new Float64Array(K).fill(1 / K));
  if (role === "one class") {
    const always = Math.floor(random.next() * K);
    return new Float64Array(K * K).map((_, cell) => (cell % K === always ? 1 : 0));
  }
  const [a, b] = role === "mediocre" ? [5, 5] : [8, 3];
  const rows = unevenErrors(K, () => beta(random, a, b), random);
  if (role === "swaps") {
    const first = rows.slice(0, K);
    rows.copyWithin(0, K, 2 * K);
    rows.set(first, K);
  }
  return rows;
}
