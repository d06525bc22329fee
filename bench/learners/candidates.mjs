// Settings that the search tries: of every learner those it had when the search began, and what differs from them.

const cosine = { schedule: "cosine" };
const constant = { schedule: "constant" };
const stepwise = { epochs: 0, batch: 64 };
const paced = { epochs: 0, steps: 1200, batch: 64, rate: 1e-3, decay: 0, patience: 0, ...constant };
const coupled = {
  ...{ epochs: 150, steps: 1200, batch: 512, rate: 1e-3, crowdRate: 0.01, decay: 1e-4 },
  ...{ schedule: "one-cycle", lambda: 0.01 },
};
const { lambda: _, ...plainCoupled } = coupled;
const whole = { epochs: 200, batch: 100_000_000, rate: 1e-3, decay: 0, ...constant };
const em = { smoothing: 1e-4 };

export const candidates = {
  "two-stage": [
    { ...paced, targets: "hard" },
    ...[
      { steps: 600 },
      { decay: 1e-3 },
      cosine,
      { ...cosine, decay: 1e-3 },
      { ...cosine, steps: 600 },
      { ...cosine, steps: 300 },
      { ...cosine, targets: "soft" },
      { ...cosine, steps: 600, targets: "soft" },
      { patience: 10 },
      { ...cosine, patience: 10 },
    ],
  ],
  raykar: [
    { lambda: 0.01, smoothing: 0.01 },
    ...[
      { lambda: 3, smoothing: 1 },
      { lambda: 10, smoothing: 1 },
      { lambda: 10, smoothing: 3 },
      { lambda: 30, smoothing: 0.1 },
      { lambda: 30, smoothing: 1 },
      { lambda: 30, smoothing: 3 },
      { lambda: 100, smoothing: 1 },
    ],
  ],
  aggnet: [
    { ...paced, ...em },
    ...[
      cosine,
      { smoothing: 0.01 },
      { smoothing: 0.1 },
      { ...cosine, smoothing: 0.01 },
      { ...cosine, smoothing: 0.03 },
      { ...cosine, smoothing: 0.1 },
      { ...cosine, smoothing: 0.1, steps: 600 },
      { ...cosine, smoothing: 0.01, decay: 1e-3 },
      { ...cosine, smoothing: 0.01, steps: 600 },
      { ...cosine, smoothing: 0.01, steps: 2400 },
    ],
  ],
  mbem: [
    { ...paced, rounds: 2 },
    ...[cosine, { decay: 1e-3 }, { ...cosine, decay: 1e-3 }, { ...cosine, steps: 600 }],
  ],
  "crowd-layer": [
    { ...paced, crowdRate: 0 },
    ...[
      { decay: 1e-3 },
      { rate: 3e-3, ...cosine },
      { rate: 3e-3, ...cosine, decay: 1e-3 },
      { rate: 3e-3, ...cosine, crowdRate: 0.01 },
      { rate: 3e-3, ...cosine, crowdRate: 0.03 },
      { rate: 3e-3, ...cosine, crowdRate: 0.01, decay: 1e-3 },
      { rate: 3e-3, ...cosine, steps: 2400 },
      { rate: 0.01, ...cosine },
    ],
  ],
  "doctor-net": [
    { ...paced, weighted: false },
    ...[
      { weighted: true },
      { weighted: true, decay: 1e-3 },
      { weighted: true, decay: 3e-3 },
      { weighted: true, decay: 0.01 },
      { weighted: true, steps: 2400 },
      { weighted: true, rate: 3e-3, ...cosine },
      { weighted: true, rate: 3e-3, ...cosine, decay: 3e-3 },
      { weighted: true, rate: 3e-3, ...cosine, decay: 0.01 },
      { weighted: true, batch: 16 },
    ],
  ],
  ccem: [
    plainCoupled,
    ...[
      stepwise,
      { ...stepwise, ...constant },
      { ...stepwise, ...cosine },
      { ...stepwise, ...constant, decay: 1e-3 },
      { ...stepwise, ...constant, crowdRate: 0.03 },
      { ...stepwise, ...cosine, decay: 1e-3, crowdRate: 0.03 },
    ],
  ],
  "trace-regularised": [
    { ...paced, crowdRate: 0.01, lambda: 0.01 },
    ...[
      cosine,
      { decay: 1e-3 },
      { crowdRate: 0.03 },
      { ...cosine, decay: 1e-3 },
      { decay: 1e-3, crowdRate: 0.03 },
      { decay: 1e-3, lambda: 0.02 },
      { decay: 3e-3 },
    ],
  ],
  "geo-crowd-net-f": [
    coupled,
    ...[
      stepwise,
      { ...stepwise, decay: 0 },
      { ...stepwise, decay: 1e-3 },
      { ...stepwise, ...constant },
      { ...stepwise, ...cosine },
      { ...stepwise, lambda: 0.03 },
      { ...stepwise, lambda: 0.1 },
      { ...stepwise, crowdRate: 0.03 },
      { ...stepwise, crowdRate: 0.03, lambda: 0.03 },
      { ...stepwise, crowdRate: 0.03, decay: 1e-3 },
    ],
  ],
  "geo-crowd-net-w": [
    { ...coupled, epochs: 200, lambda: 1e-3 },
    ...[
      stepwise,
      { ...stepwise, ...constant },
      { ...stepwise, ...constant, lambda: 1e-4 },
      { ...stepwise, ...constant, decay: 1e-3 },
      { ...stepwise, ...constant, crowdRate: 0.03 },
      { ...stepwise, ...cosine, crowdRate: 0.03 },
    ],
  ],
  "deep-mf": [
    whole,
    ...[
      cosine,
      { epochs: 100 },
      { decay: 1e-3 },
      stepwise,
      { ...stepwise, ...cosine },
      { ...stepwise, decay: 1e-3 },
    ],
  ],
  "deep-bp": [whole, cosine, { epochs: 100 }, { decay: 1e-3 }],
  "bayes-dgc": [whole, cosine, { epochs: 100 }, { epochs: 400 }, { decay: 1e-3 }],
  "max-mig": [
    { ...paced, crowdRate: 0, prior: "uniform" },
    ...[
      cosine,
      { decay: 1e-3 },
      { patience: 10 },
      { steps: 600 },
      { crowdRate: 0.01 },
      { crowdRate: 0.03 },
      { crowdRate: 0.1 },
      { ...cosine, crowdRate: 0.03 },
      { decay: 1e-3, crowdRate: 0.03 },
      { patience: 10, crowdRate: 0.03 },
      { ...cosine, patience: 10, crowdRate: 0.03 },
    ],
  ],
  "instance-trace": [
    { ...paced, decay: 2e-5, crowdRate: 0, lambda: 0.01 },
    ...[cosine, { decay: 1e-3 }, { crowdRate: 0.01 }, { decay: 1e-3, crowdRate: 0.01 }],
  ],
  "coin-net": [
    { ...plainCoupled, mu1: 0.01, mu2: 0.01 },
    ...[
      stepwise,
      { ...stepwise, decay: 1e-3 },
      { ...stepwise, ...constant },
      { ...stepwise, ...cosine },
      { ...stepwise, mu2: 0.03 },
      { ...stepwise, mu2: 0.1 },
      { ...stepwise, crowdRate: 0.03 },
      { ...stepwise, crowdRate: 0.03, decay: 1e-3 },
      { ...stepwise, crowdRate: 0.03, mu2: 0.03 },
    ],
  ],
  conal: [
    { epochs: 100, steps: 1200, batch: 1024, rate: 0.01, decay: 0, ...constant },
    ...[
      cosine,
      { decay: 1e-3 },
      { batch: 256 },
      stepwise,
      { ...stepwise, rate: 1e-3 },
      { ...stepwise, rate: 3e-3, ...cosine },
      { ...stepwise, rate: 3e-3, ...cosine, decay: 1e-3 },
    ],
  ],
  "a-lfc": [
    { ...paced, epochs: 200, smoothing: 1e-5 },
    ...[{ epochs: 0 }, { epochs: 0, smoothing: 0.01 }, { epochs: 0, smoothing: 0.01, ...cosine }],
  ],
  // Last: it trains others at their defaults.
  "auto-learner": [
    { learners: "aggnet,coin-net,max-mig,trace-regularised" },
    { learners: "aggnet,crowd-layer,geo-crowd-net-f,max-mig" },
    { learners: "coin-net,conal,crowd-layer,max-mig" },
    { learners: "aggnet,coin-net,crowd-layer,geo-crowd-net-f" },
    { learners: "aggnet,coin-net,crowd-layer,doctor-net" },
    { learners: "aggnet,coin-net" },
    { learners: "coin-net,crowd-layer" },
    { learners: "coin-net,geo-crowd-net-f" },
    { learners: "coin-net,crowd-layer,geo-crowd-net-f" },
    { learners: "coin-net,conal,geo-crowd-net-f" },
    { learners: "coin-net,crowd-layer,geo-crowd-net-f,max-mig" },
  ],
};

/** The settings of a learner, whole: those it began with come first. */
export const settingsOf = (learner) => {
  const [base, ...changes] = candidates[learner];
  return [base, ...changes.map((change) => ({ ...base, ...change }))];
};
