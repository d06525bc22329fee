/** Interners of names that are cleaned as they come in. */
import { type CleaningOptions, countName, labelCleaner, nameCleaner } from "./cleaning.ts";
import { createInterner, type Interner } from "./interner.ts";

/** Makes an interner for the names of tasks, workers or items. */
export function createNameInterner(options: CleaningOptions): Interner {
  return createInterner(nameCleaner(options));
}

/** Makes an interner for labels, which may be folded and mapped as well. */
export function createLabelInterner(options: CleaningOptions): Interner {
  const names = createNameInterner(options);
  const clean = labelCleaner(options);
  if (!clean) return names;
  // A label may be mapped to one that is mapped itself, so names before and after are kept apart.
  const labels = createInterner();
  const changes = new Map(names.changes);
  const known: { readonly code: number; readonly count: () => void }[] = [];
  const find = (place: number): number => {
    if (place < 0) return -1;
    if (!known[place]) {
      const from = names.name(place);
      const { text, ways } = clean(from);
      const counts = countName(changes, ways, from, text);
      known[place] = {
        code: text === "" ? -1 : labels.addText(text),
        count: () => {
          for (const each of counts) each.cells++;
        },
      };
    }
    known[place].count();
    return known[place].code;
  };
  return {
    get size() {
      return labels.size;
    },
    get latin1() {
      return names.latin1;
    },
    get nul() {
      return names.nul;
    },
    get ascii() {
      return labels.ascii;
    },
    get changes() {
      return new Map([...names.changes, ...changes]);
    },
    byteLength: () => names.byteLength() + labels.byteLength(),
    add: (bytes, start, end) => find(names.add(bytes, start, end)),
    addText: (text) => find(names.addText(text)),
    name: (code) => labels.name(code),
    names: () => labels.names(),
  };
}
