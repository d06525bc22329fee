/**
 * How much of what two sources have in common a third explains.
 *
 *   explained = 1 − I(a; b | g) / I(a; b)
 *
 * If g is the truth and a and b err independently of each other, g explains all; if g says little about
 * the truth, a and b agree as before whatever g says. Each information is lowered by its bias,
 * (rows − 1)(columns − 1) / 2n for tables of n tasks.
 *
 * Miller (1955), Note on the bias of information estimates.
 */

/** Counts of two columns of classes. */
interface Table {
  readonly cells: Map<number, number>;
  readonly rows: Map<number, number>;
  readonly columns: Map<number, number>;
  total: number;
}

const emptyTable = (): Table => ({
  cells: new Map(),
  rows: new Map(),
  columns: new Map(),
  total: 0,
});

/** Collects classes task by task; `share` returns the explained share, 1 if there is nothing to explain. */
export function explainedAgreement(K: number): {
  add(a: number, b: number, g: number): void;
  share(): number;
} {
  const all = emptyTable();
  const given = new Map<number, Table>();
  return {
    add(a, b, g) {
      const table = given.get(g) ?? emptyTable();
      given.set(g, table);
      count(all, a, b, K);
      count(table, a, b, K);
    },
    share() {
      let conditional = 0;
      for (const table of given.values()) conditional += information(table, K);
      const whole = information(all, K);
      if (!(whole > 0)) return 1;
      return Math.min(1, Math.max(0, 1 - conditional / whole));
    },
  };
}

function count(table: Table, a: number, b: number, K: number): void {
  increase(table.cells, a * K + b);
  increase(table.rows, a);
  increase(table.columns, b);
  table.total++;
}

function increase(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Information in nats times the number of tasks, less its bias. */
function information({ cells, rows, columns, total }: Table, K: number): number {
  let sum = 0;
  for (const [key, n] of cells) {
    const row = rows.get(Math.floor(key / K)) ?? 0;
    const column = columns.get(key % K) ?? 0;
    sum += n * Math.log((n * total) / (row * column));
  }
  return sum - ((rows.size - 1) * (columns.size - 1)) / 2;
}
