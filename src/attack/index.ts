/** All attacks. */
import type { Attack } from "./attack.ts";
import { cw } from "./cw.ts";
import { fgsm } from "./fgsm.ts";
import { mim } from "./mim.ts";
import { pgd } from "./pgd.ts";

/** By id. */
export const attacksById = { fgsm, pgd, mim, cw } as const;

export const attacks: readonly Attack[] = Object.values(attacksById);
