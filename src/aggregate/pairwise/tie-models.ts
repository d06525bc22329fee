/**
 * What ties say of two items whose scores differ by d: log-likelihoods of a pair with their derivatives by d
 * and by the one parameter x of ties, shared by all pairs.
 *
 *   half        a tie is half a win for each side                     no parameter
 *   Davidson    win : loss : tie = e^(d/2) : e^(-d/2) : nu            x = log nu
 *   Rao–Kupper  P(win) = logistic(d - tau), P(loss) = logistic(-d - tau), else a tie     x = log tau
 *
 * Davidson (1970), J. Am. Stat. Assoc. 65(329), 317–328. https://doi.org/10.1080/01621459.1970.10481082
 * Rao & Kupper (1967), J. Am. Stat. Assoc. 62(317), 194–204. https://doi.org/10.1080/01621459.1967.10482901
 */

/** Log-likelihood of a pair; pulls are first derivatives, bends are second ones with the sign turned. */
export interface Terms {
  value: number;
  pull: number;
  bend: number;
  tiePull: number;
  tieBend: number;
  cross: number;
}

export const noTerms = (): Terms => ({
  value: 0,
  pull: 0,
  bend: 0,
  tiePull: 0,
  tieBend: 0,
  cross: 0,
});

/** How ties enter the likelihood. */
export interface TieModel {
  /** Writes what the comparisons of a pair say where the scores differ by a lead. */
  terms(won: number, lost: number, tied: number, lead: number, x: number, out: Terms): void;
  /** P(first wins) and P(tie). */
  chances(lead: number, x: number): { readonly win: number; readonly tie: number };
  /** Where x starts, and the mean of its normal prior; undefined where there is no parameter. */
  readonly start?: number;
}

/** Variance of the prior of log nu and of log tau. */
export const TIE_VARIANCE = 4;

export const half: TieModel = {
  terms(won, lost, tied, lead, _, out) {
    const [wins, losses] = [won + tied / 2, lost + tied / 2];
    const small = Math.exp(-Math.abs(lead));
    const better = 1 / (1 + small);
    const chance = lead > 0 ? better : 1 - better;
    out.value = -(wins + losses) * Math.log1p(small) - (lead > 0 ? losses : wins) * Math.abs(lead);
    out.pull = wins * (1 - chance) - losses * chance;
    out.bend = (wins + losses) * small * better * better;
  },
  chances: (lead) => ({ win: logistic(lead), tie: 0 }),
};

export const davidson: TieModel = {
  start: 0,
  terms(won, lost, tied, lead, x, out) {
    const n = won + lost + tied;
    const top = Math.max(Math.abs(lead) / 2, x);
    const [a, b, c] = [Math.exp(lead / 2 - top), Math.exp(-lead / 2 - top), Math.exp(x - top)];
    const sum = a + b + c;
    const [win, tie] = [a / sum, c / sum];
    const mean = win + tie / 2;
    out.value = ((won - lost) * lead) / 2 + tied * x - n * (top + Math.log(sum));
    out.pull = won + tied / 2 - n * mean;
    out.bend = n * (win + tie / 4 - mean * mean);
    out.tiePull = tied - n * tie;
    out.tieBend = n * tie * (1 - tie);
    out.cross = n * tie * (0.5 - mean);
  },
  chances(lead, x) {
    const top = Math.max(Math.abs(lead) / 2, x);
    const [a, b, c] = [Math.exp(lead / 2 - top), Math.exp(-lead / 2 - top), Math.exp(x - top)];
    return { win: a / (a + b + c), tie: c / (a + b + c) };
  },
};

const raoKupper: TieModel = {
  start: -1,
  terms(won, lost, tied, lead, x, out) {
    const tau = Math.exp(x);
    const [a, b] = [won + tied, lost + tied];
    const [up, down] = [logistic(lead - tau), logistic(-lead - tau)];
    const [bendUp, bendDown] = [a * up * (1 - up), b * down * (1 - down)];
    const gap = -Math.expm1(-2 * tau);
    const byTau = (2 * tied) / gap - a * (1 - up) - b * (1 - down);
    const bendTau = bendUp + bendDown + (4 * tied * Math.exp(-2 * tau)) / gap ** 2;
    out.value =
      tied * (2 * tau + Math.log(gap)) - a * softplus(tau - lead) - b * softplus(tau + lead);
    out.pull = a * (1 - up) - b * (1 - down);
    out.bend = bendUp + bendDown;
    out.tiePull = tau * byTau;
    out.tieBend = tau * tau * bendTau - tau * byTau;
    out.cross = tau * (bendDown - bendUp);
  },
  chances(lead, x) {
    const tau = Math.exp(x);
    const win = logistic(lead - tau);
    return { win, tie: Math.max(0, 1 - win - logistic(-lead - tau)) };
  },
};

/** The models with a parameter, by the name of their option. */
export const tieModels: Readonly<Record<string, TieModel>> = { davidson, "rao-kupper": raoKupper };

/** Returns 1 / (1 + exp(-x)). */
export function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** Returns log(1 + exp(x)) without overflow. */
export function softplus(x: number): number {
  return Math.max(0, x) + Math.log1p(Math.exp(-Math.abs(x)));
}
