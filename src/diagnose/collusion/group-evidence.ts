/**
 * What the rest of a crowd says of groups that agree: are their equal answers wrong?
 *
 * The rest of a group are the workers in no group, and each other group as one worker, who gives its
 * majority. With q the Dawid–Skene posterior of their labels, confusion matrices θ of the members solve
 * Q θ = M, Q[c', c] = Σ q[c'] q[c], M[c', l] = Σ q[c'] over labels l: counting with an uncertain q would
 * blur them. Per task, over pairs of members,
 *
 *   wrong    = Σ_k pairs that both say k · (1 − q[k])
 *   expected = Σ_k (1 − q[k]) Σ_c q[c] Σ_{u<v} θ_u[c, k] θ_v[c, k]
 *
 * so that workers who share habits, such as one frequent class, are not taken for a group that errs
 * together. Sums over tasks give an excess per pair of answers and its z.
 *
 * A posterior can be sure and wrong. So the rest is split into two halves, fitted apart: on tasks
 * where one half contradicts the group, the other half decides between them. And if the group knew the
 * truth, it would explain why the two halves agree with each other (explained-agreement.ts). Good workers
 * in a poor crowd do explain it, workers who err together do not.
 */
import { dawidSkene } from "../../aggregate/categorical/em/dawid-skene.ts";
import { sampleTasks } from "../../belief/sample-tasks.ts";
import { byTask, type CategoricalData, type Index, selectLabels } from "../../data/categorical.ts";
import { labelsPerTask, labelsPerWorker } from "../../data/crowd-data.ts";
import { wilsonInterval } from "../../math/incomplete.ts";
import { createRandom } from "../../math/random.ts";
import type { Steps } from "../../method.ts";
import { correctedConfusions } from "./corrected-confusions.ts";
import { explainedAgreement } from "./explained-agreement.ts";
import { fuseGroups, groupNumbers } from "./fused-groups.ts";

/** How the answers of a group look to the rest of the crowd. */
export interface GroupEvidence {
  /** Tasks with two labels or more of the group and one of the rest. */
  readonly tasks: number;
  /** Mean agreement on these tasks, and the one that the members' confusion matrices predict. */
  readonly agreement: number;
  readonly predicted: number;
  /** Share of the equal answers that the rest contradicts. */
  readonly wrongLooking: number;
  /** Equal answers beyond prediction that look wrong, per pair of answers, and its z. */
  readonly wrongExcess: number;
  readonly wrongZ: number;
  /** Tasks on which a half of the rest contradicts the group and the other half sides with either. */
  readonly disputed: number;
  /** Share of those on which it sides against the group, and the lower end of its 95 % interval. */
  readonly against: number;
  readonly againstLow: number;
  /** Share of what the two halves of the rest have in common that the group's answers explain. */
  readonly explained: number;
}

/** Fewer tasks than this say nothing. */
const FEWEST_TASKS = 30;

/** Returns whether the group agrees beyond prediction, on wrong-looking answers, by more than chance. */
export function sitsOnWrongAnswers(evidence: GroupEvidence): boolean {
  const { wrongExcess, wrongZ, againstLow, explained } = evidence;
  // Of an excess of .1 with two classes half sits on wrong answers, whoever copies whom.
  return wrongExcess > 0.05 && wrongZ > 6 && againstLow > 0.5 && explained < 0.5;
}

/** What the rest says: beliefs of all and of two halves, and how many labels they rest on. */
interface Rest {
  readonly posterior: Float64Array;
  readonly labels: Int32Array;
  readonly halves: readonly { readonly consensus: Int32Array; readonly labels: Int32Array }[];
}

/** More groups than this are not judged; the largest are. */
const MOST_GROUPS = 20;

/** Judges each group, undefined where too few tasks have labels by the rest. */
export function* groupEvidence(
  given: CategoricalData,
  groups: readonly Int32Array[],
  { seed, mostLabels }: { readonly seed: number; readonly mostLabels: number },
): Steps<(GroupEvidence | undefined)[]> {
  if (groups.length === 0) return [];
  const { data } = sampleTasks(given, {}, mostLabels, seed);
  const groupOf = groupNumbers(groups, data.workers.length);
  const fused = fuseGroups(data, groupOf);
  const sizes = groups.map(({ length }) => length).sort((a, b) => b - a);
  const smallest = sizes[MOST_GROUPS - 1] ?? 2;
  const found: (GroupEvidence | undefined)[] = [];
  for (let g = 0; g < groups.length; g++) {
    const own = selectLabels(data, (i) => groupOf[data.worker[i]] === g);
    const judged = groups[g].length >= smallest && jointTasks(own) >= FEWEST_TASKS;
    const rest = judged ? yield* fitRest(fused, groups[g][0], seed) : undefined;
    found.push(rest && judge(own, rest));
  }
  return found;
}

/** Counts tasks with two labels or more. */
function jointTasks(data: CategoricalData): number {
  return labelsPerTask(data).reduce((sum, n) => sum + (n > 1 ? 1 : 0), 0);
}

