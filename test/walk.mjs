// A walk through the public pages, from text to answers, reports and a model: the same file runs in Node and in a
// browser, so that what it returns can be compared.

/** The crowd: 60 tasks of three classes; seven workers, the last of whom guess. */
function crowd(library) {
  const random = library.createRandom(7);
  const truth = Array.from({ length: 60 }, () => Math.floor(random.next() * 3));
  const rows = ["task,worker,label"];
  truth.forEach((k, t) => {
    for (let w = 0; w < 7; w++) {
      const right = random.next() < [0.9, 0.85, 0.8, 0.7, 0.7, 0.34, 0.34][w];
      rows.push(`t${t},w${w},c${right ? k : Math.floor(random.next() * 3)}`);
    }
  });
  const x = Float32Array.from(
    truth.flatMap((k) => [0, 1, 2].map((d) => (d === k ? 1 : 0) + random.next() - 0.5)),
  );
  const gold = truth.map((k, t) => [`t${t}`, `c${k}`]);
  return { text: `${rows.join("\n")}\n`, gold, x };
}

const bytesOf = (text) => new TextEncoder().encode(text);

/** Asks for everything a page would ask for; returns plain numbers and words. */
export async function walk(library, executor, document) {
  const { text, gold, x } = crowd(library);
  const data = await library.fromBytes([{ name: "labels.csv", bytes: bytesOf(text) }], {
    goldFile: {
      name: "gold.csv",
      bytes: bytesOf(`task,label\n${gold.map((pair) => pair.join()).join("\n")}\n`),
    },
  });
  const told = { progress: 0, notes: [] };
  const hooks = { progress: () => told.progress++, note: (note) => told.notes.push(note) };

  const outcome = await library.aggregateJob({ data, method: "dawid-skene" }, hooks);
  const judged = await library.judgeJob(outcome, {}, hooks);
  const page = await library.toHtml(outcome.kind.report(judged), document);
  const written = library.aggregateDocument(outcome, { files: [], command: [], timings: {} });

  const mine = library.defineMethod({ id: "mine" }, (crowd, _, { L: __ }) => ({
    posterior: library.aggregate(crowd, { method: "majority-vote" }).posterior,
  }));
  const comparison = await library.compareJob(
    { data, methods: ["majority-vote", "dawid-skene", "auto", "mine"], plugins: [mine], folds: 2 },
    hooks,
  );
  const diagnosed = await library.diagnoseJob({ data }, hooks);

  const features = library.fromMatrix(data.tasks, [3], x);
  const learnt = await library.learnJob(
    {
      data,
      features,
      method: "ccem",
      options: { epochs: 6, hidden: "4" },
      executor,
      test: { features, gold },
    },
    hooks,
  );
  const raced = await library.compareJob(
    {
      data,
      methods: ["majority-vote", "ccem"],
      options: { epochs: 2, hidden: "4" },
      seeds: 2,
      folds: 0,
      learning: { features, executor, test: { features, gold } },
    },
    hooks,
  );
  const made = library.learnFiles(learnt);
  const model = library.readModel({
    name: "model.onnx",
    onnx: made.files.get("model.onnx"),
    document: { name: "model.json", text: made.files.get("model.json") },
  });
  const predicted = await library.predictJob({ model, features, executor, labels: data }, hooks);
  const attacked = await library.attackJob(
    { model, features, gold, executor, attacks: ["fgsm"], epsilons: [0, 0.5] },
    hooks,
  );

  const stop = new AbortController();
  stop.abort();
  const stopped = await library.compareJob({ data }, { signal: stop.signal }).then(
    () => "went on",
    ({ code }) => code,
  );
  const numbers = library.fromCsv("task,worker,value\na,x,1\na,y,3\nb,x,2\n", { kind: "auto" });
  const pairs = library.fromCsv("worker,left,right,label\nx,a,b,a\ny,b,a,a\nx,a,b,b\n", {
    kind: "auto",
  });
  return {
    answers: [...library.answers(data, outcome.result)],
    workers: [...library.workers(data, outcome.result)],
    score: outcome.scores.line,
    report: page.length > 20_000 && page.includes("<svg"),
    fingerprint: written.dataset.fingerprint,
    compared: comparison.rows.map(({ method, metrics, heldOut }) => [method, metrics, heldOut]),
    raced: raced.rows.map(({ method, runs }) => [
      method,
      runs.map(({ scores }) => scores.accuracy),
    ]),
    diagnosed: diagnosed.lines,
    losses: learnt.trained.learning.history[0].map(({ loss }) => loss),
    tested: learnt.tested.metrics.accuracy.chosen.value,
    files: [...made.files.keys()],
    predicted: library.predictionRows(predicted).map(({ label }) => label),
    attacked: attacked.curves.map(({ points }) => points.map(({ accuracy }) => accuracy)),
    stopped,
    // What iterates to a tolerance differs by that tolerance between engines; means do not.
    values: [...library.answers(numbers, library.aggregate(numbers, { method: "mean" }))],
    blended: library.aggregate(numbers).portfolio.map(({ name }) => name),
    scores: [...library.answers(pairs, library.aggregate(pairs))],
    told: { ...told, progress: told.progress > 0 },
  };
}
