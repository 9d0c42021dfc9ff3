// SPDX-License-Identifier: Apache-2.0
// Tables sort by a click on a heading; all that a page shows is there without scripts.
"use strict";

// Numbers as numbers, words as words, and what is missing last in either direction.
function compare(a, b, sign) {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * String(a).localeCompare(String(b), "en", {numeric: true});
}

function keyOf(row, column, isWords) {
  const cell = row.cells[column];
  if (!cell) return null;
  if (column === 0 || isWords) return cell.textContent.trim() || null;
  return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
}

// Rows move within their group; a group's heading stays first. What belongs to a row stays below it.
function sortTable(table, heading) {
  const column = heading.cellIndex;
  const isWords = heading.classList.contains("words");
  const ascending = heading.getAttribute("aria-sort") !== "ascending";
  for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  for (const body of table.tBodies) {
    const all = Array.from(body.rows);
    const first = all.filter((row) => row.classList.contains("group"));
    const rest = all.filter((row) => !/\b(group|more)\b/.test(row.className));
    const more = new Map(rest.map((row) => [row, row.nextElementSibling]));
    const keys = new Map(rest.map((row) => [row, keyOf(row, column, isWords)]));
    rest.sort((a, b) => compare(keys.get(a), keys.get(b), ascending ? 1 : -1));
    const isMore = (row) => row && row.classList.contains("more");
    body.append(...first, ...rest.flatMap((row) => isMore(more.get(row)) ? [row, more.get(row)] : [row]));
  }
}

for (const heading of document.querySelectorAll("thead tr.columns th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...heading.childNodes);
  button.addEventListener("click", () => sortTable(heading.closest("table"), heading));
  heading.append(button);
}

// A row opens what belongs to it; words can still be marked.
for (const more of document.querySelectorAll("tr.more")) {
  more.previousElementSibling?.addEventListener("click", () => {
    const details = more.querySelector("details");
    if (details && getSelection().isCollapsed) details.open = !details.open;
  });
}

// Paper has nothing to unfold; what was closed before is closed again afterwards.
let opened = [];
addEventListener("beforeprint", () => {
  opened = Array.from(document.querySelectorAll("details:not([open])"));
  for (const d of opened) d.open = true;
});
addEventListener("afterprint", () => {
  for (const d of opened) d.open = false;
});
