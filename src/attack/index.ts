/** All attacks. */
import type { Attack } from "./attack.ts";
import { cw } from "./cw.ts";
import { fgsm } from "./fgsm.ts";
import { mim } from "./mim.ts";
import { pgd } from "./pgd.ts";

export const attacks: readonly Attack[] = [fgsm, pgd, mim, cw];
