/** All learners, in the order in which they are shown. */
import { aLfc } from "./a-lfc.ts";
import { aggnet } from "./aggnet.ts";
import { bayesDgc } from "./bayes-dgc.ts";
import { ccem } from "./ccem.ts";
import { coinNet } from "./coin-net.ts";
import { conal } from "./conal.ts";
import { crowdLayer } from "./crowd-layer.ts";
import { deepBp } from "./deep-bp.ts";
import { deepMf } from "./deep-mf.ts";
import { doctorNet } from "./doctor-net.ts";
import { geoCrowdNetF } from "./geo-crowd-net-f.ts";
import { geoCrowdNetW } from "./geo-crowd-net-w.ts";
import { instanceTrace } from "./instance-trace.ts";
import type { AnyLearner } from "./learner.ts";
import { maxMig } from "./max-mig.ts";
import { mbem } from "./mbem.ts";
import { raykar } from "./raykar.ts";
import { traceRegularised } from "./trace-regularised.ts";
import { twoStage } from "./two-stage.ts";

export const learners = [
  twoStage,
  raykar,
  aggnet,
  mbem,
  crowdLayer,
  doctorNet,
  ccem,
  traceRegularised,
  geoCrowdNetF,
  geoCrowdNetW,
  deepMf,
  deepBp,
  bayesDgc,
  maxMig,
  instanceTrace,
  coinNet,
  conal,
  aLfc,
] as unknown as readonly AnyLearner[];
