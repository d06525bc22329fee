/** `consilience/assign`: who labels what. */
export {
  type FairShares,
  type FairSharesInput,
  fairShares,
  type GapInterval,
  type PerWorker,
} from "../assign/fair-shares.ts";
