/**
 * The cheapest way to give each row per column of its own.
 *
 * Rows are added one at a time; each looks for a shortest path to a free column, in costs reduced by
 * prices that keep every reduced cost at or above zero. O(n³) time, O(n) memory.
 *
 * Jonker & Volgenant (1987), Computing 38, 325–340. https://doi.org/10.1007/BF02278710
 */
import { CrowdError } from "../error.ts";

/**
 * Column of each row in a matching of least total cost[row * n + column]. A cost of Infinity forbids
 * a pair; if no matching is left, that is an error.
 */
export function assign(cost: Float64Array, n: number): Int32Array {
  checkCost(cost, n);
  const rowPrice = new Float64Array(n);
  const columnPrice = new Float64Array(n);
  const rowOf = new Int32Array(n).fill(-1);
  const columnOf = new Int32Array(n).fill(-1);
  const distance = new Float64Array(n);
  const previous = new Int32Array(n);
  const reached = new Uint8Array(n);

  for (let start = 0; start < n; start++) {
    distance.fill(Infinity);
    previous.fill(-1);
    reached.fill(0);
    let row = start;
    let column = -1;
    let travelled = 0;
    do {
      let nearest = -1;
      for (let j = 0; j < n; j++) {
        if (reached[j]) continue;
        const through = travelled + (cost[row * n + j] - rowPrice[row] - columnPrice[j]);
        if (through < distance[j]) {
          distance[j] = through;
          previous[j] = row;
        }
        if (nearest === -1 || distance[j] < distance[nearest]) nearest = j;
      }
      column = nearest;
      travelled = distance[column];
      if (travelled === Infinity) {
        throw new CrowdError(
          "bad-data",
          `assign: every matching of the ${n} rows uses a pair that is forbidden (cost Infinity).`,
        );
      }
      reached[column] = 1;
      row = rowOf[column];
    } while (row !== -1);

    // Prices move by what the path saved, so that reduced costs on it become zero.
    rowPrice[start] += travelled;
    for (let j = 0; j < n; j++) {
      if (!reached[j] || j === column) continue;
      rowPrice[rowOf[j]] += travelled - distance[j];
      columnPrice[j] -= travelled - distance[j];
    }
    // Every row on the path moves to the column it was reached from.
    for (let j = column; j !== -1; ) {
      const taker = previous[j];
      const given = columnOf[taker];
      rowOf[j] = taker;
      columnOf[taker] = j;
      j = given;
    }
  }
  return columnOf;
}

function checkCost(cost: Float64Array, n: number): void {
  if (!Number.isInteger(n) || n < 0 || cost.length < n * n) {
    throw new CrowdError(
      "bad-data",
      `assign: cost needs n² = ${n * n} numbers, not ${cost.length}.`,
    );
  }
  for (let i = 0; i < n * n; i++) {
    if (!(cost[i] > -Infinity)) {
      const where = `row ${Math.floor(i / n)}, column ${i % n}`;
      throw new CrowdError(
        "bad-data",
        `assign: ${where}: a cost must be a number, not ${cost[i]}.`,
      );
    }
  }
}
