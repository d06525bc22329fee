/**
 * A document for charts where there is no browser: elements, attributes, text, and nothing else.
 *
 * Observable Plot draws into whatever document it is handed and asks little of it. jsdom would do
 * too, for 27 MB of installation, 110 MB of memory and 0.9 s of processor time a run, which is as
 * much as the rest of the command takes; this costs next to nothing.
 *
 * Places are written to a hundredth of a pixel. No eye sees more, and the last digits of logarithms
 * differ between machines, which files must not.
 */
import type { ChartDocument, ChartElement } from "../report/charts/document.ts";

const XHTML = "http://www.w3.org/1999/xhtml";

export interface SvgDocument extends ChartDocument {
  createElement(name: string): SvgElement;
  createElementNS(namespace: string | null, name: string): SvgElement;
  createTextNode(text: string): SvgText;
  readonly documentElement: SvgElement;
}

interface SvgText {
  readonly ownerDocument: SvgDocument;
  parentNode: SvgElement | null;
  textContent: string;
  readonly outerHTML: string;
}

interface SvgElement extends ChartElement {
  readonly ownerDocument: SvgDocument;
  readonly namespaceURI: string | null;
  readonly tagName: string;
  parentNode: SvgElement | null;
  textContent: string;
  readonly childNodes: readonly SvgNode[];
  readonly children: readonly SvgElement[];
  readonly firstChild: SvgNode | null;
  readonly style: Style;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  setAttribute(name: string, value: unknown): void;
  setAttributeNS(namespace: string | null, name: string, value: unknown): void;
  removeAttribute(name: string): void;
  appendChild<Node extends SvgNode>(child: Node): Node;
  append(...children: (SvgNode | string)[]): void;
  insertBefore<Node extends SvgNode>(child: Node, before: SvgNode | null): Node;
  removeChild<Node extends SvgNode>(child: Node): Node;
  remove(): void;
}

type SvgNode = SvgElement | SvgText;

interface Style {
  setProperty(name: string, value: unknown): void;
  removeProperty(name: string): void;
  getPropertyValue(name: string): string;
}

/** Creates a document for charts where there is no browser. */
export function createSvgDocument(): SvgDocument {
  const document: SvgDocument = {
    createElement: (name) => createElement(document, XHTML, name),
    createElementNS: (namespace, name) => createElement(document, namespace, name),
    createTextNode: (text) => createText(document, text),
    get documentElement() {
      return root;
    },
  };
  const root = createElement(document, XHTML, "html");
  return document;
}

function createText(ownerDocument: SvgDocument, text: string): SvgText {
  return {
    ownerDocument,
    parentNode: null,
    textContent: text,
    get outerHTML() {
      return escapeXml(this.textContent);
    },
  };
}

function createElement(
  ownerDocument: SvgDocument,
  namespaceURI: string | null,
  tagName: string,
): SvgElement {
  const attributes = new Map<string, string>();
  let childNodes: SvgNode[] = [];
  const element: SvgElement = {
    ownerDocument,
    namespaceURI,
    tagName,
    parentNode: null,
    ...attributeMethods(attributes),
    get childNodes() {
      return childNodes;
    },
    get children() {
      return childNodes.filter((node): node is SvgElement => "tagName" in node);
    },
    get firstChild() {
      return childNodes[0] ?? null;
    },
    get textContent(): string {
      return childNodes.map((node) => node.textContent).join("");
    },
    set textContent(text: unknown) {
      for (const node of childNodes) node.parentNode = null;
      childNodes = [];
      if (text !== null && text !== "") element.append(String(text));
    },
    get style() {
      return styleOf(element);
    },
    appendChild: (child) => element.insertBefore(child, null),
    append(...children) {
      for (const child of children)
        element.appendChild(
          typeof child === "string" ? ownerDocument.createTextNode(child) : child,
        );
    },
    insertBefore(child, before) {
      child.parentNode?.removeChild(child);
      const at = before ? childNodes.indexOf(before) : childNodes.length;
      childNodes.splice(at, 0, child);
      child.parentNode = element;
      return child;
    },
    removeChild(child) {
      childNodes = childNodes.filter((node) => node !== child);
      child.parentNode = null;
      return child;
    },
    remove: () => element.parentNode?.removeChild(element),
    get outerHTML() {
      return writeElement(element, attributes);
    },
  };
  return element;
}

/** Makes the methods of an element that read and write its attributes. */
function attributeMethods(attributes: Map<string, string>) {
  return {
    getAttribute: (name: string) => attributes.get(name) ?? null,
    hasAttribute: (name: string) => attributes.has(name),
    setAttribute(name: string, value: unknown) {
      attributes.set(name, String(value));
    },
    setAttributeNS(_: string | null, name: string, value: unknown) {
      attributes.set(name, String(value));
    },
    removeAttribute(name: string) {
      attributes.delete(name);
    },
  };
}

/** Writes an element with all that is in it. */
function writeElement(
  { tagName, namespaceURI, childNodes }: SvgElement,
  attributes: ReadonlyMap<string, string>,
): string {
  const written = [...attributes].map(([name, value]) => {
    const short = places.has(name) ? value.replace(/-?\d+\.\d{3,}/g, hundredths) : value;
    return ` ${name}="${escapeXml(short)}"`;
  });
  const start = `<${tagName}${written.join("")}`;
  return childNodes.length > 0 || namespaceURI === XHTML
    ? `${start}>${childNodes.map((node) => node.outerHTML).join("")}</${tagName}>`
    : `${start}/>`;
}

/** Declarations live in the attribute, and are read back from it. */
function styleOf(element: SvgElement): Style {
  const read = () =>
    new Map(
      (element.getAttribute("style") ?? "")
        .split(";")
        .filter((part) => part.includes(":"))
        .map((part) => [
          part.slice(0, part.indexOf(":")).trim(),
          part.slice(part.indexOf(":") + 1).trim(),
        ]),
    );
  const write = (all: Map<string, string>) =>
    all.size > 0
      ? element.setAttribute(
          "style",
          [...all].map(([name, value]) => `${name}: ${value}`).join("; "),
        )
      : element.removeAttribute("style");
  return {
    setProperty: (name, value) => write(read().set(name, String(value))),
    removeProperty(name) {
      const all = read();
      all.delete(name);
      write(all);
    },
    getPropertyValue: (name) => read().get(name) ?? "",
  };
}

/** Attributes that say where something is. */
const places = new Set([
  "x",
  "y",
  "x1",
  "x2",
  "y1",
  "y2",
  "cx",
  "cy",
  "r",
  "d",
  "width",
  "height",
  "transform",
  "fill-opacity",
]);

function hundredths(digits: string): string {
  return String(Number(Number(digits).toFixed(2)));
}

const escapes = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
]);

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => escapes.get(character) ?? "");
}
