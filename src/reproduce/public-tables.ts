/** Accuracies that others printed for public sets, beside ours. */
import { aggregators } from "../aggregate/categorical/index.ts";
import { accuracy } from "../evaluate/accuracy.ts";
import { type Check, type ComparedRow, checkStop, type Experiment } from "./experiment.ts";
import { type Printed, printedAccuracies } from "./printed-accuracies.ts";

export const publicTables: Experiment = {
  id: "public-tables",
  title: "Public crowds: accuracies that others printed",
  paper:
    "Li, Rubinstein, Cohn (2019), notebooks of truth-inference-at-scale; Ustalov, Pavlichenko, Tseitlin (2024), Crowd-Kit; Ibrahim et al. (2025); Zheng et al. (2017); Zhang et al. (2016); Zhou et al. (2014); Snow et al. (2008).",
  about:
    "Accuracy with shared ties on sets of which labels and gold are at hand. Claimed are the authors' notebooks (iBCC, BWA, EBCC), Crowd-Kit's paper, whose MV breaks ties in another way, and an independent implementation in double precision, ours with its options; KOS, MACE and EBCC depend on draws. The numbers of the tutorial are shown without a claim, since its settings are not printed (its MV gives ties to the first class), and those of the survey, of Zhang, Zhou and Snow because they were quoted from memory: settings and sometimes files differ.",
  seeds: { full: 1, quick: 1 },
  async run(context) {
    const rows: ComparedRow[] = [];
    const checks: Check[] = [];
    const absent = new Set<string>();
    const fitted = new Map<string, number>();
    const ours = async ({ id, options, firstOfTies = false }: Printed, set: string) => {
      const key = JSON.stringify([id, options ?? {}, set, firstOfTies]);
      const method = aggregators.find((each) => each.id === id);
      const data = fitted.has(key) ? undefined : await context.labels(set);
      if (method && data) {
        checkStop(context);
        context.onProgress?.(`${id} on ${set}`);
        const { posterior } = method(data, options ?? {});
        const { split, first } = accuracy({ ...data, posterior });
        fitted.set(key, firstOfTies ? first : split);
      }
      return fitted.get(key);
    };
    for (const line of printedAccuracies) {
      const { name, printed, within } = line;
      const apart: string[] = [];
      let compared = 0;
      for (const [set, percent] of Object.entries(printed)) {
        const found = await ours(line, set);
        if (found === undefined) {
          absent.add(set);
          continue;
        }
        compared++;
        rows.push({ name, setting: set, ours: [found], theirs: percent / 100 });
        // What is printed has two digits.
        if (within !== undefined && Math.abs(found - percent / 100) > within + 1e-4) {
          apart.push(`${set} ${(100 * found).toFixed(2)} against ${percent}`);
        }
      }
      if (compared === 0 || within === undefined) continue;
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
