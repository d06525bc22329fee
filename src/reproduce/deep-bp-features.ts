/**
 * Deep belief propagation and deep mean field on sparse regular crowds with good, poor and useless features,
 * with and without workers who label everything at random. The paper has figures of this without numbers.
 */
import { beliefPropagation } from "../aggregate/categorical/messages/belief-propagation.ts";
import { meanField } from "../aggregate/categorical/messages/mean-field.ts";
import { accuracy } from "../evaluate/accuracy.ts";
import { withFeatures } from "../simulate/features.ts";
import { regularCrowd } from "../simulate/regular.ts";
import { DEEP_BP_PAPER } from "./deep-bp.ts";
import {
  type Check,
  type ComparedRow,
  checkStop,
  deviation,
  type Experiment,
  type ExperimentContext,
  mean,
  signed,
} from "./experiment.ts";
import { asSet, testAccuracy, train } from "./learning.ts";

/** A crowd, what the model takes its skills for, and what the features are worth. */
export interface Case {
  /** Parameters of the Beta distribution that skills are drawn from. */
  readonly a: number;
  readonly b: number;
  readonly spammers: number;
  /** The same as the model has them. */
  readonly right: number;
  readonly wrong: number;
  /** Distance between the means of the two classes. */
  readonly separation: number;
  readonly clipAt: number;
}

const matched = { a: 0.5, b: 0.25, spammers: 0, right: 0.5, wrong: 0.25, clipAt: 0.9 };
const spammed = { a: 2, b: 1, spammers: 1, right: 2, wrong: 1.4, clipAt: 0.9 };
const useless = { a: 1, b: 0.5, spammers: 0, right: 1, wrong: 0.5, separation: 0 };

export const cases = {
  "sparse skills, good features": { ...matched, separation: 2 },
  "sparse skills, poor features": { ...matched, separation: 0.5 },
  "spammer, good features": { ...spammed, separation: 2 },
  "spammer, poor features": { ...spammed, separation: 0.5 },
  "spammer, useless features": { ...spammed, separation: 0 },
  "useless features": { ...useless, clipAt: 0.9 },
  "useless features, clipped": { ...useless, clipAt: 0.55 },
} as const satisfies Readonly<Record<string, Case>>;

export type CaseName = keyof typeof cases;

/** On the labels alone, and with features: two coins or one. */
export type MethodName = "bp" | "mf two" | "mf" | "deep-mf two" | "deep-mf" | "deep-bp";

/** Accuracy on the tasks that were labelled, and of the classifier on others. */
export interface Score {
  readonly inference: number;
  readonly learning?: number;
}

/** Sixteen hidden units, 200 steps on all tasks at once; messages are solved anew every five. */
const training = { hidden: "16", dropout: 0, rate: 0.01, epochs: 200, standardise: false };

/** As the library trains by default. */
export const byDefault = { hidden: "128", dropout: 0.5, rate: 1e-3, standardise: true };

/** Every method named, on one crowd, from one seed: of the crowd, the features and the training. */
export async function runCase<Name extends MethodName>(
  context: ExperimentContext,
  { a, b, spammers, right, wrong, separation, clipAt }: Case,
  names: readonly Name[],
  seed: number,
  settings: object = {},
): Promise<Record<Name, Score>> {
  const crowd = regularCrowd({ a, b, spammers, testTasks: 1000, seed });
  const set = asSet(withFeatures(crowd, { separation, dimensions: 10, seed }));
  const { data } = set;
  const inferred = ({ posterior }: { readonly posterior: Float64Array }): Score => ({
    inference: accuracy({ ...data, posterior }).split,
  });
  const learnt = async (id: string, options: Record<string, string | number>): Promise<Score> => {
    checkStop(context);
    const shared = { ...training, right, wrong, clipAt, ...settings };
    const learning = await train(context, set, { name: id, id, options }, shared, seed);
    return { ...inferred(learning), learning: (await testAccuracy(learning, set)).alone };
  };
  const two = { workerPrior: "two-coin" } as const;
  const methods: Readonly<Record<MethodName, () => Score | Promise<Score>>> = {
    bp: () => inferred(beliefPropagation(data, { right, wrong })),
    "mf two": () => inferred(meanField(data, { right, wrong, ...two })),
    mf: () => inferred(meanField(data, { right, wrong })),
    "deep-mf two": () => learnt("deep-mf", two),
    "deep-mf": () => learnt("deep-mf", {}),
    "deep-bp": () => learnt("deep-bp", { refresh: 5 }),
  };
  const scores: Partial<Record<Name, Score>> = {};
  for (const name of names) scores[name] = await methods[name]();
  return scores as Record<Name, Score>;
}

