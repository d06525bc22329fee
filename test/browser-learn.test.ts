import { describe, expect } from "vitest";
import { ccem } from "../src/learn/ccem.ts";
import { openRuntime } from "../src/node/runtime.ts";
import { inBrowser } from "./browser.ts";
import { bundle, serve } from "./browser-bundle.ts";
import { featureCrowd } from "./feature-crowd.ts";

const POLICY = "script-src 'self' 'unsafe-eval' 'wasm-unsafe-eval'; worker-src 'self' blob:";

interface Results {
  readonly losses: number[];
  readonly engine: string;
  /** What the model that was trained in Node says here. */
  readonly probabilities: number[];
  readonly own: number[];
}

describe("learning in Chromium", () => {
  inBrowser("trains with Node's losses, and runs Node's model", async (browser) => {
    const dimensions = 6;
    const { data, features } = featureCrowd(3, { tasks: 120, dimensions, separation: 1.5 });
    // One step per epoch: 50 epochs are 50 steps.
    const options = { epochs: 50, batch: 1000, hidden: "16", rate: 0.02 };
    const here = await ccem(data, features, options, { executor: await openRuntime() });
    const model = here.predictor.toOnnx();
    const x = new Float32Array(120 * dimensions);
    features.read([...[...features.tasks].keys()], x);
    const plain = {
      tasks: data.tasks,
      workers: data.workers,
      classes: data.classes,
      notes: [],
      task: [...data.task],
      worker: [...data.worker],
      label: [...data.label],
      gold: [...data.gold],
    };
    const { url, close } = await serve((await bundle()).code, POLICY);
    try {
      const page = await browser.newPage({ bypassCSP: false });
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(String(error)));
      await page.goto(url);
      const results: Results = await page.evaluate(`(async ({ data, x, options, model }) => {
        const library = await import("${url}consilience.js");
        const ort = await import("${url}ort.wasm.bundle.min.mjs");
        ort.env.wasm.numThreads = 1;
        ort.env.wasm.wasmPaths = "${url}";
        const executor = library.createRuntimeExecutor(ort, { name: "onnxruntime-web" });
        const ints = (values) => Int32Array.from(values);
        const crowd = {
          ...data, task: ints(data.task), worker: ints(data.worker), label: ints(data.label), gold: ints(data.gold),
        };
        const features = library.fromMatrix(data.tasks, [${dimensions}], Float32Array.from(x));
        const learner = library.learners["ccem"];
        const result = await learner(crowd, features, options, { executor });
        const session = await ort.InferenceSession.create(Uint8Array.from(model));
        const input = new ort.Tensor("float32", Float32Array.from(x), [data.tasks.length, ${dimensions}]);
        const { probabilities } = await session.run({ features: input });
        return {
          losses: result.history[0].map(({ loss }) => loss),
          engine: executor.name,
          probabilities: Array.from(probabilities.data),
          own: Array.from(await result.predictor.predict(features)),
        };
      })(${JSON.stringify({ data: plain, x: [...x], options, model: [...model] })})`);
      expect(errors).toEqual([]);
      expect(results.engine).toBe("onnxruntime-web");
      expect(results.losses).toHaveLength(50);
      results.losses.forEach((loss, step) => {
        expect(Math.abs(loss - here.history[0][step].loss), `step ${step}`).toBeLessThan(1e-4);
      });
      expect(results.losses[49]).toBeLessThan(results.losses[0] - 0.1);
      const f = await here.predictor.predict(features);
      f.forEach((p, at) => {
        expect(Math.abs(p - results.probabilities[at])).toBeLessThan(1e-5);
        expect(Math.abs(p - results.own[at])).toBeLessThan(1e-3);
      });
    } finally {
      close();
    }
  });
});
