/** What a plan stands on: offers, gold questions, the board of tasks, the chooser of questions, the ledger. */
import type { CategoricalData } from "../data/categorical.ts";
import { createRandom, type Random } from "../math/random.ts";
import type { OnlineModel } from "../online/online.ts";
import { createBandit, createEvidence } from "./bandits.ts";
import { createChooser } from "./choose.ts";
import { createGoldQuestions } from "./gold-questions.ts";
import { createLedger } from "./ledger.ts";
import { createOffers, type Offers } from "./offers.ts";
import { type PlanOptions, type PlanSettings, settlePlan } from "./plan-options.ts";
import { createSpeakers, type Speakers } from "./speakers.ts";
import { createBoard } from "./task-board.ts";

export type Parts = ReturnType<typeof makeParts>;

/** Makes what a plan stands on, and tells it of the labels so far. */
export function makeParts(model: OnlineModel, given: PlanOptions) {
  const asGold = given.gold && [...given.gold];
  for (const [task, label] of asGold ?? []) model.setGold(task, label);
  const data = model.data();
  const K = data.classes.length;
  const offers = createOffers(
    labelledPairs(data),
    {
      tasks: [...data.tasks, ...(given.tasks ?? [])],
      workers: [...data.workers, ...(given.workers ?? [])],
    },
    given.offers,
  );
  const known = knownClasses(model, data, offers);
  const tasks = () => offers.tasks.length() - known.size;
  const settings = settlePlan(given, K, tasks());
  const random = createRandom(settings.seed).split("assign");
  const costOf = (w: number) => given.cost?.get(offers.workers.at(w)) ?? 1;
  const questions = asGold
    ? new Map(asGold.map(([task, label]) => [offers.task(String(task)), String(label)]))
    : known;
  const gold = createGoldQuestions(questions, offers, random.split("gold"));
  const speakers = createSpeakers(model, offers, K, costOf);
  const isGold = (t: number) => known.has(t);
  const board = createBoard(model, offers, speakers, K, { ...settings, isGold });
  for (let i = 0; i < data.label.length; i++) {
    const t = offers.task(data.tasks.at(data.task[i]));
    const w = offers.worker(data.workers.at(data.worker[i]));
    board.count(t);
    gold.ask(t, w);
    if (isGold(t) && data.label[i] >= 0) gold.answer(t, w, data.classes.at(data.label[i]));
  }
  board.refresh();
  const { evidence, bandit } = createArms(model, offers, speakers, settings, K, random);
  const ledger = createLedger(offers, costOf, given.perWorker);
  const chooser = createChooser(speakers, offers, board, random, {
    ...settings,
    K,
    costOf,
    answersOf: gold.asked,
    askedSoFar: () => ledger.spent().asked,
    bandit,
  });
  const classOf = (label: string) => data.classes.indexOf(label);
  return {
    K,
    offers,
    settings,
    ledger,
    gold,
    speakers,
    board,
    chooser,
    random,
    evidence,
    tasks,
    costOf,
    classOf,
  };
}

/** Makes workers the arms of a bandit, if they are to be compared so. */
function createArms(
  model: OnlineModel,
  offers: Offers,
  speakers: Speakers,
  { workerChoice }: PlanSettings,
  K: number,
  random: Random,
) {
  if (workerChoice === "gain") return { evidence: undefined, bandit: undefined };
  const evidence = createEvidence(offers, K);
  evidence.recount(model);
  const bandit = createBandit(workerChoice, speakers, evidence, K, random.split("bandit"));
  return { evidence, bandit };
}

/** The classes that the model knows, by number of the task. */
function knownClasses(model: OnlineModel, data: CategoricalData, offers: Offers) {
  const known = new Map<number, string>();
  model.known().gold?.forEach((k, t) => {
    if (k >= 0) known.set(offers.task(data.tasks.at(t)), data.classes.at(k));
  });
  return known;
}

function* labelledPairs(data: CategoricalData): Generator<readonly [string, string]> {
  for (let i = 0; i < data.label.length; i++) {
    yield [data.tasks.at(data.task[i]), data.workers.at(data.worker[i])];
  }
}
