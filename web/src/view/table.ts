// Tables that can be sorted by any column, and saved as CSV.

import { button, h, type Child } from "../dom";
import { save, toCsv } from "../figures/save";

export interface Cell {
  text: Child;
  /** What the column is sorted by, and what is saved. */
  value: string | number | null;
  bad?: boolean;
}
export interface Column {
  title: string;
  isNumber: boolean;
  /** What the column says, for whoever points at its title. */
  hint: string;
}

export function cell(text: Child, value: string | number | null, bad = false): Cell {
  return { text, value, bad };
}

export function textCell(text: string): Cell {
  return { text, value: text };
}

function compare(a: Cell, b: Cell): number {
  if (a.value === null || b.value === null) return a.value === b.value ? 0 : a.value === null ? 1 : -1;
  if (typeof a.value === "number" && typeof b.value === "number") return a.value - b.value;
  return String(a.value).localeCompare(String(b.value), "en", { numeric: true });
}

export function sortableTable(name: string, columns: Column[], rows: Cell[][]): HTMLElement {
  const body = h("tbody");
  const heads: HTMLTableCellElement[] = [];
  const fill = (ordered: Cell[][]): void => {
    body.replaceChildren(...ordered.map((row) => h("tr", {}, ...row.map((c, i) => {
      const isNumber = columns[i].isNumber;
      return h(i === 0 ? "th" : "td", { class: `${isNumber ? "number" : ""}${c.bad === true ? " bad" : ""}`,
        ...(i === 0 ? { scope: "row" } : {}) }, c.text);
    }))));
  };
  const sortBy = (column: number): void => {
    const isAscending = heads[column]?.getAttribute("aria-sort") !== "ascending";
    heads.forEach((head, i) => {
      head.setAttribute("aria-sort", i !== column ? "none" : isAscending ? "ascending" : "descending");
    });
    const sign = isAscending ? 1 : -1;
    fill([...rows].sort((a, b) => {
      const [x, y] = [a[column], b[column]];
      // What is not known stands last either way.
      return x.value === null || y.value === null ? compare(x, y) : sign * compare(x, y);
    }));
  };
  columns.forEach((column, i) => {
    heads.push(h("th", { scope: "col", "aria-sort": "none", class: column.isNumber ? "number" : "" },
      button(column.title, `${column.hint} (click to sort)`, () => { sortBy(i); })));
  });
  fill(rows);
  const csv = button("CSV", `Save ${name} as CSV`, () => {
    const data = [columns.map((c) => c.title), ...rows.map((row) => row.map((c) => c.value))];
    save(`${name}.csv`, new Blob([toCsv(data)], { type: "text/csv" }));
  });
  return h("div", { class: "table", id: `table-${name}` },
    h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ...heads)), body)),
    h("span", { class: "save" }, "save ", csv));
}
