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
  constructor(graph, number) {
    this.list = graph.querySelector(".flame");
    this.measures = graph.dataset.measures.split("|");
    this.boxes = Array.from(this.list.querySelectorAll("li"));
    [this.root] = this.boxes;
    this.boxes.forEach((box) => this.read(box));
    this.zoomed = this.current = this.root;
    this.measure = Number(graph.dataset.first);
    if (!(this.weight(this.root) > 0)) this.measure = 0;
    const bar = document.createElement("div");
    bar.className = "flame-tools";
    graph.prepend(bar);
    this.addMeasures(bar, number);
    this.query = add(add(bar, "label", {textContent: "Search "}), "input",
                     {type: "search", title: "/: search; Enter: the next box that was found"});
    this.query.addEventListener("input", () => this.search());
    this.query.addEventListener("keydown", (event) => this.step(event));
    this.out = add(bar, "button", {type: "button", textContent: "Show all", disabled: true});
    this.out.addEventListener("click", () => this.zoom(this.root));
    this.found = add(bar, "output", {});
    this.readout = add(graph, "p", {className: "readout"});
    graph.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.target === this.query) return;
      event.preventDefault();
      this.query.focus();
    });
    this.list.setAttribute("role", "tree");
    const listen = (event, act) => this.list.addEventListener(event, (e) => {
      const box = e.target.closest("li");
      if (box) act(box, e);
    });
    listen("click", (box) => this.zoom(box));
    listen("pointerover", (box) => this.tell(box));
    listen("focusin", (box) => this.mark(box));
    listen("keydown", (box, event) => this.key(event, box));
    this.layOut();
  }

  // What an item of the list says: its name, lines about it, weights, the box above it and those below.
  read(box) {
    box.span = box.firstElementChild;
    [box.label, ...box.lines] = box.span.title.split("\n");
    box.weights = box.dataset.w.split(" ").map(Number);
    box.above = box.parentElement.closest("li");
    box.below = Array.from(box.querySelectorAll(":scope > ul > li"));
    box.level = box.above ? box.above.level + 1 : 1;
    box.setAttribute("role", "none");
    box.span.setAttribute("role", "treeitem");
    box.span.setAttribute("aria-level", box.level);
    Object.assign(box.span, {textContent: box.label, tabIndex: box.above ? -1 : 0});
  }

  // Only what the whole has can be the width.
  addMeasures(bar, number) {
    const group = add(bar, "span", {textContent: "Width: "});
    group.setAttribute("role", "radiogroup");
    group.setAttribute("aria-label", "width of a box");
    this.measures.forEach((word, i) => {
      if (!(this.root.weights[i] > 0)) return;
      const label = add(group, "label", {});
      const choice = add(label, "input", {type: "radio", name: `flame-${number}`, value: i, checked: i === this.measure});
      label.append(word);
      choice.addEventListener("change", () => {
        this.measure = i;
        this.layOut();
        this.search();
      });
    });
  }

  weight(box) { return box.weights[this.measure]; }

  share(box) { return this.weight(box) / this.weight(this.root); }

  largestFirst(boxes) { return boxes.slice().sort((a, b) => this.weight(b) - this.weight(a)); }

  key(event, box) {
    const shown = (boxes) => this.largestFirst(boxes).filter((b) => !b.hidden);
    const row = box.above ? shown(box.above.below) : [box];
    const at = row.indexOf(box);
    const goal = {ArrowDown: shown(box.below)[0], ArrowUp: box.above, ArrowLeft: row[at - 1], ArrowRight: row[at + 1],
                  Home: this.root}[event.key];
    if (goal) goal.span.focus();
    else if (event.key === "Enter" || event.key === " ") this.zoom(box);
    else if (event.key === "Escape") this.zoom(this.root, box);
    else if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
  }

  // Enter in the search goes to the next box that was found, with the shift key to the one before.
  step(event) {
    if (event.key === "Escape") {
      this.query.value = "";
      this.search();
      return;
    }
    const all = this.boxes.filter((box) => box.isFound && box.offsetWidth > 0);
    if (event.key !== "Enter" || all.length === 0) return;
    event.preventDefault();
    const box = all[(all.indexOf(this.current) + (event.shiftKey ? -1 : 1) + all.length) % all.length];
    this.mark(box);
    box.span.scrollIntoView({block: "nearest"});
  }

  // The box that Tab reaches, and that the line below tells of.
  mark(box) {
    this.current.span.tabIndex = -1;
    this.current.span.classList.remove("current");
    this.current = box;
    box.span.tabIndex = 0;
    box.span.classList.add("current");
    this.tell(box);
  }

  tell(box) {
    this.readout.textContent = `${(this.share(box) * 100).toPrecision(3)} % of ${this.measures[this.measure]}: ` +
      [box.label, ...box.lines].join(" · ");
  }

  zoom(box, focused = box) {
    this.zoomed = box;
    this.out.disabled = box === this.root;
    this.layOut();
    this.search();
    (focused.hidden ? this.current : focused).span.focus();
  }

  // The box looked at and those above it take the whole width; what stands next to them is away.
  layOut() {
    const path = new Set();
    for (let box = this.zoomed; box; box = box.above) path.add(box);
    const hang = (box, width, share) => {
      box.hidden = !(share >= LEAST);
      box.style.width = `${width * 100}%`;
      if (box.hidden) return;
      this.largestFirst(box.below).forEach((below, i) => {
        const isAbove = path.has(box) && box !== this.zoomed;
        const part = isAbove ? Number(path.has(below)) : this.weight(below) / this.weight(box);
        below.style.order = i;
        hang(below, part, share * part);
      });
    };
    hang(this.root, 1, 1);
    if (this.current.offsetWidth === 0) this.mark(this.root);
  }

  // How many boxes have the words, and the share of these: a box below another that was found is not counted again.
  search() {
    const query = this.query.value.trim().toLowerCase();
    let sum = 0;
    let count = 0;
    for (const box of this.boxes) {
      box.isFound = query !== "" && box !== this.root && this.weight(box) > 0 && box.span.title.toLowerCase().includes(query);
      box.isCounted = box.isFound || Boolean(box.above?.isCounted);
      if (box.isFound) ++count;
      if (box.isFound && !box.above.isCounted) sum += this.share(box);
      box.span.classList.toggle("found", box.isFound);
    }
    this.found.textContent = query === "" ? "" : `${count} found, ${(sum * 100).toPrecision(3)} % of ${this.measures[this.measure]}`;
  }
}

document.querySelectorAll(".flame-graph").forEach((graph, i) => new Flame(graph, i));
