/** What computes, on the command line: refused where it is missing, told where it runs. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingForCuda } from "../src/node/cuda.ts";
import { writeCrowd } from "./crowd-files.ts";
import { softwareVulkan, withVulkan } from "./platform.ts";
import { cli } from "./world.ts";

const root = join(import.meta.dirname, "..");
const scratch = mkdtempSync(join(tmpdir(), "consilience-devices-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const at = (name: string) => join(scratch, name);
const crowd = writeCrowd(scratch, { tasks: 60, dimensions: 4 });
const features = ["--features", crowd.features];
const learn = ["learn", crowd.labels, ...features, "--method", "ccem"];
const small = ["--epochs", "3", "--batch", "25", "--hidden", "4", "--rate", "0.02"];

beforeAll(async () => {
  const { code, said } = await cli([...learn, ...small, "--out", at("model")]);
  expect(code, said).toBe(0);
});

describe("--device cuda", () => {
  const commands = {
    learn: [...learn, ...small, "--out", at("cuda")],
    predict: ["predict", at("model"), ...features],
    attack: ["attack", at("model"), ...features, "--gold", crowd.gold, "--attack", "fgsm"],
    compare: ["compare", crowd.labels, ...features, ...small, "--methods", "ccem", "--seeds", "1"],
  };

  it.each(Object.entries(commands))(
    "%s runs on CUDA or says what is missing, and never takes the CPU instead",
    async (_, args) => {
      const missing = await missingForCuda();
      const { code, said } = await cli([...args, "--device", "cuda"]);
      if (missing === undefined) {
        expect(code, said).toBe(0);
        expect(said).toContain("engine: onnxruntime-node on CUDA");
        return;
      }
      expect(code, said).toBe(1);
      expect(said).toContain(`CUDA cannot be used here: ${missing} Or use --device cpu.`);
      expect(said).not.toContain("engine:");
      expect(existsSync(at("cuda"))).toBe(false);
    },
  );
});

describe("--device", () => {
  it.each([
    ["auto", "onnxruntime-node"],
    ["cpu", "onnxruntime-node"],
    ["wasm", "onnxruntime-web"],
  ])("%s runs a small network on %s", async (device, engine) => {
    const { code, said } = await cli([...learn, ...small, "--device", device]);
    expect(code, said).toBe(0);
    expect(said.match(/^engine: .*$/gm)).toEqual([`engine: ${engine}`]);
  });

  it.each([
    ["cuda", "typescript", "--device cuda is --engine onnxruntime-node, not typescript."],
    ["webgpu", "onnxruntime-web", "--device webgpu is --engine onnxruntime-node, not onnx"],
    ["wasm", "onnxruntime-node", "--device wasm is --engine onnxruntime-web, not onnxruntime-node"],
    ["tpu", "auto", '--device is one of auto, cpu, cuda, webgpu, wasm, not "tpu".'],
  ])("%s does not go with --engine %s", async (device, engine, message) => {
    const { code, said } = await cli([...learn, "--device", device, "--engine", engine]);
    expect(code).toBe(2);
    expect(said).toContain(message);
  });
});

describe("--device webgpu", () => {
  /** Runs the built command where a software driver is found. */
  function run(args: readonly string[]) {
    const env = { ...process.env, ...softwareVulkan };
    const bin = join(root, "dist/cli/bin.js");
    return spawnSync(process.execPath, [bin, ...args], { encoding: "utf8", timeout: 100_000, env });
  }

  withVulkan(
    "learns with the losses of the CPU, says where it runs, and predicts",
    () => {
      const [cpu, card] = ["cpu", "webgpu"].map((device) => {
        const out = at(device);
        const { status, stderr } = run([...learn, ...small, "--device", device, "--out", out]);
        expect(status, stderr).toBe(0);
        const { training } = JSON.parse(readFileSync(join(out, "model.json"), "utf8"));
        expect(stderr).toContain(`engine: ${training.engine}\n`);
        return training as { engine: string; history: { loss: number }[][] };
      });
      expect(cpu.engine).toBe("onnxruntime-node");
      expect(card.engine).toBe("onnxruntime-node on WebGPU");
      expect(readFileSync(join(at("webgpu"), "report.html"), "utf8")).toContain(card.engine);
      expect(cpu.history[0][2].loss).not.toBeCloseTo(cpu.history[0][0].loss, 2);
      cpu.history[0].forEach(({ loss }, epoch) => {
        expect(Math.abs(loss - card.history[0][epoch].loss), `epoch ${epoch}`).toBeLessThan(1e-3);
      });
      const told = run(["predict", at("webgpu"), ...features, "--device", "webgpu", "--json"]);
      expect(told.status, told.stderr).toBe(0);
      expect(JSON.parse(told.stdout)).toHaveLength(60);
    },
    120_000,
  );

  it("says what is missing where there is no adapter", () => {
    // No driver is found in an empty folder.
    const env = { ...process.env, LD_LIBRARY_PATH: scratch, VK_ICD_FILENAMES: at("none.json") };
    const args = [join(root, "dist/cli/bin.js"), ...learn, ...small, "--device", "webgpu"];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env });
    if (status === 0) expect(stderr).toContain("engine: onnxruntime-node on WebGPU");
    else expect(stderr).toMatch(/cannot run the network on WebGPU: .*--device cpu/);
  });
});
