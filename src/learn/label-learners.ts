/** The learners of labels, in the order in which they are shown; the one that tries several of them comes after them. */
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
import { maxMig } from "./max-mig.ts";
import { mbem } from "./mbem.ts";
import { raykar } from "./raykar.ts";
import { traceRegularised } from "./trace-regularised.ts";
import { twoStage } from "./two-stage.ts";

export const labelLearners = {
  "two-stage": twoStage,
  raykar,
  aggnet,
  mbem,
  "crowd-layer": crowdLayer,
  "doctor-net": doctorNet,
  ccem,
  "trace-regularised": traceRegularised,
  "geo-crowd-net-f": geoCrowdNetF,
  "geo-crowd-net-w": geoCrowdNetW,
  "deep-mf": deepMf,
  "deep-bp": deepBp,
  "bayes-dgc": bayesDgc,
  "max-mig": maxMig,
  "instance-trace": instanceTrace,
  "coin-net": coinNet,
  conal,
  "a-lfc": aLfc,
} as const;
