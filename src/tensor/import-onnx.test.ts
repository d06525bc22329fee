import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CrowdError } from "../error.ts";
import { createRandom } from "../math/random.ts";
import { input, type Tensor } from "./graph.ts";
import { importClassifier } from "./import-onnx.ts";
import { interpret } from "./interpreter.ts";
import { models } from "./models.ts";
import { toOnnx } from "./onnx.ts";
import { readOnnx } from "./onnx-reader.ts";
import { softmax } from "./ops/softmax.ts";
import { Message } from "./protobuf.ts";
import { createScope } from "./scope.ts";
import { countOf } from "./shape.ts";

/** A named network with weights drawn at random, as ONNX, and what it computes. */
function exported(name: keyof typeof models, shape: readonly number[]) {
  const random = createRandom(4).split(name);
  const scope = createScope(false);
  const net = models[name](shape, 3, { hidden: [7], dropout: 0.5 });
  const logits = net.head(
    net.trunk(input("features", ["batch", ...shape]), scope),
    scope.child("head"),
  );
  const { parameters, states } = scope.requests;
  const weights = new Map(
    [...parameters.values(), ...states.values()].map(({ name: key, shape: sizes }) => [
      key,
      Float32Array.from({ length: countOf(sizes) }, () => 0.2 + 0.3 * random.next()),
    ]),
  );
  const outputs: Record<string, Tensor> = { logits, probabilities: softmax(logits) };
  const metadata = { classes: JSON.stringify(["a", "b", "c"]) };
  const x = Float64Array.from({ length: 2 * countOf(shape) }, () => random.next() - 0.5);
  const wanted = interpret({ logits }).runNow({ features: x, ...Object.fromEntries(weights) });
  return { bytes: toOnnx(outputs, { weights, metadata }), x, wanted: wanted["logits"] };
}

const cases = [
  ["logistic", [5]],
  ["mlp", [5]],
  ["cnn4", [3, 48, 48]],
  ["cnn4", [1, 12, 12]],
  ["vgg-small", [1, 8, 8]],
  ["resnet-small", [1, 8, 8]],
] as const;

describe("reading ONNX", () => {
  it.each(cases)("%s %s comes back as it was", (name, shape) => {
    const { bytes, x, wanted } = exported(name, shape);
    const { module, shape: found, classes } = importClassifier(readOnnx(bytes));
    expect(found).toEqual(shape);
    expect(classes).toEqual(["a", "b", "c"]);
    const logits = module(input("features", ["batch", ...shape]), createScope(false));
    const results = interpret({ logits }).runNow({ features: x })["logits"];
    wanted.forEach((value, i) => {
      expect(Math.abs(results[i] - value) / Math.max(1, Math.abs(value))).toBeLessThan(1e-6);
    });
  });

  it("meets any damage with our error or a sound model", () => {
    const { bytes } = exported("mlp", [5]);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        fc.nat(bytes.length),
        (damage, length) => {
          const copy = bytes.slice(0, Math.max(length, bytes.length - 40));
          for (const [at, value] of damage) if (at < copy.length) copy[at] = value;
          for (const attempt of [copy, bytes.slice(0, length)]) {
            try {
              importClassifier(readOnnx(attempt));
            } catch (error) {
              expect(error).toBeInstanceOf(CrowdError);
            }
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it("refuses weights in other files, lying sizes and what it does not know", () => {
    const model = (tensor: Message, op = "Relu") => {
      const node = new Message().text(1, "x").text(2, "y").text(4, op);
      const dims = new Message()
        .message(1, new Message().text(2, "batch"))
        .message(1, new Message().int(1, 2));
      const value = (name: string) =>
        new Message()
          .text(1, name)
          .message(2, new Message().message(1, new Message().int(1, 1).message(2, dims)));
      const graph = new Message()
        .message(1, node)
        .message(5, tensor)
        .message(11, value("x"))
        .message(12, value("y"));
      return new Message().int(1, 8).message(7, graph).finish();
    };
    const tensor = () => new Message().ints(1, [2]).int(2, 1).text(8, "w");
    const outside = tensor()
      .message(13, new Message().text(1, "location").text(2, "/etc/passwd"))
      .int(14, 1);
    expect(() => readOnnx(model(outside))).toThrow(/"w" lie in another file, which is not opened/);
    const lying = new Message()
      .ints(1, [1e9, 1e9])
      .int(2, 1)
      .text(8, "w")
      .bytes(9, new Uint8Array(8));
    expect(() => readOnnx(model(lying))).toThrow(/holds 2 numbers/);
    const fine = tensor().bytes(9, new Uint8Array(8));
    expect(importClassifier(readOnnx(model(fine))).classes).toEqual(["0", "1"]);
    expect(() => importClassifier(readOnnx(model(fine, "If")))).toThrow(
      /the op If is not supported/,
    );
    expect(() => readOnnx(new TextEncoder().encode("<html>"))).toThrow(CrowdError);
    expect(() => readOnnx(new Uint8Array(0))).toThrow(/no ONNX model/);
  });
});
