/** `consilience/diagnose`: what labels say about themselves, without gold. */
export { type Agreement, type AgreementOptions, agreement } from "../diagnose/agreement.ts";
export type { Check, CheckStatus } from "../diagnose/checks.ts";
export type { Coefficient } from "../diagnose/coefficient.ts";
export { type CohenOptions, cohenKappa } from "../diagnose/cohen.ts";
export {
  type Identifiability,
  type IdentifiabilityCheck,
  identifiability,
} from "../diagnose/identifiability.ts";
export { type DiagnoseOptions, type Diagnosis, diagnose } from "../diagnose/index.ts";
export type { ChangedAnswer, ChangedWorker, Changes, Run, RunRow } from "../diagnose/since.ts";
export { type SkillIntervals, skillIntervals } from "../diagnose/skill-intervals.ts";
export { type Ranked, type Standing, worstFirst } from "../diagnose/standing.ts";
export { scoreWorkers, type WorkerFlag, type WorkerScore } from "../diagnose/worker-scores.ts";
export { findGroups, type GroupSearch, type WorkerGroups } from "../em/find-groups.ts";
