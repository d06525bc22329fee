/** The learners of a comparison on the command line: their flags, and trainings in threads of their own. */
import { existsSync } from "node:fs";
import type { CategoricalData } from "../data/categorical.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError } from "../error.ts";
import type { LearningElsewhere } from "../jobs/compare.ts";
import { kindOf } from "../kinds.ts";
import type { AnyLearner } from "../learn/learner.ts";
import { trainingOptions } from "../learn/options.ts";
import { openEngine } from "../node/learn-job.ts";
import { learnInThread } from "../node/learn-thread.ts";
import type { FlagTable, Given, World } from "./command.ts";
import { engineFlags, engineOf, usualThreads } from "./engine-flags.ts";
import { featureFlags, featureSource, readSets, testFlags } from "./feature-flags.ts";
import { cardFlags, cardValues } from "./flags.ts";
import { pluginFiles } from "./method-flags.ts";
import { threadsOf } from "./threads.ts";

const { seed: _, ...trainingTable } = trainingOptions;

/** The options that learners share; each learner has defaults of its own. */
const trainingFlags: FlagTable = Object.fromEntries(
  Object.entries(cardFlags(trainingTable, "Options of all learners that have them")).map(
    ([name, { default: __, ...flag }]) => [name, flag],
  ),
);

/** The flags that only matter with --features. */
export const learningFlags: FlagTable = {
  ...engineFlags,
  ...featureFlags,
  ...testFlags,
  ...trainingFlags,
};

/** Reads what learners need; undefined without --features. */
export async function readLearning(
  given: Given,
  world: World,
  data: CrowdData,
  plugins: readonly AnyLearner[],
): Promise<{ learning: LearningElsewhere; options: object } | undefined> {
  const features = featureSource(given, "features");
  if (!features) {
    checkAlone(given);
    return undefined;
  }
  if (kindOf(data).id !== "categorical") {
    throw new CrowdError(
      "not-supported",
      `--features is for labels; these are ${kindOf(data).id} answers.`,
    );
  }
  const { test, valid } = await readSets(given, world, data as CategoricalData);
  for (const { path } of [features, test?.source, valid?.features].flatMap((each) => each ?? [])) {
    if (path !== "-" && !existsSync(path)) {
      throw new CrowdError("bad-data", `There is no file or folder ${path}.`);
    }
  }
  const options = cardValues(given, trainingTable);
  const say = given.on("quiet") || given.on("json") ? () => {} : once(world.say);
  const engine = engineOf(given);
  // Where a device is missing every training would fail: that is said before the first of them.
  if (engine.device === "cuda" || engine.device === "webgpu") {
    await world.whole(() => openEngine(engine, () => {}));
  }
  const threads = threadsOf(given, say) ?? usualThreads(options);
  const files = pluginFiles(given);
  const learning: LearningElsewhere = {
    plugins,
    ...(test?.gold && { test: { gold: test.gold } }),
    train: ({ method, options: own, data: labels }, { signal = world.signal, progress }) =>
      // A native step must not be cut short; the thread stops by itself after it.
      world.whole(() =>
        learnInThread(
          {
            method: method.id,
            plugins: files,
            options: own,
            data: labels,
            features,
            valid,
            ...(test && { test: test.source }),
            ...engine,
            threads,
          },
          { signal, say, progress: (told) => progress?.(told), checkpoint: () => {} },
        ),
      ),
  };
  return { learning, options };
}

/** Refuses flags that say something about learners if there are none. */
function checkAlone(given: Given): void {
  const stray = Object.keys(learningFlags).find(
    (name) => name !== "columns" && given.named.has(name),
  );
  if (stray !== undefined) {
    throw new CrowdError("usage", `--${stray} is for learners, which need --features FILE.`);
  }
}

/** Says every line once, since each training opens the same files. */
function once(say: (text: string) => void): (text: string) => void {
  const said = new Set<string>();
  return (text) => {
    if (said.has(text)) return;
    said.add(text);
    say(text);
  };
}
