/** What needs Node: files, folders and threads. */
export { readContent } from "./content.ts";
export { readEarlierRun } from "./earlier-run.ts";
export {
  type OpenFeatures,
  type OpenFeaturesOptions,
  openFeatures,
  readTasks,
} from "./features.ts";
export {
  type Amended,
  amendFile,
  readAnswers,
  readAttributes,
  readData,
  readGold,
  readProbabilities,
  readTable,
} from "./files.ts";
export { openModel } from "./model-file.ts";
export { writeFile, writeFolder } from "./output.ts";
export { openRuntime, type RuntimeChoice } from "./runtime.ts";
export { createSvgDocument } from "./svg-document.ts";
export { LABELS_FOR_THREADS, openTeam } from "./team.ts";
