/**
 * Workers who say whether two items are the same. Items lie in planted clusters; a worker calls two of one cluster the same with
 * a sensitivity, and two of different clusters different with a specificity. Some are hardly better than chance, some guess,
 * and some call nearly everything the same.
 */
import { namesOf } from "../data/names.ts";
import { SAME, type SimilarityData } from "../data/similarity.ts";
import { integer, shuffle } from "../math/distributions.ts";
import { answerScenario, between, cast, numbered, roleCount } from "./answers.ts";

/** Same or different: planted clusters, careful workers, poor ones, guessers, and those who lump all together. */
export const matchersCrowd = answerScenario(
  {
    id: "matchers",
    kind: "similarity",
    title: "Workers who match items",
    summary: "Same or different: planted clusters; some workers are poor, guess or lump together.",
    options: {
      items: { default: 60, min: 2, max: 5000, integer: true, help: "Number of items." },
      clusters: { default: 4, min: 1, max: 1000, integer: true, help: "Number of clusters." },
      workers: { default: 20, min: 1, max: 100_000, integer: true, help: "Number of workers." },
      answers: {
        default: 100,
        min: 1,
        max: 1_000_000,
        integer: true,
        help: "Number of answers per worker.",
      },
      low: {
        default: 0.8,
        min: 0,
        max: 1,
        help: "Least sensitivity and specificity of a careful worker.",
      },
      high: {
        default: 0.95,
        min: 0,
        max: 1,
        help: "Largest sensitivity and specificity of a careful worker.",
      },
      poor: roleCount(4, "Number of workers with sensitivity and specificity of .6."),
      guessers: roleCount(2, "Number of workers who guess."),
      lumpers: roleCount(2, "Number of workers who call nearly all pairs the same."),
    },
    answers: ({ workers, answers }) => workers * answers,
  },
  (options, random) => {
    const { items: n, clusters: K, workers: W, answers, low, high } = options;
    const roles = cast("matchers", W, "careful", {
      poor: options.poor,
      guesser: options.guessers,
      lumper: options.lumpers,
    });
    const skills = random.split("skills");
    const rates = (fixed: Readonly<Record<string, number>>) =>
      Float64Array.from(roles, (role) => {
        const drawn = between(skills, low, high);
        return fixed[role] ?? drawn;
      });
    const sensitivity = rates({ poor: 0.6, guesser: 0.5, lumper: 0.95 });
    const specificity = rates({ poor: 0.6, guesser: 0.5, lumper: 0.1 });
    const gold = Int32Array.from({ length: n }, (_, i) => i % K);
    shuffle(random.split("clusters"), gold);
    const [pairs, draws] = [random.split("pairs"), random.split("answers")];
    const rows = new Int32Array(W * answers);
    const columns = { left: rows.slice(), right: rows.slice(), label: rows.slice() };
    const worker = rows.map((_, i) => Math.floor(i / answers));
    for (let i = 0; i < rows.length; i++) {
      const a = integer(pairs, n);
      const b = (a + 1 + integer(pairs, n - 1)) % n;
      const same = gold[a] === gold[b];
      const chance = same ? sensitivity[worker[i]] : 1 - specificity[worker[i]];
      columns.left[i] = a;
      columns.right[i] = b;
      columns.label[i] = draws.next() < chance ? SAME : 0;
    }
    const data: SimilarityData = {
      kind: "similarity",
      tasks: namesOf([""]),
      workers: namesOf(numbered("w", W)),
      items: namesOf(numbered("i", n)),
      task: rows,
      worker,
      ...columns,
      clusters: namesOf(numbered("c", Math.min(K, n))),
      gold,
      notes: [],
    };
    return { data, roles, facts: { sensitivity, specificity } };
  },
);
