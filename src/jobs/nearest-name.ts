/** What somebody may have meant by a name that there is not. */

/** Names by the words that people type for them. */
export type Synonyms = Readonly<Record<string, string>>;

/** Finds the name that differs in capitals, hyphens and underscores only. */
export function sameName(name: string, names: readonly string[]): string | undefined {
  return names.find((other) => other === name) ?? only(name, names);
}

function only(name: string, names: readonly string[]): string | undefined {
  const same = names.filter((other) => letters(other) === letters(name));
  return same.length === 1 ? same[0] : undefined;
}

/**
 * Finds the name that was most likely meant, if one is near enough. Capitals and hyphens do not count;
 * a name that begins the one typed, or the other way round, is near; two letters that changed places
 * are one slip.
 */
export function nearestName(
  name: string,
  names: readonly string[],
  synonyms: Synonyms = {},
): string | undefined {
  const meant = new Map(Object.entries(synonyms).filter(([, other]) => names.includes(other)));
  const candidates = [
    ...names.map((other) => ({ other, as: other })),
    ...[...meant].map(([as, other]) => ({ other, as })),
  ].map(({ other, as }) => ({ other, cost: distance(name, as) }));
  const [best] = candidates.sort((a, b) => a.cost - b.cost);
  return best && best.cost <= Math.max(2, letters(name).length / 3) ? best.other : undefined;
}

/** Says that there is no such thing, with the name that was most likely meant or with all there are. */
export function noSuchName(
  what: string,
  name: string,
  names: readonly string[],
  synonyms?: Synonyms,
): string {
  const near = nearestName(name, names, synonyms);
  return `There is no ${what} "${name}". ${near ? `Did you mean ${near}?` : `Try: ${names.join(", ")}.`}`;
}

function letters(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

function words(name: string): string[] {
  return name
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1-$2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** How far a name is from what was typed: slips, and a little for what is left out or added at the end. */
function distance(typed: string, name: string): number {
  const [a, b] = [letters(typed), letters(name)];
  const whole = slips(a, b) + luck(a, b);
  if (whole === 0) return 0;
  const beginnings = (name: string) => {
    const list = words(name);
    return list.slice(1).map((_, n) => list.slice(0, n + 1).join(""));
  };
  const partly = [
    ...beginnings(typed).map((part) => slips(part, b)),
    ...beginnings(name).map((part) => slips(a, part)),
  ].map((cost) => cost + 0.6);
  const short = Math.min(a.length, b.length);
  const prefix = short >= 3 && (a.startsWith(b) || b.startsWith(a)) ? 1.2 : Infinity;
  return [whole, prefix, ...partly].reduce((least, cost) => Math.min(least, cost));
}

/** Less than a slip: among names that are as near, one with the same letters or the same start is nearer. */
function luck(a: string, b: string): number {
  if (a === b) return 0;
  const sorted = (text: string) => [...text].sort().join("");
  return sorted(a) === sorted(b) ? 0 : a[0] === b[0] ? 0.1 : 0.2;
}

/** Letters put in, left out or changed, and neighbours that changed places. */
function slips(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(
        Math.min(change, row[j] + 1, next[j - 1] + 1, swapped ? before[j - 2] + 1 : Infinity),
      );
    }
    [before, row] = [row, next];
  }
  return row[b.length];
}
