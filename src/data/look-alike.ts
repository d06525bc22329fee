/** Names that are different to a program, and most likely the same to a person. */

// Characters that take no room: soft hyphens, joiners, marks of direction and of byte order.
const UNSEEN = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g;

/** Returns what a name looks like: `Cat`, `cat ` and `c\u200bat` are one, and so are `1` and `1.0`. */
export function lookOf(name: string): string {
  const text = name.replace(UNSEEN, "").normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase();
  return /^[+-]?\d+\.\d*$/.test(text) ? text.replace(/\.?0*$/, "") : text;
}

/** Writes a name for a message, with what cannot be seen or told apart as `\u200b`. */
export function quoteName(name: string): string {
  const text = name.length > 60 ? `${name.slice(0, 60)}…` : name;
  return JSON.stringify(text).replace(
    /[\u00ad\u00a0\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff\p{M}]/gu,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
