/**
 * Judges who compare pairs of items. Honest ones follow the scores by Davidson's model of ties, each with tastes of their
 * own; guessers and one-sided judges do not look at the items, adversaries turn every answer round, and several
 * judges are copies of one language model, which say the same of the same pair.
 */
import { namesOf } from "../data/names.ts";
import { LEFT, type PairwiseData, RIGHT, TIE } from "../data/pairwise.ts";
import { integer, normal } from "../math/distributions.ts";
import type { Random } from "../math/random.ts";
import { answerScenario, cast, numbered, roleCount } from "./answers.ts";

const MODEL = "copy of a model";

/** Comparisons: honest judges, guessers, adversaries, one-sided judges, and copies of one language model. */
export const judgesCrowd = answerScenario(
  {
    id: "judges",
    kind: "pairwise",
    title: "Judges of pairs",
    summary: "Comparisons: honest, guessing, adversarial, one-sided judges, copies of one model.",
    options: {
      items: { default: 15, min: 2, max: 5000, integer: true, help: "Number of items." },
      comparisons: {
        default: 100,
        min: 1,
        max: 1_000_000,
        integer: true,
        help: "Number of comparisons per judge.",
      },
      honest: roleCount(12, "Number of judges who follow the scores."),
      guessers: roleCount(2, "Number of judges who answer at random."),
      adversaries: roleCount(2, "Number of judges who prefer the worse item."),
      oneSided: roleCount(2, "Number of judges who choose one side, left or right by turns."),
      copies: roleCount(3, "Number of judges who are copies of one language model."),
      spread: { default: 1, min: 0, max: 100, help: "Standard deviation of the scores." },
      ties: {
        default: 0.2,
        min: 0,
        max: 1000,
        help: "Davidson's parameter of ties: 0 for none, 1 for a third of even pairs.",
      },
      tastes: {
        default: 0,
        min: 0,
        max: 100,
        help: "Standard deviation of what a judge's own taste adds to each score.",
      },
      mistakes: {
        default: 0,
        min: 0,
        max: 1,
        help: "Probability that honest judges and adversaries give the other item than they mean.",
      },
      side: {
        default: 0.95,
        min: 0,
        max: 1,
        help: "Probability that a one-sided judge chooses that side.",
      },
      slips: {
        default: 0.05,
        min: 0,
        max: 1,
        help: "Probability that a copy of the model answers by itself.",
      },
    },
    answers: (o) => o.comparisons * (o.honest + o.guessers + o.adversaries + o.oneSided + o.copies),
  },
  (options, random) => {
    const { items: n, comparisons, honest, guessers, adversaries, oneSided, copies } = options;
    const J = honest + guessers + adversaries + oneSided + copies;
    const leftSided = Math.ceil(oneSided / 2);
    const roles = cast("judges", J, "honest", {
      guesser: guessers,
      adversary: adversaries,
      "chooses left": leftSided,
      "chooses right": oneSided - leftSided,
      [MODEL]: copies,
    });
    const scores = random.split("scores");
    const score = Float64Array.from({ length: n }, () => options.spread * normal(scores));
    const left = Float64Array.from(roles, (role) =>
      role === "chooses left" ? options.side : role === "chooses right" ? 1 - options.side : 0.5,
    );
    const direction = Float64Array.from(roles, (role) =>
      role === "adversary" ? -1 : role === "honest" || role === MODEL ? 1 : 0,
    );
    const pairs = random.split("pairs");
    const model = createModel(tasted(score, options.tastes, random.split("model")), options.ties);
    const rows = new Int32Array(J * comparisons);
    const columns = { left: rows.slice(), right: rows.slice(), label: rows.slice() };
    for (let u = 0; u < J; u++) {
      const draws = random.split(u);
      const own = tasted(score, options.tastes, draws);
      for (let i = u * comparisons; i < (u + 1) * comparisons; i++) {
        const a = integer(pairs, n);
        const b = (a + 1 + integer(pairs, n - 1)) % n;
        columns.left[i] = a;
        columns.right[i] = b;
        if (roles[u] === MODEL) columns.label[i] = model(a, b, options.slips, draws);
        else {
          const lead = direction[u] * (own[a] - own[b]) + Math.log(left[u] / (1 - left[u]));
          const meant = answer(lead, options.ties, draws);
          const slip = direction[u] !== 0 && draws.next() < options.mistakes;
          columns.label[i] = slip ? other(meant) : meant;
        }
      }
    }
    const data: PairwiseData = {
      kind: "pairwise",
      tasks: namesOf([""]),
      workers: namesOf(numbered("w", J)),
      items: namesOf(numbered("i", n)),
      task: rows,
      worker: rows.map((_, i) => Math.floor(i / comparisons)),
      ...columns,
      gold: score,
      notes: [],
    };
    return { data, roles, facts: { direction, left } };
  },
);

/** The scores as somebody with tastes of their own sees them. */
function tasted(score: Float64Array, tastes: number, random: Random): Float64Array {
  return tastes > 0 ? score.map((s) => s + tastes * normal(random)) : score;
}

/** Left, right or a tie by Davidson's model, from the difference of the two scores. */
function answer(lead: number, ties: number, random: Random): number {
  const better = 1 / (1 + Math.exp(-lead));
  const tied = ties * Math.sqrt(better * (1 - better));
  const u = random.next() * (1 + tied);
  return u < better ? LEFT : u < 1 ? RIGHT : TIE;
}

/** The other item; a tie stays one. */
function other(said: number): number {
  return said === TIE ? TIE : said === LEFT ? RIGHT : LEFT;
}

/** A language model that says the same of the same pair, whichever side an item is on, but for slips. */
function createModel(score: Float64Array, ties: number) {
  const known = new Map<number, number>();
  return (a: number, b: number, slips: number, random: Random): number => {
    const [first, second] = a < b ? [a, b] : [b, a];
    const key = first * score.length + second;
    const fresh = answer(score[first] - score[second], ties, random);
    const said = random.next() < slips ? fresh : (known.get(key) ?? fresh);
    if (!known.has(key)) known.set(key, fresh);
    return a === first ? said : other(said);
  };
}
