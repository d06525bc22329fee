/** The tables of sequences: tags, spans, workers. */
import type { SequenceResult } from "../aggregate/sequence/tagger.ts";
import type { Names } from "../data/names.ts";
import type { SequenceData } from "../data/sequence.ts";
import type { SequenceWorker } from "../diagnose/sequence-workers.ts";
import { worstFirst } from "../diagnose/standing.ts";
import { writeCsv } from "../io/csv-writer.ts";
import { rounded } from "../report/csv-files.ts";
import { answersTable, goldTable } from "./tables.ts";

const cell = (x: number) => (Number.isNaN(x) ? undefined : rounded(x));

/** task,worker,position,[token,]label and task,position,[token,]label: the answers, and what is known. */
export function tagTables(data: SequenceData) {
  const { tasks, workers, worker, classes, token, label, tokens, gold } = data;
  const text = tokens.text ? ["token"] : [];
  const place = (t: number) => [tokens.position[t], ...(tokens.text ? [tokens.text[t]] : [])];
  return {
    answers: answersTable(data, ["task", "worker", "position", ...text, "label"], (i) => [
      tasks.at(data.task[i]),
      workers.at(worker[i]),
      ...place(token[i]),
      classes.at(label[i]),
    ]),
    gold: goldTable(["task", "position", ...text, "label"], tokens.length, (t) =>
      gold[t] < 0 ? undefined : [tasks.at(tokens.task[t]), ...place(t), classes.at(gold[t])],
    ),
  };
}

/** Tags by name, as plain rows. */
export function* tagRows(_: SequenceData, result: SequenceResult) {
  const { tokens, tasks, classes, path, confidence } = result;
  for (let t = 0; t < tokens.length; t++) {
    yield {
      task: tasks.at(tokens.task[t]),
      position: tokens.position[t],
      ...(tokens.text && { token: tokens.text[t] }),
      label: classes.at(path[t]),
      confidence: confidence[t],
    };
  }
}

/** task,position,[token,]label,confidence. */
export function tagsCsv(result: SequenceResult): Iterable<string> {
  const { tokens, tasks, classes, path, confidence } = result;
  const { text } = tokens;
  function* rows(): Iterable<(string | number | undefined)[]> {
    for (let t = 0; t < tokens.length; t++) {
      yield [
        tasks.at(tokens.task[t]),
        tokens.position[t],
        ...(text ? [text[t]] : []),
        classes.at(path[t]),
        cell(confidence[t]),
      ];
    }
  }
  return writeCsv(["task", "position", ...(text ? ["token"] : []), "label", "confidence"], rows());
}

/** Spans by name: first and last position, type, text where it is known, probability. */
function* spanRows({ tokens, tasks, spans }: SequenceResult) {
  const { text, position } = tokens;
  for (const [i, start] of spans.start.entries()) {
    const end = spans.end[i];
    yield {
      task: tasks.at(tokens.task[start]),
      start: position[start],
      end: position[end],
      type: spans.types[spans.type[i]],
      ...(text && { text: text.slice(start, end + 1).join(" ") }),
      probability: spans.probability[i],
    };
  }
}

/** task,start,end,type,[text,]probability; positions are those of the first and the last token. */
export function spansCsv(result: SequenceResult): Iterable<string> {
  const worded = result.tokens.text !== undefined;
  function* rows(): Iterable<(string | number | undefined)[]> {
    for (const { task, start, end, type, text, probability } of spanRows(result)) {
      yield [task, start, end, type, ...(worded ? [text] : []), cell(probability)];
    }
  }
  const header = ["task", "start", "end", "type", ...(worded ? ["text"] : []), "probability"];
  return writeCsv(header, rows());
}

/** worker,answers,accuracy,accuracy_low,accuracy_high,span_f1,standing, worst first. */
export function tagWorkersCsv(names: Names, judged: readonly SequenceWorker[]): Iterable<string> {
  const rows = worstFirst(judged).map((w) => {
    const { labels, skill, low, high, spanF1, standing } = judged[w];
    return [names.at(w), labels, cell(skill), cell(low), cell(high), cell(spanF1), standing];
  });
  const header = [
    "worker",
    "answers",
    "accuracy",
    "accuracy_low",
    "accuracy_high",
    "span_f1",
    "standing",
  ];
  return writeCsv(header, rows);
}
