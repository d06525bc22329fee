/** What needs Node: files, folders and threads. */
export { readAnswers, readDataset, readGold, readTable } from "./files.ts";
export { writeFile, writeFolder } from "./output.ts";
export { createSvgDocument } from "./svg-document.ts";
export { LABELS_FOR_THREADS, openTeam } from "./team.ts";
