/**
 * The only script of a page: the head of a column sorts its table, numbers from the largest and text
 * from A; a second time the other way round. Numbers are read from data-v; what is missing stays last.
 */
export const script = `
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const head = button.closest("th");
    const body = head.closest("table").tBodies[0];
    const number = head.classList.contains("n");
    const sorted = head.getAttribute("aria-sort");
    const up = sorted ? sorted === "descending" : !number;
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const order = new Intl.Collator("en", { numeric: true });
    const key = (row) => {
      const cell = row.cells[head.cellIndex];
      return number ? (cell.dataset.v === undefined ? null : Number(cell.dataset.v)) : cell.textContent;
    };
    const compare = (a, b) => {
      if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
      const sign = number ? a.key - b.key : order.compare(a.key, b.key);
      return up ? sign : -sign;
    };
    const rows = Array.from(body.rows, (row) => ({ row, key: key(row) }));
    body.append(...rows.sort(compare).map(({ row }) => row));
  });
}
`;