/** Fits the labels of all but one worker, and those of two halves of them. */
function* fitRest(data: CategoricalData, without: number, seed: number): Steps<Rest | undefined> {
  const random = createRandom(seed).split("halves of the rest");
  const draw = Float64Array.from(data.workers, (name) => random.split(name).next());
  const labels = labelsPerWorker(data);
  const half = new Int8Array(labels.length).fill(-1);
  [...labels.keys()]
    .filter((w) => w !== without && labels[w] > 0)
    .sort((a, b) => draw[a] - draw[b])
    .forEach((w, place) => {
      half[w] = place % 2;
    });
  const parts = [
    selectLabels(data, (i) => half[data.worker[i]] >= 0),
    ...[0, 1].map((side) => selectLabels(data, (i) => half[data.worker[i]] === side)),
  ];
  if (parts.some(({ label }) => label.length === 0)) return undefined;
  const fits: { posterior: Float64Array; consensus: Int32Array; labels: Int32Array }[] = [];
  for (const part of parts) {
    const { posterior, consensus } = yield* dawidSkene.steps(part, {
      shrinkage: 4,
      maxIterations: 50,
    });
    fits.push({ posterior, consensus, labels: labelsPerTask(part) });
  }
  const [all, ...halves] = fits;
  return { posterior: all.posterior, labels: all.labels, halves };
}

/** Sums over the tasks of one group; `data` holds the labels of its members only. */
function judge(data: CategoricalData, rest: Rest): GroupEvidence | undefined {
  const K = data.classes.length;
  const tasks = byTask(data);
  const theta = correctedConfusions(data, rest.posterior, rest.labels);
  const dispute = { against: 0, with: 0, tasks: 0 };
  const sums = { tasks: 0, pairs: 0, agreed: 0, predicted: 0, wrong: 0, excess: 0, squares: 0 };
  const one = new Float64Array(K);
  const common = explainedAgreement(K);
  for (let t = 0; t < data.tasks.length; t++) {
    const size = tasks.start[t + 1] - tasks.start[t];
    if (size < 2 || rest.labels[t] === 0) continue;
    const q = rest.posterior.subarray(t * K, (t + 1) * K);
    const counts = countsOf(tasks, t, K);
    const { predicted, wrong: wrongPredicted } = predictTask(tasks, t, theta, q, one);
    let [agreed, wrong] = [0, 0];
    for (let k = 0; k < K; k++) {
      const pairs = (counts[k] * (counts[k] - 1)) / 2;
      agreed += pairs;
      wrong += pairs * (1 - q[k]);
    }
    sums.tasks++;
    sums.pairs += (size * (size - 1)) / 2;
    sums.agreed += agreed;
    sums.predicted += predicted;
    sums.wrong += wrong;
    sums.excess += wrong - wrongPredicted;
    sums.squares += (wrong - wrongPredicted) ** 2;
    const said = counts.findIndex((n) => n > size / 2 && n > 1);
    if (said < 0 || rest.halves.some(({ labels }) => labels[t] === 0)) continue;
    const [a, b] = rest.halves.map(({ consensus }) => consensus[t]);
    common.add(a, b, said);
    addDispute(dispute, said, a, b);
  }
  if (sums.tasks < FEWEST_TASKS) return undefined;
  const decided = dispute.against + dispute.with;
  const against = decided > 0 ? dispute.against / decided : 0;
  return {
    tasks: sums.tasks,
    agreement: sums.agreed / sums.pairs,
    predicted: sums.predicted / sums.pairs,
    wrongLooking: sums.agreed > 0 ? sums.wrong / sums.agreed : 0,
    wrongExcess: sums.excess / sums.pairs,
    wrongZ: sums.squares > 0 ? sums.excess / Math.sqrt(sums.squares) : 0,
    disputed: dispute.tasks,
    against,
    againstLow: dispute.tasks > 0 ? wilsonInterval(against * dispute.tasks, dispute.tasks).low : 0,
    explained: common.share(),
  };
}

function countsOf({ start, label }: Index, t: number, K: number): Float64Array {
  const counts = new Float64Array(K);
  for (let i = start[t]; i < start[t + 1]; i++) counts[label[i]]++;
  return counts;
}

/** Agreeing pairs that independent members would have on a task, and those that would look wrong. */
function predictTask(
  { start, other }: Index,
  t: number,
  theta: Float64Array,
  q: Float64Array,
  squares: Float64Array,
): { readonly predicted: number; readonly wrong: number } {
  const K = q.length;
  let [predicted, wrong] = [0, 0];
  for (let c = 0; c < K; c++) {
    if (q[c] < 1e-6) continue;
    const sums = squares.fill(0);
    for (let k = 0; k < K; k++) {
      let sum = 0;
      for (let i = start[t]; i < start[t + 1]; i++) {
        const rate = theta[(other[i] * K + c) * K + k];
        sum += rate;
        sums[k] -= rate * rate;
      }
      const pairs = (q[c] * (sum * sum + sums[k])) / 2;
      predicted += pairs;
      wrong += pairs * (1 - q[k]);
    }
  }
  return { predicted, wrong };
}

/** Lets each half of the rest, which say a and b, decide where the other contradicts the group. */
function addDispute(
  sums: { against: number; with: number; tasks: number },
  said: number,
  a: number,
  b: number,
): void {
  if (a === said && b === said) return;
  // Counted from either half, so that halves which are right more often than not decide rightly.
  if (a === b) sums.against += 2;
  else if (a === said || b === said) sums.with += 1;
  else return;
  sums.tasks++;
}
