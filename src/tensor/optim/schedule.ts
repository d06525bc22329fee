/** How the learning rate changes: the share of it that is used at each step of a training. */
type Schedule = (step: number, steps: number) => number;

const constantRate: Schedule = () => 1;

/** Half a cosine from 1 down to 0. */
const cosine: Schedule = (step, steps) => (1 + Math.cos((Math.PI * step) / steps)) / 2;

/**
 * Up from 1/25 to 1 in the first 30 % of the steps, then down to almost nothing, along cosines: Smith
 * and Topin, Super-convergence, 2017, with the defaults of PyTorch's OneCycleLR.
 */
const oneCycle: Schedule = (step, steps) => {
  const peak = 0.3 * steps - 1;
  const [from, to, share] =
    step <= peak
      ? [1 / 25, 1, peak > 0 ? step / peak : 1]
      : [1, 1 / 25 / 1e4, (step - peak) / (steps - 1 - peak)];
  return to + ((from - to) / 2) * (1 + Math.cos(Math.PI * Math.min(1, share)));
};

export const schedules = { constant: constantRate, cosine, "one-cycle": oneCycle } as const;
