import { describe, expect, it } from "vitest";
import { featureCrowd } from "../../test/feature-crowd.ts";
import { checkLoss, K } from "../../test/loss-check.ts";
import { pgd } from "../attack/pgd.ts";
import { accuracyUnderAttack } from "../attack/under-attack.ts";
import { type Features, fromMatrix } from "../data/features.ts";
import { createRandom } from "../math/random.ts";
import { openRuntime } from "../node/runtime.ts";
import { robustnessCrowd } from "../simulate/robustness.ts";
import { aLfc, pairedLoss } from "./a-lfc.ts";
import { aggnet } from "./aggnet.ts";
import type { Learning } from "./learner.ts";

const executor = await openRuntime();

/** The same features with every number changed. */
function mapped(features: Features, change: (x: number, index: number) => number): Features {
  const rows = Array.from(features.tasks, (_, t) => t);
  const numbers = new Float32Array(rows.length * features.shape[0]);
  features.read(rows, numbers);
  return fromMatrix([...features.tasks], features.shape, numbers.map(change));
}
const random = createRandom(2);
const drawn = (length: number) => Float64Array.from({ length }, () => random.next());

describe("the loss of both twins", () => {
  it.each([0, 0.3, 1])("has the gradient of central differences (alpha %f)", (alpha) => {
    const feeds = { target: drawn(7 * K), perturbed: drawn(7 * 4) };
    checkLoss((io) => ({ loss: pairedLoss(io, alpha) }), { feeds });
  });
});

it("with alpha 1 is AggNet, bit for bit", async () => {
  const { data, features } = featureCrowd(3, { tasks: 60 });
  const plain = { epochs: 6, batch: 16, hidden: "6", schedule: "constant" } as const;
  const shared = { ...plain, smoothing: 1e-4, probFloor: 1e-3 };
  const one = await aLfc(data, features, { ...shared, alpha: 1, start: "shares" }, { executor });
  const other = await aggnet(data, features, shared, { executor });
  expect(one.posterior).toEqual(other.posterior);
  expect(one.predictor.weights).toEqual(other.predictor.weights);
});

it("does not depend on the units of features, and says in which it measures", async () => {
  const { data, features } = featureCrowd(4, { tasks: 60 });
  const size = features.shape[0];
  const wider = mapped(features, (x, i) => x * 100 ** ((i % size) - 1));
  const options = { epochs: 5, batch: 16, hidden: "6", epsilon: 0.5 };
  const one = await aLfc(data, features, options, { executor });
  const other = await aLfc(data, wider, options, { executor });
  other.posterior.forEach((p, at) => {
    expect(p).toBeCloseTo(one.posterior[at], 3);
  });
  expect(one.notes).toContain("Perturbations are measured in standard deviations of each feature.");
});

describe("on a crowd whose one robust feature is weak and whose many weak features are fragile", () => {
  const crowd = robustnessCrowd({ tasks: 1000, testTasks: 1000, seed: 1 });
  const { data, features, test } = crowd;
  const plainly = { schedule: "constant", smoothing: 1e-5 } as const;
  const network = { model: "logistic", standardise: false } as const;
  const options = { ...plainly, ...network, epochs: 60, rate: 0.01 } as const;

  /** Accuracy under white-box PGD at 0, .25 and .5. */
  async function curve({ predictor }: Learning): Promise<number[]> {
    if (!test?.features) throw new Error("This scenario has test features.");
    const points = await accuracyUnderAttack(
      executor,
      predictor,
      test.features,
      test.data.gold,
      pgd,
      {
        epsilons: [0, 0.25, 0.5],
        norm: "inf",
        steps: 10,
        randomStart: true,
        seed: 1,
      },
    );
    return points.map(({ accuracy }) => accuracy);
  }

  it("AggNet falls, training against stale examples does not help, against fresh ones it does", async () => {
    if (!features) throw new Error("This scenario has features.");
    const plain = await curve(await aggnet(data, features, options, { executor }));
    expect(plain[0]).toBeGreaterThan(0.95);
    expect(plain[2]).toBeLessThan(0.1);
    const attack = { ...options, epsilon: 0.5 };
    const stale = await curve(
      await aLfc(data, features, { ...attack, regenerate: "epoch" }, { executor }),
    );
    expect(stale[2]).toBeLessThan(0.4);
    const fresh = await curve(await aLfc(data, features, attack, { executor }));
    for (const accuracy of fresh) expect(accuracy).toBeGreaterThan(0.85);
  });
});
