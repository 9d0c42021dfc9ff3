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
    const pairs = []; // a row, and what belongs to it
    for (const row of body.rows) {
      if (row.classList.contains("more")) pairs.at(-1).push(row);
      else if (!row.classList.contains("group")) pairs.push([row]);
    }
    pairs.sort(([a], [b]) => compare(keyOf(a, column, isWords), keyOf(b, column, isWords), ascending ? 1 : -1));
    body.append(...pairs.flat());
  }
}

for (const heading of document.querySelectorAll("thead tr.columns th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...heading.childNodes);
  button.addEventListener("click", () => sortTable(heading.closest("table"), heading));
  heading.append(button);
}
