/** Scores a table of answers against gold. */

import type { GoldPair } from "../io/sink.ts";
import type { Kind, Scores } from "../kinds/kind.ts";
import { kindNamed, kinds } from "../kinds.ts";

/** Which answers to score, against which gold. */
export interface EvaluateRequest {
  /** The kind of the answers. */
  readonly kind: string;
  /** What the kind's `answersTable` read. */
  readonly answers: unknown;
  readonly gold: readonly GoldPair[];
  /** Where the gold is from, for messages. */
  readonly goldName: string;
}

/** Returns the scores, and what is worth a note. */
export function evaluateJob({ kind, answers, gold, goldName }: EvaluateRequest): {
  readonly scores: Scores;
  readonly notes: readonly string[];
} {
  return kindNamed(kind).scoreAnswers(answers, gold, goldName);
}

/** Finds the kind of a table of answers by its columns; labels where no other is recognised. */
export function kindOfAnswers(header: readonly string[]): Kind {
  return kinds.find((kind) => kind.recogniseAnswers(header) !== undefined) ?? kinds[0];
}
