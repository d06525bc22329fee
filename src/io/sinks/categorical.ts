/** Labels: rows of task, worker and class. */
import type { CategoricalData } from "../../data/categorical.ts";
import {
  type CategoricalOptions,
  type Columns,
  fromColumns,
} from "../../data/categorical-from-columns.ts";
import { quoteName } from "../../data/look-alike.ts";
import { grouped, hint, plural } from "../../error.ts";
import type { ReadOptions } from "../format.ts";
import { goldTable } from "../gold.ts";
import { createLabelCollector } from "../label-collector.ts";
import { labelTarget } from "../label-target.ts";
import type { Reading, Sink } from "../sink.ts";

export const categoricalReading: Reading<CategoricalData> = {
  id: "categorical",
  takes: ["classes"],
  // What nothing else fits is labels.
  recognise: () => undefined,
  sink(options: ReadOptions & CategoricalOptions) {
    let sets: readonly string[] = [];
    const sink = createLabelSink(options, (columns) => {
      sets = severalLabels(columns);
    });
    return {
      ...sink,
      finish(given) {
        const data = sink.finish(given);
        return { ...data, notes: [...data.notes, ...otherKinds(data, options), ...sets] };
      },
    };
  },
  gold: goldTable,
  example: "task,worker,label",
  goldExample: "task and label",
};

/** Takes rows of task, worker and class; `look` sees the columns before repeats are dealt with. */
export function createLabelSink(
  options: ReadOptions & CategoricalOptions,
  look: (columns: Columns) => void = () => {},
): Sink<CategoricalData> {
  const labels = createLabelCollector(options);
  const { tasks, workers, labels: classes } = labels;
  return {
    target: (context) => labelTarget(labels, context),
    labels: () => labels,
    rows: () => labels.rows,
    byteLength: () => labels.byteLength(),
    names: () => tasks.size + workers.size,
    latin1: () => tasks.latin1 + workers.latin1 + classes.latin1,
    dropped: () => labels.finish().notes,
    finish({ gold: given, notes }) {
      const { columns, gold, notes: dropped } = labels.finish();
      look(columns);
      const labelled = new Set(columns.tasks);
      const found = gold.filter(([task]) => labelled.has(task));
      const own =
        found.length > 0 && !given
          ? [`${plural(found.length, "task")} with a known class in the labels' own files.`]
          : [];
      const data = fromColumns(columns, {
        ...options,
        gold: given ? Array.from(given, ([task, label]) => [task, String(label)] as const) : found,
        notes: [...notes, ...own, ...dropped],
      });
      return { ...data, notes: [...data.notes, ...noAnswers(data, options)] };
    },
  };
}

/** Labels that people and programs write where there is none. */
const NO_ANSWER =
  /^(#?n\.?[/\\]?a\.?|<na>|nan|nat|null|nil|none|undefined|missing|blank|empty|no[ _-]?(answer|label)|not available|-+|[–—]|\?+|\.+|""|'')$/i;

/** Says which classes look like "no answer", unless they were named as classes. */
function noAnswers(data: CategoricalData, options: CategoricalOptions): string[] {
  const { classes, label } = data;
  const wanted = new Set(options.classes ?? []);
  const found = [...classes].filter((name) => NO_ANSWER.test(name) && !wanted.has(name));
  if (found.length === 0) return [];
  const codes = new Set(found.map((name) => classes.indexOf(name)));
  let count = 0;
  for (const code of label) if (codes.has(code)) count++;
  const many = found.length > 1;
  const names = found.map(quoteName).join(", ");
  return [
    `The class${many ? "es" : ""} ${names} (${plural(count, "label")}) look${many ? "" : "s"} like "no answer" but ` +
      `count${many ? "" : "s"} as ${many ? "classes" : "a class"}. If ${many ? "they mean" : "it means"} that there ` +
      `is no label, use ${hint("missing", found.join(","))}.`,
  ];
}

/** Classes that are numbers, of which there are more than this, are more likely values. */
const MOST_NUMBERED = 30;
/** Scales of ratings as people number them: first and last level. */
const RATINGS = ["1 5", "1 7", "1 10", "0 10"];

/** Says which other kind of answers the classes look like, unless they were named as classes. */
function otherKinds({ classes }: CategoricalData, options: CategoricalOptions): string[] {
  const numbers = Array.from(classes, Number);
  if (options.classes || numbers.length < 3 || !numbers.every(Number.isFinite)) return [];
  const values = numbers.some((x) => !Number.isInteger(x)) || numbers.length > MOST_NUMBERED;
  if (values) {
    return [
      `The ${numbers.length} classes are all numbers, from ${classes.at(0)} to ${classes.at(numbers.length - 1)}. If they are values ` +
        `to be estimated, not names, use ${hint("kind", "numeric")}.`,
    ];
  }
  const [first, last] = [numbers[0], numbers[numbers.length - 1]];
  const whole = last - first + 1 === numbers.length;
  if (!whole || !RATINGS.includes(`${first} ${last}`)) return [];
  return [
    `The classes are the numbers ${first} to ${last}. If they are ratings, where a near miss is better than a far one, use ` +
      `${hint("kind", "ordinal")}.`,
  ];
}

/** Rows that are looked at, and how many pairs of task and worker with several labels are many. */
const [LOOKED_AT, MANY_PAIRS, MANY_SHARE] = [100_000, 3, 0.05];

/** Says that answers may be of several labels each: workers give different labels to a task, and not one after another. */
function severalLabels({ task, worker, workers, label, time }: Columns): string[] {
  const first = new Map<number, number>();
  const several = new Set<number>();
  for (let i = 0; i < Math.min(task.length, LOOKED_AT); i++) {
    const pair = task[i] * workers.length + worker[i];
    const before = first.get(pair);
    if (before === undefined) first.set(pair, i);
    // Labels of different times are a change of mind.
    else if (label[before] !== label[i] && !(time && time[before] !== time[i])) several.add(pair);
  }
  if (several.size < MANY_PAIRS || several.size < MANY_SHARE * first.size) return [];
  return [
    `${grouped(several.size)} of ${grouped(first.size)} pairs of a task and a worker have several different labels. If workers may choose ` +
      `more than one label for a task, use ${hint("kind", "multi-label")}.`,
  ];
}
