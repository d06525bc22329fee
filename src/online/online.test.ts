import { describe, expect, it } from "vitest";
import { largestDifference } from "../../test/expect-numbers.ts";
import {
  creeps,
  datasetOf,
  drawSession,
  play,
  playEvent,
  type Session,
} from "../../test/live-session.ts";
import { randomCrowd } from "../../test/random-crowd.ts";
import type { AnyAggregator } from "../aggregate/categorical/aggregator.ts";
import { ibcc } from "../aggregate/categorical/bayesian/ibcc.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { oneCoin } from "../aggregate/categorical/em/one-coin.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { createRandom } from "../math/random.ts";
import { type OnlineModel, online } from "./online.ts";

// 1,000 random sessions in all, with gold, priors, evidence, history, weights, times and abstentions.

describe("refit", () => {
  it("equals the batch fit of what remains, bit for bit, in 300 sessions", () => {
    for (let seed = 0; seed < 300; seed++) {
      const session = drawSession(seed);
      const live = play(session);
      expectRemaining(live, session);
      const [data, known] = [live.data(), live.known()];
      const batch = session.method(data, session.options, known);
      const result = live.refit();
      expect(result).toEqual(batch);
      expect(posteriors(live)).toEqual(batch.posterior);
    }
  });

  it("goes on from the result", () => {
    for (let seed = 0; seed < 30; seed++) {
      const session = drawSession(seed);
      const live = play({ ...session, events: [] });
      for (const event of session.events) {
        playEvent(live, event);
        live.refit();
      }
      expectRemaining(live, session);
    }
  });
});

describe("sweeps", () => {
  it("never lower the objective and end at a fixed point of batch EM, in 300 sessions", () => {
    for (let seed = 1000; seed < 1300; seed++) {
      const session = drawSession(seed);
      const live = play(session);
      const most = creeps(session) ? 1000 : 20_000;
      // What workers are shrunk towards moves with them, so there is no fixed objective to climb.
      const slack = session.options["shrinkage"] ? Infinity : 1e-9;
      let [last, change] = [live.objective(), 1];
      for (let sweep = 0; sweep < most && change > 1e-11; sweep++) {
        change = live.sweep();
        const now = live.objective();
        expect(now, `session ${seed}`).toBeGreaterThanOrEqual(last - slack);
        last = now;
      }
      if (!creeps(session)) expect(change).toBeLessThan(1e-11);
      if (change < 1e-11) expectFixedPoint(live, session, last);
    }
  });

  it("end at the batch answer on 100 crowds with one optimum", () => {
    const methods = [majorityVote, oneCoin, dawidSkene, ibcc] as AnyAggregator[];
    for (let seed = 0; seed < 100; seed++) {
      const method = methods[seed % methods.length];
      const { live, exact } = skilledCrowd(method, seed);
      while (live.sweep() > 1e-10);
      const { posterior, skill } = method(live.data(), exact, live.known());
      expect(largestDifference(posteriors(live), posterior)).toBeLessThan(1e-6);
      const skills = Float64Array.from(live.skills(), (row) => row.skill);
      expect(largestDifference(skills, skill)).toBeLessThan(1e-6);
    }
  });
});

