import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { onLinux } from "../../test/platform.ts";
import { CrowdError } from "../error.ts";
import { missingForCuda, nativeBuild } from "./cuda.ts";
import { openRuntime } from "./runtime.ts";

const scratch = mkdtempSync(join(tmpdir(), "consilience-cuda-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe("openRuntime", () => {
  it("tells the name of what runs at once where nothing has to be chosen", async () => {
    const told: string[] = [];
    const onEngine = (name: string) => told.push(name);
    const native = await openRuntime({ device: "cpu", onEngine });
    const web = await openRuntime({ name: "onnxruntime-web", onEngine });
    expect([native.name, web.name]).toEqual(["onnxruntime-node", "onnxruntime-web"]);
    expect(told).toEqual(["onnxruntime-node", "onnxruntime-web"]);
  });

  it("opens CUDA where all of it is there, else says what is missing; never the CPU", async () => {
    const missing = await missingForCuda();
    const opened = await openRuntime({ device: "cuda" }).catch((error) => error);
    if (missing === undefined) {
      expect(opened.name).toBe("onnxruntime-node on CUDA");
    } else {
      expect(opened).toBeInstanceOf(CrowdError);
      expect(opened.code).toBe("not-supported");
      expect(opened.message).toBe(`CUDA cannot be used here: ${missing} Or use device: "cpu".`);
      expect(opened.hints).toEqual([{ option: "device", value: "cpu" }]);
    }
  });

  it.each(["cuda", "webgpu"] as const)("refuses %s through the WASM build", async (device) => {
    await expect(openRuntime({ name: "onnxruntime-web", device })).rejects.toThrow(
      /through onnxruntime-node, not through onnxruntime-web\./,
    );
  });
});

describe("what CUDA needs", () => {
  const build = { folder: scratch, version: "1.2.3" };
  const at = (name: string) => join(scratch, name);

  it("is looked for in the package that is installed", () => {
    expect(nativeBuild()?.folder).toMatch(/onnxruntime-node.bin.napi-v\d+.\w+.\w+$/);
    expect(nativeBuild()?.version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  onLinux("is named: files of the package first, then libraries of the system", async () => {
    if (process.arch !== "x64") return;
    expect(await missingForCuda(build)).toMatch(
      /^libonnxruntime_providers_cuda\.so and libonnxruntime_providers_shared\.so are missing in .*npm rebuild onnxruntime-node.*onnxruntime-gpu 1\.2\.3 of PyPI.*CUDA 13, cuDNN 9/,
    );
    writeFileSync(at("libonnxruntime_providers_shared.so"), "");
    expect(await missingForCuda(build)).toMatch(/^libonnxruntime_providers_cuda\.so is missing/);
    // A library whose own libraries lie elsewhere: Node's side of ONNX Runtime, without the runtime beside it.
    const binding = join(nativeBuild()?.folder ?? "", "onnxruntime_binding.node");
    copyFileSync(binding, at("libonnxruntime_providers_cuda.so"));
    expect(await missingForCuda(build)).toMatch(
      /^the system does not find libonnxruntime\.so\.1\. Install CUDA 13 with cuDNN 9, or add .* LD_LIBRARY_PATH\.$/,
    );
    copyFileSync(
      join(nativeBuild()?.folder ?? "", "libonnxruntime.so.1"),
      at("libonnxruntime.so.1"),
    );
    expect(await missingForCuda(build)).toBeUndefined();
  });
});
