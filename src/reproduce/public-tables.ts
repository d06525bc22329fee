/** Accuracies that others printed for public sets, beside ours. */
import { aggregators } from "../aggregate/categorical/index.ts";
import { accuracy } from "../evaluate/accuracy.ts";
import { type Check, type ComparedRow, checkStop, type Experiment } from "./experiment.ts";

interface Published {
  readonly id: string;
  readonly name: string;
  /** Per cent, by set. */
  readonly printed: Readonly<Record<string, number>>;
  /** How far ours may be from it: methods that start or break ties at random differ more. */
  readonly within: number;
}

/** The notebooks of yuan-li/truth-inference-at-scale, on the same files. */
const atScale: readonly Published[] = [
  {
    ...{ id: "ibcc", name: "iBCC", within: 0.003 },
    printed: {
      ...{ bluebird: 88.89, rte: 92.75, web: 75.08, weather: 88.33, weather_amt: 85.67 },
      ...{ sp: 91.5, sp_amt: 94.4, zencrowd_us: 82.7, zencrowd_in: 76.96, product: 93.83 },
      ...{ possent: 96, fact_eval: 87.67 },
    },
  },
  {
    ...{ id: "bwa", name: "BWA", within: 0.003 },
    printed: {
      ...{ bluebird: 75.93, rte: 92.75, web: 82.25, weather: 89.33, weather_amt: 86 },
      ...{ sp: 91.7, sp_amt: 94.6, zencrowd_us: 91.08, zencrowd_in: 76.37, product: 91.94 },
      ...{ possent: 95.6, fact_eval: 88.72 },
    },
  },
  {
    ...{ id: "ebcc", name: "EBCC", within: 0.015 },
    printed: {
      ...{ bluebird: 86.11, rte: 93.13, web: 76.86, weather: 88.33, weather_amt: 85.67 },
      ...{ sp: 91.52, sp_amt: 94.4, zencrowd_us: 91.23, zencrowd_in: 78.09, product: 93.49 },
      possent: 96.1,
    },
  },
];

/** Ustalov, Pavlichenko, Tseitlin: Learning from Crowds with Crowd-Kit, JOSS 2024. */
const crowdKit: readonly Published[] = [
  ["majority-vote", "MV", 89.7, 93.2],
  ["wawa", "Wawa", 89.7, 95.1],
  ["dawid-skene", "DS", 94, 96],
  ["glad", "GLAD", 92.8, 94.8],
  ["kos", "KOS", 89.5, 93.3],
  ["mace", "MACE", 92.9, 95],
].map(([id, name, product, possent]) => ({
  ...{ id: String(id), name: `${name} (Crowd-Kit)`, within: 0.015 },
  printed: { product: Number(product), possent: Number(possent) },
}));

export const publicTables: Experiment = {
  id: "public-tables",
  title: "Public crowds: accuracies that others printed",
  paper:
    "Li, Rubinstein, Cohn (2019), notebooks of truth-inference-at-scale; Ustalov, Pavlichenko, Tseitlin (2024), Crowd-Kit.",
  about:
    "Accuracy with shared ties on sets of which labels and gold are at hand. iBCC, BWA and EBCC as the authors' notebooks have them, the others as Crowd-Kit's paper; its MV breaks ties in another way, and KOS, MACE and EBCC depend on draws.",
  seeds: { full: 1, quick: 1 },
  async run(context) {
    const rows: ComparedRow[] = [];
    const checks: Check[] = [];
    const absent = new Set<string>();
    for (const { id, name, printed, within } of [...atScale, ...crowdKit]) {
      const method = aggregators.find((each) => each.id === id);
      if (!method) continue;
      const apart: string[] = [];
      let compared = 0;
      for (const [set, percent] of Object.entries(printed)) {
        checkStop(context);
        context.onProgress?.(`${name} on ${set}`);
        const data = await context.labels(set);
        if (!data) {
          absent.add(set);
          continue;
        }
        const ours = accuracy({ ...data, posterior: method(data).posterior }).split;
        compared++;
        rows.push({ name, setting: set, ours: [ours], theirs: percent / 100 });
        if (Math.abs(ours - percent / 100) > within) {
          apart.push(`${set} ${(100 * ours).toFixed(2)} against ${percent}`);
        }
      }
      if (compared === 0) continue;
      checks.push({
        claim: `${name}: within ${100 * within} points of what was printed, on every set`,
        passed: apart.length === 0,
        measured:
          apart.length === 0
            ? `${compared} sets`
            : `${apart.length} of ${compared} not: ${apart.join(", ")}`,
      });
    }
    const notes = absent.size > 0 ? [`Not there: ${[...absent].join(", ")}.`] : [];
    return { rows, checks, charts: [], notes };
  },
};
