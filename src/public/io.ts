/** `consilience/io`: files as text or bytes; those on disk are in `consilience/node`. */
export { type AttributeTable, type JoinOptions, joinAttributes } from "../data/join-attributes.ts";
export { attributesTable, type ReadAttributes } from "../io/attributes.ts";
export type { TaskContent } from "../io/content.ts";
export type { ReadFeatures } from "../io/feature-array.ts";
export { type FeatureOptions, featuresFromBytes } from "../io/features.ts";
export type { Format, WritableFormat } from "../io/format.ts";
export { type NamedBytes, tableFromBytes } from "../io/from-bytes.ts";
export { goldFromIdx, type IdxArray, readIdx } from "../io/idx.ts";
export { formats, writableFormats } from "../io/index.ts";
export { type NpyArray, type NpyData, readNpy, writeNpy } from "../io/npy.ts";
export { type Probabilities, probabilityTable } from "../io/probabilities.ts";
export { plainTable, type Table } from "../io/table.ts";
