/** What an attack is: a card with options as data, and settings for the loop of `perturb`. */
import type { Paper } from "../method.ts";
import type { Norm, Perturbation } from "./perturb.ts";
import type { AttackLoss } from "./victim.ts";

/** How strong an attack is. */
export interface AttackSettings {
  readonly epsilon: number;
  readonly norm: Norm;
  /** Steps of the attacks that take several. */
  readonly steps: number;
  readonly randomStart: boolean;
  readonly range?: readonly [low: number, high: number] | undefined;
}

/** An attack: a card and the steps it takes. */
export interface Attack {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly paper: Paper;
  /** What it makes large, as far as it has a choice. */
  readonly loss: AttackLoss;
  settle(settings: AttackSettings): Perturbation;
}

/** A quarter of the way in each step, as the papers on learning from crowds have it. */
export const STEP_SHARE = 0.25;