type Table = ReadonlyMap<string, Readonly<Partial<Record<MethodName, readonly Score[]>>>>;

/** Something the table should show: a method that is better than another by at least so much. */
interface Claim {
  readonly row: string;
  readonly one: MethodName;
  readonly other: MethodName;
  readonly least: number;
}

const claims: readonly Claim[] = [
  // Beliefs of belief propagation are softer, so that useless features move them more.
  ...Object.keys(cases).map(
    (row): Claim => ({ row, one: "deep-bp", other: "deep-mf", least: -0.015 }),
  ),
  { row: "sparse skills, poor features", one: "deep-bp", other: "deep-mf", least: 0.02 },
  { row: "spammer, poor features", one: "bp", other: "deep-bp", least: 0.03 },
  { row: "useless features, clipped", one: "deep-mf", other: "mf", least: -0.01 },
  { row: "useless features, clipped", one: "deep-bp", other: "bp", least: -0.01 },
  { row: "useless features", one: "bp", other: "deep-bp", least: 0.02 },
  ...[1, 4].map(
    (spammers): Claim => ({
      row: spammedRow(spammers),
      one: "deep-bp",
      other: "deep-mf two",
      least: 0.1,
    }),
  ),
];

const names = ["bp", "mf two", "mf", "deep-mf two", "deep-mf", "deep-bp"] as const;

/** Rows trained as the library does by default. */
function spammedRow(spammers: number): string {
  return `${spammers} ${spammers === 1 ? "spammer" : "spammers"}, fair features, the library's training`;
}

/** One who labels everything at random, or more, and features between good and poor. */
export const underSpammers = (spammers: number): Case => ({ ...spammed, spammers, separation: 1 });

export const deepBpFeatures: Experiment = {
  id: "deep-bp-features",
  title: "Deep BP: good, poor and useless features, and spammers",
  paper: DEEP_BP_PAPER,
  about:
    "Accuracy of inference on 1000 tasks with three labels each, of labels alone and with Gaussian features (10 dimensions; class means 2, .5 or 0 apart). Skills Dir(.5, .25) known to the model; Dir(2, 1) with one extreme spammer and a model of Dir(2, 1.4); Dir(1, .5) with useless features, the classifier clipped at .9 or .55. A network with 16 hidden units, 200 steps of Adam at 1e-2; the last rows: fair features (1 apart) and the library's own training. Mean field has one coin, or two as the authors'.",
  seeds: { full: 10, quick: 2 },
  async run(context) {
    const rows: (readonly [name: string, one: Case, settings: object])[] = [
      ...Object.entries(cases).map(([name, one]) => [name, one, {}] as const),
      ...[0, 1, 4].map((n) => [spammedRow(n), underSpammers(n), byDefault] as const),
    ];
    const table = new Map<string, Partial<Record<MethodName, Score[]>>>();
    for (const [row, one, settings] of rows) {
      const found: Partial<Record<MethodName, Score[]>> = {};
      for (let seed = 0; seed < context.seeds; seed++) {
        context.onProgress?.(`${row}, seed ${seed + 1}`);
        const scores = await runCase(context, one, names, seed, settings);
        for (const name of names) found[name] = [...(found[name] ?? []), scores[name]];
      }
      table.set(row, found);
    }
    return { rows: comparedRows(table), checks: checksOf(table), charts: [], notes: [] };
  },
};

function comparedRows(table: Table): ComparedRow[] {
  return [...table].flatMap(([row, scores]) =>
    names.flatMap((name) => {
      const all = scores[name] ?? [];
      const learning = all.flatMap(({ learning }) => learning ?? []);
      return [
        { name, setting: `inference, ${row}`, ours: all.map(({ inference }) => inference) },
        ...(learning.length > 0 ? [{ name, setting: `learning, ${row}`, ours: learning }] : []),
      ];
    }),
  );
}

function checksOf(table: Table): Check[] {
  const of = (row: string, name: MethodName) =>
    (table.get(row)?.[name] ?? []).map(({ inference }) => inference);
  const good = of("spammer, good features", "deep-mf");
  return [
    ...claims.map(({ row, one, other, least }): Check => {
      const differences = of(row, one).map((x, seed) => x - of(row, other)[seed]);
      const error = deviation(differences) / Math.sqrt(differences.length);
      return {
        claim: `${row}: ${one} is at least ${other} ${least < 0 ? "-" : "+"} ${Math.abs(least)}`,
        passed: mean(differences) >= least,
        measured: `difference ${signed(mean(differences))} ± ${error.toFixed(4)} (standard error)`,
      };
    }),
    {
      claim: "spammer, good features: features rescue mean field, which is at least .83",
      passed: mean(good) >= 0.83,
      measured: mean(good).toFixed(4),
    },
  ];
}
