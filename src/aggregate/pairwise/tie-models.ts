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

/** The comparisons of one pair. */
interface Counts {
  readonly won: number;
  readonly lost: number;
  readonly tied: number;
}

/** Log-likelihood of a pair; pulls are first derivatives, bends are second ones with the sign turned. */
interface Terms {
  readonly value: number;
  readonly pull: number;
  readonly bend: number;
  readonly tiePull: number;
  readonly tieBend: number;
  readonly cross: number;
}

/** How ties enter the likelihood. */
export interface TieModel {
  terms(counts: Counts, lead: number, x: number): Terms;
  /** Where x starts, and the mean of its normal prior; undefined where there is no parameter. */
  readonly start?: number;
}

/** Variance of the prior of log nu and of log tau. */
export const TIE_VARIANCE = 4;

export const half: TieModel = {
  terms({ won, lost, tied }, lead) {
    const [wins, losses] = [won + tied / 2, lost + tied / 2];
    const chance = logistic(lead);
    return {
      value: -wins * softplus(-lead) - losses * softplus(lead),
      pull: wins * (1 - chance) - losses * chance,
      bend: (wins + losses) * chance * (1 - chance),
      tiePull: 0,
      tieBend: 0,
      cross: 0,
    };
  },
};

export const davidson: TieModel = {
  start: 0,
  terms({ won, lost, tied }, lead, x) {
    const n = won + lost + tied;
    const top = Math.max(Math.abs(lead) / 2, x);
    const parts = [Math.exp(lead / 2 - top), Math.exp(-lead / 2 - top), Math.exp(x - top)];
    const sum = parts[0] + parts[1] + parts[2];
    const [win, tie] = [parts[0] / sum, parts[2] / sum];
    const mean = win + tie / 2;
    return {
      value: ((won - lost) * lead) / 2 + tied * x - n * (top + Math.log(sum)),
      pull: won + tied / 2 - n * mean,
      bend: n * (win + tie / 4 - mean * mean),
      tiePull: tied - n * tie,
      tieBend: n * tie * (1 - tie),
      cross: n * tie * (0.5 - mean),
    };
  },
};

export const raoKupper: TieModel = {
  start: -1,
  terms({ won, lost, tied }, lead, x) {
    const tau = Math.exp(x);
    const [a, b] = [won + tied, lost + tied];
    const [up, down] = [logistic(lead - tau), logistic(-lead - tau)];
    const [bendUp, bendDown] = [a * up * (1 - up), b * down * (1 - down)];
    const gap = -Math.expm1(-2 * tau);
    const byTau = (2 * tied) / gap - a * (1 - up) - b * (1 - down);
    const bendTau = bendUp + bendDown + (4 * tied * Math.exp(-2 * tau)) / gap ** 2;
    return {
      value: tied * (2 * tau + Math.log(gap)) - a * softplus(tau - lead) - b * softplus(tau + lead),
      pull: a * (1 - up) - b * (1 - down),
      bend: bendUp + bendDown,
      tiePull: tau * byTau,
      tieBend: tau * tau * bendTau - tau * byTau,
      cross: tau * (bendDown - bendUp),
    };
  },
};

/** Returns 1 / (1 + exp(-x)). */
function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** Returns log(1 + exp(x)) without overflow. */
function softplus(x: number): number {
  return Math.max(0, x) + Math.log1p(Math.exp(-Math.abs(x)));
}
