// SPDX-License-Identifier: Apache-2.0
// Flame graphs: what the width stands for, a look at one box, a search. The boxes come from the list in the page, which is drawn
// without this too. Only boxes that can be seen become elements.

const ROW = 20; // px, as page.css and flame_graph.cpp have it
const THIN = 12; // px: no room for a letter

// A box: its name, lines about it, weights, the class of its colour, and the boxes below it.
function boxOfItem(item, parent) {
  const span = item.firstElementChild;
  const [label, ...lines] = span.title.split("\n");
  const box = {label, lines, parent, weights: item.dataset.w.split(" ").map(Number), style: span.className,
               by: span.style.getPropertyValue("--by"), words: span.title.toLowerCase(), left: 0, width: 0, element: null,
               depth: parent ? parent.depth + 1 : 0};
  box.below = Array.from(item.querySelectorAll(":scope > ul > li"), (below) => boxOfItem(below, box));
  return box;
}

function* boxesOf(root) {
  yield root;
  for (const below of root.below) yield* boxesOf(below);
}

function add(parent, name, properties) {
  const e = Object.assign(document.createElement(name), properties);
  parent.append(e);
  return e;
}

class Flame {
  constructor(graph, number) {
    this.list = graph.querySelector(".flame");
    this.measures = graph.dataset.measures.split("|");
    this.root = this.zoomed = this.current = boxOfItem(this.list.querySelector("li"), null);
    this.measure = Number(graph.dataset.first);
    if (!(this.root.weights[this.measure] > 0)) this.measure = 0;
    this.drawn = [];
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
    this.list.setAttribute("aria-label", graph.dataset.name);
    const boxOf = (event) => event.target.closest("li")?.box;
    this.list.addEventListener("click", (event) => { if (boxOf(event)) this.zoom(boxOf(event)); });
    this.list.addEventListener("pointerover", (event) => { if (boxOf(event)) this.tell(boxOf(event)); });
    this.list.addEventListener("focusin", (event) => this.mark(boxOf(event)));
    this.list.addEventListener("keydown", (event) => this.key(event, boxOf(event)));
    new ResizeObserver(() => { if (this.list.clientWidth !== this.laidOutFor) this.layOut(); }).observe(this.list);
    this.layOut();
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

  key(event, box) {
    const shown = (list) => list.filter((b) => b.element).sort((a, b) => a.left - b.left);
    const row = box.parent ? shown(box.parent.below) : [box];
    const at = row.indexOf(box);
    const goal = {ArrowDown: shown(box.below)[0], ArrowUp: box.parent, ArrowLeft: row[at - 1], ArrowRight: row[at + 1],
                  Home: this.root}[event.key];
    if (goal?.element) goal.element.firstElementChild.focus();
    else if (event.key === "Enter" || event.key === " ") this.zoom(box, box);
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
    const all = this.drawn.filter((box) => box.isFound);
    if (event.key !== "Enter" || all.length === 0) return;
    event.preventDefault();
    const box = all[(all.indexOf(this.current) + (event.shiftKey ? -1 : 1) + all.length) % all.length];
    this.mark(box);
    box.element.scrollIntoView({block: "nearest"});
  }

  // The box that Tab reaches, and that the line below tells of.
  mark(box) {
    if (this.current.element) {
      this.current.element.firstElementChild.tabIndex = -1;
      this.current.element.classList.remove("current");
    }
    this.current = box;
    box.element.firstElementChild.tabIndex = 0;
    box.element.classList.add("current");
    this.tell(box);
  }

  share(box) { return box.weights[this.measure] / this.root.weights[this.measure]; }

  tell(box) {
    this.readout.textContent = `${(this.share(box) * 100).toPrecision(3)} % of ${this.measures[this.measure]}: ` +
      [box.label, ...box.lines].join(" · ");
  }

  zoom(box, focused = box) {
    this.zoomed = box;
    this.current = focused;
    this.out.disabled = box === this.root;
    this.layOut();
    this.search();
    this.current.element.firstElementChild.focus();
  }

  // The box looked at and those above it take the whole width; what stands next to them is away.
  place(least) {
    const drawn = [];
    const put = (box, left, width) => {
      Object.assign(box, {left, width});
      drawn.push(box);
    };
    for (let box = this.zoomed.parent; box; box = box.parent) put(box, 0, 1);
    const hang = (box, left, width) => {
      put(box, left, width);
      let at = left;
      for (const below of box.below.slice().sort((a, b) => b.weights[this.measure] - a.weights[this.measure])) {
        const share = below.weights[this.measure] / box.weights[this.measure] * width;
        if (share >= least) hang(below, at, share);
        at += share;
      }
    };
    hang(this.zoomed, 0, 1);
    return drawn;
  }

  layOut() {
    this.laidOutFor = this.list.clientWidth;
    const pixels = this.laidOutFor || 1000;
    for (const box of this.drawn) box.element = null;
    this.drawn = this.place(1 / pixels).sort((a, b) => a.depth - b.depth || a.left - b.left);
    const items = this.drawn.map((box) => {
      const item = document.createElement("li");
      const span = add(item, "span", {className: box.style, title: [box.label, ...box.lines].join("\n"),
                                      textContent: box.label, tabIndex: box === this.current ? 0 : -1});
      item.style.cssText = `left:${box.left * 100}%;width:${box.width * 100}%;top:${box.depth * ROW}px`;
      item.box = box;
      item.classList.toggle("thin", box.width * pixels < THIN);
      item.setAttribute("role", "none");
      if (box.by) span.style.setProperty("--by", box.by);
      span.setAttribute("role", "treeitem");
      span.setAttribute("aria-level", box.depth + 1);
      box.element = item;
      return item;
    });
    if (!this.current.element) {
      this.current = this.root;
      this.root.element.firstElementChild.tabIndex = 0;
    }
    this.list.style.height = `${(this.drawn[this.drawn.length - 1].depth + 1) * ROW}px`;
    this.list.replaceChildren(...items);
  }

  // How many boxes have the words, and the share of these: a box below another that was found is not counted again.
  search() {
    const query = this.query.value.trim().toLowerCase();
    let sum = 0;
    let count = 0;
    for (const box of boxesOf(this.root)) {
      box.isFound = query !== "" && box !== this.root && box.weights[this.measure] > 0 && box.words.includes(query);
      box.isCounted = box.isFound || Boolean(box.parent?.isCounted);
      if (box.isFound) ++count;
      if (box.isFound && !box.parent.isCounted) sum += this.share(box);
      box.element?.classList.toggle("found", box.isFound);
    }
    this.found.textContent = query === "" ? "" : `${count} found, ${(sum * 100).toPrecision(3)} % of ${this.measures[this.measure]}`;
  }
}

document.querySelectorAll(".flame-graph").forEach((graph, i) => new Flame(graph, i));
