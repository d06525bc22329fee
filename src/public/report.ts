/** `consilience/report`: from a result to a page, to Markdown, to JSON. */
export { attackReport } from "../report/attack-report.ts";
export { toHtml } from "../report/html.ts";
export { toJson } from "../report/json.ts";
export { toMarkdown } from "../report/markdown.ts";
export { aggregationReport, type Report, type ReportInput } from "../report/report.ts";
