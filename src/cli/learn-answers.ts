/** Trains a network from numbers, comparisons or similarities: the part of `learn` that is not about labels. */
import type { CrowdData } from "../data/crowd-data.ts";
import {
  type LearnAnswersOutcome,
  learnAnswersDocument,
  learnAnswersFiles,
  predictionsCsv,
  scoreAnswersLearning,
} from "../jobs/learn-answers.ts";
import type { Trained } from "../jobs/train.ts";
import { kindOf } from "../kinds.ts";
import type { KindLearner, Learnt } from "../learn/create-learner.ts";
import type { LearnJob } from "../node/learn-job.ts";
import { writeFolder } from "../node/output.ts";
import { createSvgDocument } from "../node/svg-document.ts";
import type { Content } from "../report/content.ts";
import { toHtml } from "../report/html.ts";
import { wrap } from "../report/wrap.ts";
import type { createClock } from "./clock.ts";
import type { Given, World } from "./command.ts";
import { count } from "./data-flags.ts";
import { readKindSets } from "./feature-flags.ts";
import { writing } from "./output.ts";

/** What both parts of `learn` share. */
export interface Course {
  readonly given: Given;
  readonly world: World;
  readonly say: (text: string) => void;
  readonly clock: ReturnType<typeof createClock>;
  /** What a training is told besides its data. */
  readonly shared: Omit<LearnJob, "data" | "valid" | "test">;
  readonly train: (job: LearnJob<CrowdData>) => Promise<Trained<Learnt>>;
}

/** Trains, scores, and writes or shows what came out. */
export async function learnAnswers(
  { given, world, say, clock, shared, train }: Course,
  data: CrowdData,
  method: KindLearner,
): Promise<void> {
  const kind = kindOf(data);
  if (given.text("test-labels") !== undefined) {
    say(`note: --test-labels says nothing here: ${method.id} predicts from features alone.`);
  }
  const { test, valid } = await readKindSets(given, world, kind);
  clock.mark("read");
  const trained = await train({ ...shared, data, valid, ...(test && { test: test.source }) });
  clock.mark("train");
  const outcome = await scoreAnswersLearning(data, method, trained, test?.gold);
  for (const line of scoreLines(outcome)) say(line);
  for (const note of trained.learning.notes) say(`note: ${note}`);
  clock.mark("score");
  await write(given, world, outcome, clock, say);
}

/** What was scored, a line each. */
function scoreLines({ tested, scores, baseline }: LearnAnswersOutcome): string[] {
  return [
    ...(tested?.scores ? [`Test: ${tested.scores.line}`] : []),
    ...(tested && !tested.scores ? [`${count(tested.rows.length, "test row")} predicted.`] : []),
    ...(scores ? [`Answers: ${scores.line}`] : []),
    ...(baseline ? [`Without features (${baseline.id}): ${baseline.scores.line}`] : []),
  ];
}

async function write(
  given: Given,
  world: World,
  outcome: LearnAnswersOutcome,
  clock: Course["clock"],
  say: Course["say"],
): Promise<void> {
  const out = given.text("out");
  const document = (answers: boolean) =>
    learnAnswersDocument(outcome, {
      files: given.files,
      command: given.repeatable(),
      timings: clock.seconds(),
      answers,
    });
  if (out !== undefined) {
    const { files, report, attention } = await learnAnswersFiles(outcome, {
      anonymous: given.on("anonymise"),
      seed: given.number("seed") ?? 0,
    });
    const all = new Map<string, Content>([
      ...files,
      ["report.html", await toHtml(report, createSvgDocument())],
      ["result.json", `${JSON.stringify(document(false), null, 2)}\n`],
    ]);
    await writeFolder(out, all, writing(given, world));
    say(`Wrote ${[...all.keys()].join(", ")} into ${out}.`);
    for (const line of attention) say(line);
    say(`The report: ${out.replace(/[\\/]$/, "")}/report.html`);
  }
  const { kind, data, trained, tested } = outcome;
  if (given.on("json")) await world.print(`${JSON.stringify(document(out === undefined))}\n`);
  else if (out === undefined && world.terminal) {
    const epochs = trained.learning.history.flat().length;
    const head = `trained        ${trained.learning.method}, ${count(epochs, "epoch")}, ${trained.engine}`;
    await world.print(
      `${wrap([head, "", kind.summary(data, trained.learning)].join("\n"), world.width)}\n`,
    );
    say("Nothing was written. --out FOLDER writes model, answers and a report; a pipe gets CSV.");
  } else if (out === undefined) {
    const pieces = tested ? predictionsCsv(kind, tested) : kind.truth(trained.learning);
    for (const piece of pieces) await world.print(piece);
    say("The model was not written. --out FOLDER writes model, answers and a report.");
  }
}
