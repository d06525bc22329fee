/**
 * A worker's skill in the last 50 answers, at every tenth answer.
 *
 *   p ~ Beta(½, ½)      P(answers of the window | p) = Π_j (p · right[j] + (1 − p) · wrong[j])
 *
 * With gold the posterior is Beta(½ + right answers, ½ + wrong answers). It is computed on a grid that is even in
 * φ = arcsin √p, on which Beta(½, ½) is uniform. The interval is about the mean skill in the window.
 */
import type { JudgedAnswers } from "./judged-answers.ts";

/** What is known of a skill: its posterior mean and the ends of the interval. */
export interface SkillEstimate {
  readonly skill: number;
  readonly low: number;
  readonly high: number;
}

/** A run of answers, from `from` up to but not including `to`, with the skill in it. */
export interface SkillWindow extends SkillEstimate {
  readonly from: number;
  readonly to: number;
}

const NODES = 256;

/** Returns the skill in windows of `size` answers; the first is shorter if there are fewer answers. */
export function skillWindows(
  answers: JudgedAnswers,
  { size = 50, step = 10, level = 0.95 }: { size?: number; step?: number; level?: number } = {},
): readonly SkillWindow[] {
  const n = answers.right.length;
  const windows: SkillWindow[] = [];
  if (n === 0) return windows;
  const first = Math.min(n, size);
  for (let to = first; to <= n; to += step) {
    const from = Math.max(0, to - size);
    windows.push({ from, to, ...windowSkill(answers, from, to, level) });
  }
  // The latest answers are not left out because they do not fill a step.
  if ((n - first) % step !== 0) {
    const from = Math.max(0, n - size);
    windows.push({ from, to: n, ...windowSkill(answers, from, n, level) });
  }
  return windows;
}

/** Returns the posterior mean and the central interval of one skill that holds for a run of answers. */
export function windowSkill(
  { right, wrong }: JudgedAnswers,
  from: number,
  to: number,
  level = 0.95,
): SkillEstimate {
  const mass = new Float64Array(NODES).fill(1);
  const node = Float64Array.from(mass, (_, i) => skillAt((i + 0.5) / NODES));
  for (let j = from; j < to; j++) {
    let largest = 0;
    for (let i = 0; i < NODES; i++) {
      mass[i] *= node[i] * right[j] + (1 - node[i]) * wrong[j];
      if (mass[i] > largest) largest = mass[i];
    }
    // Keeps thousands of factors within the range of numbers.
    if (largest < 1e-100) for (let i = 0; i < NODES; i++) mass[i] /= largest;
  }
  const total = mass.reduce((sum, x) => sum + x, 0);
  const skill = mass.reduce((sum, x, i) => sum + x * node[i], 0) / total;
  const end = (share: number) => skillAt(quantileOf(mass, share * total) / NODES);
  return { skill, low: end((1 - level) / 2), high: end((1 + level) / 2) };
}

/** The skill at a share of the way of φ from 0 to π/2. */
function skillAt(share: number): number {
  return Math.sin((share * Math.PI) / 2) ** 2;
}

/** Where the running sum of the masses reaches the wanted sum, in masses from the start. */
function quantileOf(mass: Float64Array, wanted: number): number {
  let sum = 0;
  for (let i = 0; i < mass.length; i++) {
    if (sum + mass[i] >= wanted) return i + (wanted - sum) / mass[i];
    sum += mass[i];
  }
  return mass.length;
}
