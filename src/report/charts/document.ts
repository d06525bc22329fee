/** What charts are drawn into, and what they say of themselves; nothing here knows Plot. */

/** As much of a document as charts need: a browser's own, or that of node/svg-document.ts. */
export interface ChartDocument {
  createElementNS(namespace: string, name: string): ChartElement;
  readonly documentElement: object;
}

/** As much of an element as charts need. */
export interface ChartElement {
  readonly outerHTML: string;
  readonly firstChild: object | null;
  textContent: string | null;
  setAttribute(name: string, value: string): void;
  insertBefore(child: object, before: object | null): unknown;
  removeChild(child: object): unknown;
}

/** What every chart says of itself. */
export interface ChartFrame {
  /** Unique within the report. */
  readonly id: string;
  readonly title: string;
  /** The picture in words: what is high, what is low, how much. */
  readonly description: string;
}
