/** Text that fits the width of a terminal. */
import { lengthOf } from "./text.ts";

/**
 * Breaks the lines that are wider than a terminal. What goes on stands below the text of its line: after
 * the first gap of two spaces or more, else two places further in than the line itself.
 */
export function wrap(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => (lengthOf(line) <= width ? line : wrapLine(line, width)))
    .join("\n");
}

/** Breaks a command line so that it can still be pasted. */
export function wrapCommand(text: string, width: number): string {
  return wrapLine(text, width - 2, 2).replaceAll("\n", " \\\n");
}

function wrapLine(line: string, width: number, hang = hangOf(line, width)): string {
  const start = /^\s*/.exec(line)?.[0] ?? "";
  const lines: string[] = [];
  let current = start;
  let empty = true;
  for (const [, gap, word] of line.slice(start.length).matchAll(/(\s*)(\S+)/g)) {
    for (const [at, piece] of pieces(word, width - hang).entries()) {
      const between = empty ? "" : at === 0 ? gap : "";
      if (!empty && lengthOf(current + between + piece) > width) {
        lines.push(current);
        current = " ".repeat(hang) + piece;
      } else current += between + piece;
      empty = false;
    }
  }
  return [...lines, current].join("\n");
}

/** Where the text of a line begins. */
function hangOf(line: string, width: number): number {
  const label = /^(\s*\S(?:\S| (?! ))*\s{2,})\S/.exec(line)?.[1];
  const indent = /^\s*/.exec(line)?.[0].length ?? 0;
  return label !== undefined && label.length <= width / 2 ? label.length : indent + 2;
}

/** A word that is wider than a line, in parts that end with a bar or a comma; an address stays whole. */
function pieces(word: string, width: number): readonly string[] {
  if (lengthOf(word) <= width || /[/\\]/.test(word)) return [word];
  return word.match(/[^|,]+[|,]*|[|,]+/g) ?? [word];
}
