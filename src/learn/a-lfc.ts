/**
 * Adversarial learning from crowds: EM with a network, as AggNet, in which the network also learns from
 * inputs that were moved, within a small ball, to where it is most wrong.
 */
import { perturb } from "../attack/perturb.ts";
import { pgd } from "../attack/pgd.ts";
import { losses } from "../attack/victim.ts";
import { featureStatistics } from "../data/standardise.ts";
import { gradient } from "../tensor/gradient.ts";
import { input, type Tensor } from "../tensor/graph.ts";
import { add, multiply } from "../tensor/ops/arithmetic.ts";
import { sum } from "../tensor/ops/broadcast.ts";
import { softmax } from "../tensor/ops/softmax.ts";
import { createCrowdEm, emOptions } from "./crowd-em.ts";
import { learner } from "./learner.ts";
import { crossEntropy } from "./losses.ts";
import { type Batch, type BatchEvaluator, type Io, type Net, rowsOf } from "./network.ts";
import { trainingWith } from "./options.ts";
import type { Session } from "./session.ts";

/** Adversarial learning from crowds: AggNet whose network is also trained on perturbed inputs. */
export const aLfc = learner(
  {
    id: "a-lfc",
    title: "Adversarial learning from crowds",
    summary:
      "AggNet with adversarial training, so that small changes of the features do not change the answers.",
    paper: {
      authors: "P. Chen, H. Sun, Y. Yang, Z. Chen",
      year: 2022,
      title: "Adversarial Learning from Crowds",
      url: "https://doi.org/10.1609/aaai.v36i5.20467",
    },
    options: {
      ...trainingWith({ schedule: "cosine" }),
      alpha: {
        default: 0.5,
        min: 0,
        max: 1,
        help: "Weight of clean inputs; the rest goes to perturbed inputs.",
      },
      epsilon: {
        default: 8 / 255,
        min: 0,
        help: "Maximum perturbation of each feature, in its standard deviations; for images, in units of the pixels.",
      },
      attackSteps: {
        default: 10,
        min: 1,
        integer: true,
        help: "Number of attack steps in training.",
      },
      randomStart: { default: true, help: "Start the attack at a random point of the ball." },
      regenerate: {
        default: "batch",
        choices: ["batch", "epoch"],
        help: "When inputs are perturbed again: for every batch, or once per epoch as in the paper.",
      },
      pretrain: {
        default: 0,
        min: 0,
        integer: true,
        unit: "epochs",
        help: "Number of epochs on the votes alone, before EM and attacks begin.",
      },
      ...emOptions,
      start: { ...emOptions.start, default: "hard" },
      smoothing: { ...emOptions.smoothing, default: 0.01 },
    },
    forecasts: true,
    confusion: true,
    cost: "O(network · steps of the attack) per task and O(labels · K) per epoch",
  },
  async function* (session, options) {
    const { alpha } = options;
    const em = createCrowdEm(session, options);
    const { q, confusion, evidence } = em.state;
    const K = session.data.classes.length;
    const net = await session.network((io) => ({ loss: pairedLoss(io, alpha) }));
    const attacker = alpha < 1 ? await createAttacker(session, net, options) : undefined;
    const targets = (batch: Batch) => rowsOf(q, batch, K);

    const warmUp = session.run(
      net,
      {},
      { epochs: options.pretrain, choose: false, stage: "votes" },
    );
    while (warmUp.more()) {
      const loss = await warmUp.train((batch) => ({ target: targets(batch), perturbed: batch.x }));
      yield await warmUp.done(loss);
    }

    const run = session.run(net, em.state);
    /** q from the labels and from what the network says of every input and of its perturbed twin. */
    const expect = async () => {
      const f = await net.predict();
      if (attacker) {
        const moved = await (await attacker.all(q, run.epoch + 1)).predict();
        for (let at = 0; at < f.length; at++) f[at] = alpha * f[at] + (1 - alpha) * moved[at];
      }
      return em.expect(f);
    };
    while (run.more()) {
      const key = run.epoch;
      const once = options.regenerate === "epoch";
      // Once an epoch: all inputs as the network of now sees them; at first as they are.
      const stale = attacker && once && key > 0 ? await attacker.all(q, key) : undefined;
      const feeds = async (batch: Batch) => {
        const target = targets(batch);
        if (!attacker) return { target };
        if (once) return { target, perturbed: stale?.rowsOf(batch) ?? batch.x };
        return { target, perturbed: await attacker.perturb(batch, target, key) };
      };
      await run.train(feeds, { stepwise: attacker !== undefined && !once });
      const likelihood = await expect();
      em.maximise();
      yield await run.done(-likelihood / session.trained.length);
    }
    await run.finish();
    await expect();
    return { net, posterior: q, confusion, evidence };
  },
);

