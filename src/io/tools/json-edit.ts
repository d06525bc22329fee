/**
 * Changes in the text of a JSON object that leave all the rest as it stands, byte for byte: numbers too large for
 * the language, blanks, the order of keys. The text is known to be JSON.
 */

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The object with this text as the value of a key: in its old place, else behind the others. */
export function setKey(object: string, key: string, value: string): string {
  const found = memberOf(object, key);
  if (found) return object.slice(0, found.start) + value + object.slice(found.end);
  const end = object.lastIndexOf("}");
  const body = object.slice(0, end).trimEnd();
  const comma = body.endsWith("{") ? "" : ", ";
  return `${body}${comma}${JSON.stringify(key)}: ${value}${object.slice(body.length)}`;
}

/** The text of a key's value, or undefined where there is none. */
export function textOfKey(object: string, key: string): string | undefined {
  const found = memberOf(object, key);
  return found && object.slice(found.start, found.end);
}

/** The list under a key, without the elements that `old` tells, and with one more. */
export function appendTo(
  list: unknown,
  object: string,
  key: string,
  element: string,
  old: (value: unknown) => boolean,
): string {
  const text = Array.isArray(list) ? (textOfKey(object, key) ?? "[]") : "[]";
  const values = Array.isArray(list) ? list : [];
  let kept = "";
  let from = 1;
  for (const [i, end] of elementEnds(text).entries()) {
    const piece = text.slice(from, end);
    if (!old(values[i])) kept += kept === "" ? piece.replace(/^\s*,/, "") : piece;
    from = end;
  }
  return `[${kept}${kept === "" ? "" : ", "}${element}]`;
}

/** Where the value of a key stands; of a key that is there twice, the last, as JSON.parse takes it. */
function memberOf(object: string, key: string): Span | undefined {
  let found: Span | undefined;
  for (let at = skipBlanks(object, 1); object[at] !== "}"; ) {
    const keyEnd = valueEnd(object, at);
    const name: unknown = JSON.parse(object.slice(at, keyEnd));
    const start = skipBlanks(object, skipBlanks(object, keyEnd) + 1);
    const end = valueEnd(object, start);
    if (name === key) found = { start, end };
    at = skipComma(object, end);
  }
  return found;
}

/** Behind each element of a list. */
function elementEnds(list: string): number[] {
  const found: number[] = [];
  for (let start = skipBlanks(list, 1); list[start] !== "]"; ) {
    const end = valueEnd(list, start);
    found.push(end);
    start = skipComma(list, end);
  }
  return found;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return at;
}

function skipComma(text: string, from: number): number {
  const at = skipBlanks(text, from);
  return text[at] === "," ? skipBlanks(text, at + 1) : at;
}

/** Behind the value that begins here. */
function valueEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      at = stringEnd(text, at);
      if (depth === 0) return at + 1;
    } else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (depth === 0 && (character === "," || character <= " ")) return at;
  }
  return text.length;
}

/** The closing quote of the string that begins here. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
