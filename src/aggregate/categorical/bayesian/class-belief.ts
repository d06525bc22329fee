/** What variational methods believe of P(class), and expected logarithms; both live in `em/`. */
export { type ClassBelief, createClassBelief } from "../../../em/class-belief.ts";
export { expectLogs } from "../../../em/dirichlet.ts";
