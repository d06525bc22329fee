/** All attacks. */
import type { Attack } from "./attack.ts";
import { cw } from "./cw.ts";
import { fgsm } from "./fgsm.ts";
import { mim } from "./mim.ts";
import { pgd } from "./pgd.ts";

/** The attacks by id: `attacks.pgd`. */
export const attacks = { fgsm, pgd, mim, cw } as const;

export const attackList: readonly Attack[] = Object.values(attacks);
