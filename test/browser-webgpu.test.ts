import type { Browser, Page } from "playwright-core";
import { describe, expect } from "vitest";
import { fromMatrix } from "../src/data/features.ts";
import { ccem } from "../src/learn/ccem.ts";
import { openRuntime } from "../src/node/runtime.ts";
import { inBrowser, needsWebGpu, softwareWebGpu } from "./browser.ts";
import { bundle, serve } from "./browser-bundle.ts";
import { type FeatureCrowd, featureCrowd } from "./feature-crowd.ts";

const POLICY = "script-src 'self' 'unsafe-eval' 'wasm-unsafe-eval'; worker-src 'self' blob:";
const TASKS = 32;

interface Trained {
  readonly losses: readonly number[];
  readonly engine: string;
  /** How often work was handed to the graphics card. */
  readonly submitted: number;
  readonly predicted: readonly number[];
}

interface Job {
  readonly data: object;
  readonly x: readonly number[];
  readonly shape: readonly number[];
  readonly options: object;
}

// Two batches per epoch, the last one smaller. A software adapter takes seconds to prepare a network.
const networks = [
  ["an mlp", [6], { model: "mlp", hidden: "16", rate: 0.02 }],
  ["cnn4", [1, 4, 4], { model: "cnn4", rate: 0.01 }],
] as const;

describe("WebGPU in Chromium", () => {
  for (const [name, shape, more] of networks) {
    inBrowser(
      `trains ${name} with the losses of the CPU`,
      async (browser, context) => {
        const options = { epochs: 4, batch: 20, ...more };
        const { data, features, x } = crowdOf(shape);
        const executor = await openRuntime({ device: "cpu" });
        const here = await ccem(data, features, options, { executor });
        await withPage(browser, async (page, url) => {
          await needsWebGpu(page, context);
          const there = await train(page, url, { data: plain(data), x, shape, options });
          expect(there.engine).toBe("onnxruntime-web on WebGPU");
          expect(there.submitted).toBeGreaterThan(8);
          const losses = here.history[0].map(({ loss }) => loss);
          expect(Math.abs(losses[3] - losses[0])).toBeGreaterThan(0.01);
          expect(there.losses).toHaveLength(4);
          there.losses.forEach((loss, epoch) => {
            expect(Math.abs(loss - losses[epoch]), `epoch ${epoch}`).toBeLessThan(1e-3);
          });
          (await here.predictor.predict(features)).forEach((p, at) => {
            expect(Math.abs(p - there.predicted[at])).toBeLessThan(1e-2);
          });
        });
      },
      softwareWebGpu,
    );
  }

  inBrowser("is refused where there is no adapter, not replaced by the CPU", async (browser) => {
    const { data, x } = crowdOf([6]);
    await withPage(browser, async (page, url) => {
      const job = { data: plain(data), x, shape: [6], options: { epochs: 1, hidden: "2" } };
      await expect(train(page, url, job)).rejects.toThrow(/CrowdError.*WebGPU.*device: "cpu"/s);
    });
  });
});

/** A crowd whose features are rows of a shape. */
function crowdOf(shape: readonly number[]) {
  const dimensions = shape.reduce((product, size) => product * size, 1);
  const { data, features } = featureCrowd(3, { tasks: TASKS, dimensions, separation: 1.5 });
  const x = new Float32Array(TASKS * dimensions);
  features.read([...[...features.tasks].keys()], x);
  return { data, features: fromMatrix([...features.tasks], shape, x), x: [...x] };
}

/** What a page can be sent. */
const plain = (data: FeatureCrowd["data"]) => ({
  tasks: [...data.tasks],
  workers: [...data.workers],
  classes: [...data.classes],
  notes: [],
  task: [...data.task],
  worker: [...data.worker],
  label: [...data.label],
  gold: [...data.gold],
});

async function withPage(
  browser: Browser,
  test: (page: Page, url: string) => Promise<void>,
): Promise<void> {
  const { url, close } = await serve((await bundle()).code, POLICY);
  try {
    const page = await browser.newPage({ bypassCSP: false });
    await page.goto(url);
    await test(page, url);
  } finally {
    close();
  }
}

/** Trains in a page on WebGPU. */
const train = (page: Page, url: string, job: Job): Promise<Trained> =>
  page.evaluate(`(async ({ data, x, shape, options }) => {
    let submitted = 0;
    const queue = globalThis.GPUQueue?.prototype;
    const submit = queue?.submit;
    if (queue) queue.submit = function (...given) { submitted++; return submit.apply(this, given); };
    const library = await import("${url}consilience.js");
    const ort = await import("${url}ort.webgpu.bundle.min.mjs");
    ort.env.wasm.numThreads = 1;
    ort.env.wasm.wasmPaths = "${url}";
    const executor = library.createRuntimeExecutor(ort, { name: "onnxruntime-web", device: "webgpu" });
    const ints = (values) => Int32Array.from(values);
    const crowd = {
      ...data, task: ints(data.task), worker: ints(data.worker), label: ints(data.label), gold: ints(data.gold),
    };
    const features = library.fromMatrix(data.tasks, shape, Float32Array.from(x));
    const result = await library.learners["ccem"](crowd, features, options, { executor });
    const predicted = Array.from(await result.predictor.predict(features));
    const losses = result.history[0].map(({ loss }) => loss);
    return { losses, engine: executor.name, submitted, predicted };
  })(${JSON.stringify(job)})`);
