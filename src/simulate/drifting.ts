/**
 * Workers over time: stable ones, ones who tire, and ones who turn after some number of labels.
 *
 * Every label has a time. Workers begin on different days and work in sessions with breaks of hours; each takes the
 * tasks in random order. A worker who tires loses skill evenly from the first label to the last; one who turns does as
 * well as others up to a label between 40 and 60 % of the way, and has another accuracy from then on.
 */
import { exponential, integer, shuffle } from "../math/distributions.ts";
import type { Random } from "../math/random.ts";
import { assign, assignmentOptions } from "./assignment.ts";
import { drawTruth, toDataset, uniform } from "./draw.ts";
import { scenario } from "./scenario.ts";

const SECOND = 1000;
const HOUR = 3600 * SECOND;
/** Monday, 5 January 2026, 8:00 UTC. */
const FIRST = Date.UTC(2026, 0, 5, 8);

/** Workers whose skill stays, falls slowly, or changes at a known label, with the time of each label. */
export const driftingCrowd = scenario(
  {
    id: "drifting",
    title: "Workers over time",
    summary: "Each worker is stable, tires, or turns after a known label; labels have times.",
    options: {
      ...assignmentOptions,
      classes: { default: 4, min: 2, integer: true, help: "Number of classes." },
      tiring: { default: 0.1, min: 0, max: 1, help: "Share of workers who lose skill slowly." },
      turning: { default: 0.1, min: 0, max: 1, help: "Share of workers who turn suddenly." },
      low: { default: 0.8, min: 0, max: 1, help: "Lowest accuracy at the start." },
      high: { default: 0.95, min: 0, max: 1, help: "Highest accuracy at the start." },
      tired: { default: 0.55, min: 0, max: 1, help: "Accuracy of a tiring worker at the end." },
      turned: { default: 0.25, min: 0, max: 1, help: "Accuracy of a worker after the turn." },
      fatigue: {
        default: 0,
        min: 0,
        help: "Fall of the log-odds of a right label, times log(1 + labels before in the session).",
      },
    },
  },
  (options, random, tasks) => {
    const { classes: K, workers: W } = options;
    const prior = uniform(K);
    const truth = drawTruth(tasks, prior, random.split("truth"));
    const places = assign(options, random.split("assignment"));
    const trained = places.start[tasks.train];
    const label = new Int32Array(places.worker.length);
    const time = new Float64Array(places.worker.length);
    const own = rowsOf(places.worker, W, trained, random.split("order"));
    const roles: string[] = [];
    const task = rowTasks(places.start);
    for (let w = 0; w < W; w++) {
      const stream = random.split("workers").split(w);
      const { role, skillAt } = workerOf(w, own[w].train, options, stream);
      roles.push(role);
      const session = clock(random.split("clock").split(w));
      own[w].rows.forEach((i, at) => {
        const { now, before } = session();
        const right = tireOut(skillAt(at), options.fatigue * Math.log1p(before));
        const truly = truth[task[i]];
        time[i] = now;
        label[i] = stream.next() < right ? truly : (truly + 1 + integer(stream, K - 1)) % K;
      });
    }
    return { data: { ...toDataset(places, truth, label, W, K), time }, prior, roles };
  },
);

/** The rows of each worker in the order of time: those to test on come last. */
function rowsOf(worker: Int32Array, W: number, trained: number, random: Random) {
  const train: number[][] = Array.from({ length: W }, () => []);
  const test: number[][] = Array.from({ length: W }, () => []);
  worker.forEach((w, i) => {
    (i < trained ? train : test)[w].push(i);
  });
  return train.map((rows, w) => {
    shuffle(random.split("train").split(w), rows);
    shuffle(random.split("test").split(w), test[w]);
    return { train: rows.length, rows: [...rows, ...test[w]] };
  });
}

function rowTasks(start: Int32Array): Int32Array {
  const task = new Int32Array(start[start.length - 1]);
  for (let t = 0; t + 1 < start.length; t++) task.fill(t, start[t], start[t + 1]);
  return task;
}

interface Habits {
  readonly workers: number;
  readonly tiring: number;
  readonly turning: number;
  readonly low: number;
  readonly high: number;
  readonly tired: number;
  readonly turned: number;
}

/** What worker w is, and the accuracy at each label; the first workers turn, the next ones tire. */
function workerOf(w: number, labels: number, options: Habits, random: Random) {
  const { workers, tiring, turning, low, high, tired, turned } = options;
  const skill = low + (high - low) * random.next();
  const place = Math.round(labels * (0.4 + 0.2 * random.next()));
  const [turners, tirers] = [Math.round(turning * workers), Math.round(tiring * workers)];
  if (w < turners) {
    const role = `turns after ${place} labels`;
    return { role, skillAt: (at: number) => (at < place ? skill : turned) };
  }
  if (w < turners + tirers) {
    const fall = (at: number) => Math.min(1, at / Math.max(1, labels - 1));
    return { role: "tires", skillAt: (at: number) => skill + (tired - skill) * fall(at) };
  }
  return { role: "stable", skillAt: () => skill };
}

/** The accuracy with its log-odds lowered. */
function tireOut(skill: number, by: number): number {
  return skill / (skill + (1 - skill) * Math.exp(by));
}

/** Times of one worker's labels, with the number of labels before in the session: half a minute each, 20 to 40 a session. */
function clock(random: Random) {
  let now = FIRST + integer(random, 10 * 24) * HOUR;
  let [before, size] = [-1, 20 + integer(random, 21)];
  return () => {
    before++;
    if (before >= size) {
      [before, size] = [0, 20 + integer(random, 21)];
      now += (4 + integer(random, 20)) * HOUR;
    }
    now += Math.round(10 * SECOND + 20 * SECOND * exponential(random));
    return { now, before };
  };
}
