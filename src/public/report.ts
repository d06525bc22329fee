/** `consilience/report`: from a result to a page, to Markdown, to JSON. */
export { attackReport } from "../report/attack-report.ts";
export { toHtml } from "../report/html.ts";
export type { ReportInput } from "../report/input.ts";
export { toJson } from "../report/json.ts";
export { toMarkdown } from "../report/markdown.ts";
export type {
  Cell,
  Column,
  Estimate,
  Fact,
  Report,
  RowContent,
  Section,
  Table,
} from "../report/model.ts";
export { aggregationReport } from "../report/report.ts";
export type { TaskContents } from "../report/task-content.ts";
