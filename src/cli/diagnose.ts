/** Whether to rely on the answers: the verdict, agreement, workers, dependence, what can be learnt at all. */
import { CrowdError } from "../error.ts";
import { diagnoseJob } from "../jobs/diagnose.ts";
import { openMethods } from "../node/plugins.ts";
import { rounded } from "../report/csv-files.ts";
import { wrap } from "../report/wrap.ts";
import type { Command } from "./command.ts";
import { commonFlags, dataFlags, readData } from "./data-flags.ts";
import { wholeNumber } from "./flags.ts";
import { checkMethod, pluginFiles, pluginFlag } from "./method-flags.ts";
import { hooksOf } from "./progress.ts";

const SCALES = ["nominal", "ordinal", "interval", "ratio"] as const;

export const diagnose: Command = {
  id: "diagnose",
  usage: "LABELS… [options]",
  example: "consilience diagnose labels.csv",
  flags: () => ({
    method: {
      type: "text",
      value: "NAME",
      help: "The method whose answers are judged; default: auto for labels.",
    },
    scale: {
      type: "text",
      value: SCALES.join("|"),
      help: "Scale of the classes.",
      default: "nominal",
    },
    time: {
      type: "switch",
      help: "Look at how the skill of each worker went over time; needs a column of times.",
    },
    workers: { type: "number", value: "N", help: "Workers to list; 0 lists all.", default: 20 },
    ...pluginFlag,
    ...commonFlags,
    ...dataFlags,
  }),
  async run(given, world) {
    const scale = SCALES.find((each) => each === given.text("scale"));
    if (!scale)
      throw new CrowdError(
        "usage",
        `--scale is one of ${SCALES.join(", ")}, not "${given.text("scale")}".`,
      );
    const plugins = await openMethods(pluginFiles(given));
    checkMethod(given, plugins);
    const data = await readData(given, world);
    const { document, lines } = await diagnoseJob(
      {
        data,
        method: given.text("method"),
        seed: given.number("seed"),
        scale,
        time: given.on("time"),
        workers: wholeNumber(given, "workers", { min: 0, max: 1e9 }),
        plugins,
      },
      hooksOf(world),
    );
    world.show("");
    await world.print(
      given.on("json")
        ? `${JSON.stringify(document, plain)}\n`
        : wrap([...lines, ""].join("\n"), world.width),
    );
  },
};

/** Numbers to seven digits, typed arrays as lists. */
function plain(_: string, value: unknown): unknown {
  if (typeof value === "number") return rounded(value);
  return value instanceof Float64Array || value instanceof Int32Array ? [...value] : value;
}
