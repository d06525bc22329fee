/** `consilience/attack`: inputs that fool a classifier, and how accurate it stays. */
export type { Attack, AttackSettings } from "../attack/attack.ts";
export { cw } from "../attack/cw.ts";
export { fgsm } from "../attack/fgsm.ts";
export { attacks } from "../attack/index.ts";
export { mim } from "../attack/mim.ts";
export type { Norm } from "../attack/perturb.ts";
export { pgd } from "../attack/pgd.ts";
export {
  type AttackPoint,
  accuracyUnderAttack,
  type UnderAttackOptions,
} from "../attack/under-attack.ts";
