// Settings that the search tries: of every learner its defaults, and what differs from them.

/** What may help any network that is trained in small batches. */
const pace = [
  { steps: 600 },
  { steps: 2400 },
  { rate: 3e-3 },
  { rate: 3e-3, schedule: "cosine" },
  { schedule: "cosine" },
  { dropout: 0.2 },
  { hidden: "256" },
  { decay: 1e-3 },
  { batch: 32 },
  { patience: 10 },
];

/** What may help learners that are trained on all tasks at once, or in large batches. */
const small = [
  { epochs: 0, batch: 64, schedule: "constant" },
  { epochs: 0, batch: 64 },
  { epochs: 0, batch: 64, rate: 3e-3 },
  { epochs: 0, batch: 64, decay: 0 },
  { epochs: 0, batch: 128 },
];

const crowdRates = [{ crowdRate: 1e-3 }, { crowdRate: 3e-3 }, { crowdRate: 0.03 }];

export const candidates = {
  "two-stage": pace,
  raykar: [
    ...[0.1, 1, 3, 10, 30, 100].map((lambda) => ({ lambda })),
    ...[1, 10].map((lambda) => ({ lambda, smoothing: 1 })),
  ],
  aggnet: [...pace, { smoothing: 1e-2 }, { probFloor: 1e-2 }, { start: "hard" }],
  "crowd-layer": [
    ...pace,
    { crowdRate: 0.01 },
    { start: "votes" },
    { start: "votes", steps: 600 },
    { start: "votes", steps: 2400 },
    { start: "votes", rate: 3e-3 },
    { start: "votes", crowdRate: 0.01 },
    { variant: "simplex" },
  ],
  "doctor-net": [
    ...pace,
    { steps: 4800 },
    { steps: 4800, rate: 3e-3 },
    { rate: 0.01 },
    { weighted: true },
  ],
  ccem: [...small, ...crowdRates, { start: "votes" }, { startDiagonal: 0.7 }],
  "trace-regularised": [
    ...pace,
    { crowdRate: 3e-3 },
    { crowdRate: 0.03 },
    { lambda: 1e-3 },
    { lambda: 0.05 },
  ],
  "geo-crowd-net-f": [...small, ...crowdRates, { lambda: 1e-3 }, { lambda: 0.03 }],
  "geo-crowd-net-w": [...small, ...crowdRates, { lambda: 1e-4 }, { start: "votes" }],
  "deep-mf": [
    { epochs: 400 },
    { rate: 3e-3 },
    { epochs: 0, batch: 64 },
    { workerPrior: "two-coin" },
  ],
  "deep-bp": [{ epochs: 400 }, { rate: 3e-3 }, { workerPrior: "two-coin" }],
  "bayes-dgc": [
    { epochs: 100 },
    { epochs: 400 },
    { rate: 3e-3 },
    { dropout: 0.5 },
    { decay: 1e-3 },
    { hidden: "128", dropout: 0.5 },
  ],
  "max-mig": [
    ...pace,
    ...crowdRates.slice(1),
    { crowdRate: 0.01 },
    { crowdRate: 0.1 },
    { prior: "votes" },
  ],
  "coin-net": [...small, ...crowdRates, { mu2: 1e-3 }, { mu1: 0.1 }],
  conal: [
    { rate: 3e-3 },
    { batch: 64, epochs: 0 },
    { batch: 64, epochs: 0, rate: 1e-3 },
    { batch: 256 },
    { epochs: 50 },
    { decay: 1e-3 },
    { lambda: 1e-4 },
  ],
};
