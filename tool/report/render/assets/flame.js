// SPDX-License-Identifier: Apache-2.0
// Flame graphs: what the width stands for, a look at one box, a search. The boxes are those of the list in the page, which is drawn
// without this too.

const LEAST = 0.0005; // of what is shown: half a pixel of a wide window

function add(parent, name, properties) {
  const e = Object.assign(document.createElement(name), properties);
  parent.append(e);
  return e;
}

class Flame {
  constructor(graph) {
    this.boxes = Array.from(graph.querySelectorAll(".flame li"));
    [this.root] = this.boxes;
    this.boxes.forEach((box) => this.read(box));
    this.zoomed = this.root;
    const bar = document.createElement("div");
    bar.className = "flame-tools";
    graph.prepend(bar);
    this.width = add(add(bar, "label", {textContent: "Width "}), "select", {});
    graph.dataset.measures.split("|").forEach((word, i) => { // only what the whole has can be the width
      if (this.root.weights[i] > 0) add(this.width, "option", {value: i, textContent: word, selected: i === Number(graph.dataset.first)});
    });
    this.width.addEventListener("change", () => this.zoom(this.zoomed));
    this.query = add(add(bar, "label", {textContent: "Search "}), "input", {type: "search"});
    this.query.addEventListener("input", () => this.search());
    this.out = add(bar, "button", {type: "button", textContent: "Show all"});
    this.out.addEventListener("click", () => this.zoom(this.root));
    this.found = add(bar, "output", {});
    this.readout = add(graph, "p", {className: "readout"});
    this.zoom(this.root);
  }

  // What an item of the list says: its name, lines about it, weights, the box above it and those below.
  read(box) {
    box.span = box.firstElementChild;
    [box.label, ...box.lines] = box.span.title.split("\n");
    box.weights = box.dataset.w.split(" ").map(Number);
    box.above = box.parentElement.closest("li");
    box.below = Array.from(box.querySelectorAll(":scope > ul > li"));
    Object.assign(box.span, {textContent: box.label, tabIndex: 0, role: "button"});
    box.span.addEventListener("click", () => this.zoom(box));
    box.span.addEventListener("keydown", (event) => event.key === "Enter" && this.zoom(box));
    for (const event of ["pointerover", "focus"]) box.span.addEventListener(event, () => this.tell(box));
  }

  weight(box) { return box.weights[Number(this.width.value)]; }

  // "12.3 % of bytes allocated"
  shareText(weight) { return `${(100 * weight / this.weight(this.root)).toPrecision(3)} % of ${this.width.selectedOptions[0].text}`; }

  tell(box) { this.readout.textContent = `${this.shareText(this.weight(box))}: ${[box.label, ...box.lines].join(" · ")}`; }

  // The box looked at and those above it take the whole width; what stands next to them is away.
  zoom(looked) {
    this.zoomed = looked;
    this.out.disabled = looked === this.root;
    const path = new Set();
    for (let box = looked; box; box = box.above) path.add(box);
    const hang = (box, width, share) => {
      box.hidden = !(share >= LEAST);
      box.style.width = `${width * 100}%`;
      if (box.hidden) return;
      box.below.slice().sort((a, b) => this.weight(b) - this.weight(a)).forEach((below, i) => {
        const isAbove = path.has(box) && box !== looked;
        const part = isAbove ? Number(path.has(below)) : this.weight(below) / this.weight(box);
        below.style.order = i;
        hang(below, part, share * part);
      });
    };
    hang(this.root, 1, 1);
    this.search();
  }

  // How many boxes have the words, and the share of these: a box below another that was found is not counted again.
  search() {
    const query = this.query.value.trim().toLowerCase();
    let sum = 0;
    let count = 0;
    for (const box of this.boxes) {
      const isFound = query !== "" && box !== this.root && this.weight(box) > 0 && box.span.title.toLowerCase().includes(query);
      box.isCounted = isFound || Boolean(box.above?.isCounted);
      if (isFound) ++count;
      if (isFound && !box.above.isCounted) sum += this.weight(box);
      box.span.classList.toggle("found", isFound);
    }
    this.found.textContent = query === "" ? "" : `${count} found, ${this.shareText(sum)}`;
  }
}

document.querySelectorAll(".flame-graph").forEach((graph) => new Flame(graph));