describe("events", () => {
  it("restore everything when a label is applied and withdrawn, in 100 sessions", () => {
    for (let seed = 2000; seed < 2100; seed++) {
      const session = drawSession(seed);
      const live = play(session);
      const tasks = [...live.data().tasks];
      if (tasks.length === 0) continue;
      const random = createRandom(seed).split("restore");
      const pick = <Item>(items: readonly Item[]) =>
        items[Math.floor(random.next() * items.length)];
      const before = picture(live);
      const labels = Array.from({ length: 1 + Math.floor(random.next() * 6) }, () => ({
        task: pick([...tasks, "fresh"]),
        worker: pick(["w0", "w1", "w2", "newcomer"]),
        label: pick([...live.data().classes]),
        weight: 0.1 + random.next(),
      }));
      for (const label of labels) live.apply(label);
      // In any order.
      while (labels.length > 0) {
        live.withdraw(labels.splice(Math.floor(random.next() * labels.length), 1)[0]);
      }
      const after = picture(live);
      expect(after.posterior.slice(0, before.posterior.length)).toEqual(before.posterior);
      expect(after.skills.slice(0, before.skills.length)).toEqual(before.skills);
      expect(after.columns).toEqual(before.columns);
    }
  });

  it("leave no drift: 20,000 labels that came and went are forgotten to the last bit", () => {
    const data = randomCrowd(1, { tasks: 20, workers: 6, rate: 1 });
    const live = online(data, dawidSkene(data, { shrinkage: 1 }));
    const random = createRandom(1).split("drift");
    const below = (n: number) => Math.floor(random.next() * n);
    const held: { task: string; worker: string; label: string; weight: number }[] = [];
    for (let event = 0; event < 20_000; event++) {
      if (held.length < 50 || random.next() < 0.5) {
        const weight = 0.1 + random.next();
        held.push({ task: `t${below(20)}`, worker: `w${below(8)}`, label: `c${below(3)}`, weight });
        live.apply(held[held.length - 1]);
      } else live.withdraw(held.splice(below(held.length), 1)[0]);
    }
    const now = live.data();
    const fitted = dawidSkene(now, { shrinkage: 1 });
    const fresh = online(now, { ...fitted, posterior: posteriors(live) });
    expect(live.skills()).toEqual(fresh.skills());
    expect(live.objective()).toBe(fresh.objective());
  });

  it("give the same numbers for the same log, in 100 sessions", () => {
    for (let seed = 3000; seed < 3100; seed++) {
      const session = drawSession(seed);
      const [a, b] = [play(session), play(session)];
      for (const live of [a, b]) for (let sweep = 0; sweep < 3; sweep++) live.sweep();
      expect(picture(a)).toEqual(picture(b));
      expect(a.objective()).toBe(b.objective());
    }
  });

  it("keep every belief a distribution and gold certain, in 100 sessions", () => {
    for (let seed = 4000; seed < 4100; seed++) {
      const session = drawSession(seed);
      const live = play({ ...session, events: [] });
      for (const event of session.events) {
        playEvent(live, event);
        const { posterior } = live.posterior(event.kind === "gold" ? event.task : event.label.task);
        expect(posterior.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
      }
      for (const [task, gold] of session.gold) {
        const { classes } = live.posterior(task);
        expect(classes.find((row) => row.class === gold)?.probability).toBe(1);
      }
    }
  });
});

/** Checks that data and knowledge are those of the plain list of labels that the session kept. */
function expectRemaining(live: OnlineModel, session: Session): void {
  const { classes, known } = { classes: [...session.data.classes], known: live.known() };
  const data = live.data();
  const expected = datasetOf(session.remaining, classes, session);
  const ones = new Float64Array(data.label.length).fill(1);
  const unknown = new Float64Array(data.label.length).fill(Number.NaN);
  expect([...data.tasks]).toEqual(session.tasks);
  expect([...data.workers]).toEqual(session.workers);
  expect([...data.classes]).toEqual(classes);
  for (const column of ["task", "worker", "label", "gold"] as const)
    expect(data[column]).toEqual(expected[column]);
  expect(data.weight ?? ones).toEqual(expected.weight ?? ones);
  expect(data.time ?? unknown).toEqual(expected.time ?? unknown);
  const gold = Int32Array.from(session.tasks, (task) =>
    classes.indexOf(session.gold.get(task) ?? ""),
  );
  expect(known.gold ?? gold.map(() => -1)).toEqual(gold);
  const given = session.known;
  expect(known.prior).toEqual(given.prior);
  expect(known.priorCounts).toEqual(given.priorCounts);
  expect(known.goldInPrior).toBe(given.goldInPrior);
  for (const field of ["evidence", "taskPrior"] as const) {
    const rows = known[field];
    expect(rows?.length).toBe(given[field] && session.tasks.length * classes.length);
    expect(rows?.slice(0, given[field]?.length)).toEqual(given[field]);
  }
  const added = known.evidence?.slice(given.evidence?.length);
  expect(added?.every((x) => x === 1) ?? true).toBe(true);
  expectHistory(known.history, session, data.label.includes(classes.length));
}

/** The history of the first workers is what was given, wherever abstentions stand; later ones have none. */
function expectHistory(
  history: Float64Array | undefined,
  { data, known, options, workers }: Session,
  abstained: boolean,
): void {
  const given = known.history;
  if (!given) return;
  const K = data.classes.length;
  const modelled = options["abstentions"] === "model";
  const [L, before] = [modelled && abstained ? K + 1 : K, given.length / (data.workers.length * K)];
  const expected = new Float64Array(workers.length * K * L);
  for (let row = 0; row < data.workers.length * K; row++) {
    for (let l = 0; l < Math.min(L, before); l++) expected[row * L + l] = given[row * before + l];
  }
  expect(history).toEqual(expected);
}

/** One E step of the batch code under the parameters that the live beliefs give changes nothing. */
function expectFixedPoint(live: OnlineModel, session: Session, objective: number): void {
  const [data, known, posterior] = [live.data(), live.known(), posteriors(live)];
  const { evidence } = known;
  // A start is multiplied by the evidence, which is in the beliefs already.
  const start = posterior.map((p, at) => (evidence ? p / evidence[at] : p));
  const once = Object.hasOwn(session.method.options, "maxIterations") ? { maxIterations: 1 } : {};
  const step = session.method(data, { ...session.options, ...once }, { ...known, start });
  expect(largestDifference(step.posterior, posterior)).toBeLessThan(1e-8);
  // Gold that says nothing of the prior is left out of the live objective, so that it can be climbed.
  if (step.trace.length > 0 && known.goldInPrior !== false) {
    expect(Math.abs(step.trace[0] - objective)).toBeLessThan(1e-7);
  }
}

/** A crowd of good workers with many labels, some of which come, go and change. */
function skilledCrowd(method: AnyAggregator, seed: number) {
  const data = randomCrowd(seed, { tasks: 60, workers: 12, rate: 0.9, skill: [0.8, 0.95] });
  const own = method.id === "one-coin" ? { comparePriors: false } : {};
  const exact = method.probabilistic ? { ...own, tolerance: 0, maxIterations: 5000 } : own;
  const live = online(data, method(data, own));
  const random = createRandom(seed).split("skilled");
  const classes = [...data.classes];
  for (let e = 0; e < 40; e++) {
    const i = Math.floor(random.next() * data.label.length);
    const t = data.task[i];
    const k = random.next() < 0.85 ? data.gold[t] : Math.floor(random.next() * classes.length);
    const label = {
      task: data.tasks.at(t),
      worker: data.workers.at(data.worker[i]),
      label: classes[k],
    };
    if (e % 3 === 0) live.correct(label);
    else live.apply({ ...label, task: e % 3 === 1 ? label.task : `new-${data.gold[t]}-${e}` });
  }
  return { live, exact };
}

/** Beliefs of all tasks, posterior[task * K + class]. */
function posteriors(live: OnlineModel): Float64Array {
  const { tasks, classes } = live.data();
  const all = new Float64Array(tasks.length * classes.length);
  [...tasks].forEach((task, t) => {
    all.set(live.posterior(task).posterior, t * classes.length);
  });
  return all;
}

/** Everything that a live model shows. */
function picture(live: OnlineModel) {
  const { task, worker, label, weight, time } = live.data();
  return {
    posterior: posteriors(live),
    skills: live.skills(),
    columns: { task, worker, label, weight, time },
  };
}
