/** The tutorial's figure that sets methods whose model is identifiable against others, on public crowds. */
import { aggregators } from "../aggregate/categorical/index.ts";
import { accuracy } from "../evaluate/accuracy.ts";
import { type Check, type ComparedRow, checkStop, type Experiment, mean } from "./experiment.ts";

const identifiable = [
  "spectral-dawid-skene",
  "multi-spa",
  "cnmf",
  "sym-nmf",
  "coupled-cpd",
] as const;
const others = ["majority-vote", "kos", "ghosh-svd", "pg-tac"] as const;

/** Sets on which workers share enough tasks, two to five classes. */
const sets = ["bluebird", "rte", "web", "temp", "possent", "sp_amt", "weather_amt", "zencrowd_in"];

export const tutorialMoments: Experiment = {
  id: "tutorial-moments",
  title: "Tutorial: methods that identify the model, and others",
  paper:
    "Ibrahim, Traganitis, Fu, Giannakis (2025). End-to-End Learning from Crowdsourced Labels, part I.",
  about:
    "Accuracy with shared ties of moment methods, each with EM behind it as by default, beside the majority vote and methods that identify no confusions. The tutorial's plot prints no numbers; it says that identifiable methods do consistently well. CRIA is not built: no primary source of it was found.",
  seeds: { full: 1, quick: 1 },
  async run(context) {
    const rows: ComparedRow[] = [];
    const absent: string[] = [];
    const scores = new Map<string, number[]>();
    for (const set of sets) {
      const data = await context.labels(set);
      if (!data) {
        absent.push(set);
        continue;
      }
      for (const id of [...identifiable, ...others]) {
        const method = aggregators.find((each) => each.id === id);
        if (!method) continue;
        checkStop(context);
        context.onProgress?.(`${id} on ${set}`);
        const ours = accuracy({ ...data, posterior: method(data).posterior }).split;
        rows.push({ name: id, setting: set, ours: [ours] });
        scores.set(id, [...(scores.get(id) ?? []), ours]);
      }
    }
    const checks = identifiable.flatMap((one) =>
      others.flatMap((other): Check[] => {
        const [a, b] = [scores.get(one), scores.get(other)];
        if (!a || !b) return [];
        return [
          {
            claim: `${one} is better than ${other}, on average over the sets`,
            passed: mean(a) > mean(b),
            measured: `${mean(a).toFixed(4)} against ${mean(b).toFixed(4)}`,
          },
        ];
      }),
    );
    const notes = absent.length > 0 ? [`Not there: ${absent.join(", ")}.`] : [];
    return { rows, checks, charts: [], notes };
  },
};