/** alpha · cross-entropy of inputs as they are + (1 - alpha) · that of their perturbed twins. */
export function pairedLoss(io: Io, alpha: number): Tensor {
  const natural = crossEntropy(io.target, io.logits);
  if (alpha === 1) return natural;
  const perturbed = input("perturbed", io.x.shape);
  const adversarial = crossEntropy(io.target, io.logitsOf(perturbed));
  return add(multiply(natural, alpha), multiply(adversarial, 1 - alpha));
}

interface AttackOptions {
  readonly epsilon: number;
  readonly attackSteps: number;
  readonly randomStart: boolean;
}

/** Standard deviations of the features of a table; pixels have a unit of their own. */
function unitsOf({ features, rows, trained, statistics, notes }: Session) {
  const image = features.shape.length === 3;
  const unit = image ? "units of the pixels" : "standard deviations of each feature";
  notes.push(`Perturbations are measured in ${unit}.`);
  if (image) return undefined;
  return (
    statistics ??
    featureStatistics(
      features,
      trained.map((t) => rows[t]),
    )
  ).scale;
}

/** Perturbs batches, and all tasks, against the network as it is, without dropout. */
async function createAttacker(session: Session, net: Net, options: AttackOptions) {
  const { data, random, trained } = session;
  const K = data.classes.length;
  const slopes: BatchEvaluator = await net.evaluator((io) => {
    const [slope] = gradient(sum(losses["cross-entropy"](io.logits, io.target)), [io.x]);
    return { slope };
  });
  const predictions = await net.evaluator((io) => ({ f: softmax(io.logits) }));
  const settings = {
    ...pgd.settle({
      epsilon: options.epsilon,
      norm: "inf",
      randomStart: options.randomStart,
      steps: options.attackSteps,
    }),
    unit: unitsOf(session),
  };
  const place = new Int32Array(data.tasks.length).fill(-1);
  trained.forEach((t, i) => {
    place[t] = i;
  });
  const perturbBatch = (batch: Batch, target: Float32Array, key: number) => {
    const gradientOf = async (x: Float32Array, wanted: Float32Array) =>
      (await slopes({ ...batch, x }, { target: wanted }))["slope"] as Float32Array;
    const stream = random.split("attack").split(key).split(batch.tasks[0]);
    return perturb(batch.x, target, batch.tasks.length, gradientOf, settings, stream);
  };
  return {
    perturb: perturbBatch,
    async all(q: Float64Array, key: number) {
      session.check();
      const moved: { readonly batch: Batch; readonly x: Float32Array }[] = [];
      for (const batch of net.inOrder(256)) {
        const own = { ...batch, x: batch.x.slice() };
        moved.push({ batch: own, x: await perturbBatch(own, rowsOf(q, own, K), key) });
        session.check();
      }
      return {
        /** The perturbed rows of the tasks of a batch. */
        rowsOf({ tasks, x }: Batch): Float32Array {
          const size = x.length / tasks.length;
          const rows = new Float32Array(x.length);
          tasks.forEach((t, i) => {
            const at = place[t];
            const from = (at % 256) * size;
            rows.set(moved[Math.floor(at / 256)].x.subarray(from, from + size), i * size);
          });
          return rows;
        },
        /** What the network says of all of them; of tasks without labels nothing in particular. */
        async predict(): Promise<Float64Array> {
          const f = new Float64Array(data.tasks.length * K).fill(1 / K);
          for (const { batch, x } of moved) {
            const results = await predictions({ ...batch, x });
            batch.tasks.forEach((t, i) => {
              f.set(results["f"].subarray(i * K, (i + 1) * K), t * K);
            });
          }
          return f;
        },
      };
    },
  };
}
