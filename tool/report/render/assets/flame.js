// SPDX-License-Identifier: Apache-2.0
// Flame graphs: what the width stands for, a look at one box, a search. A tree of boxes comes from the list in the page, which
// is drawn without this too, or from stacks.js. Only boxes that can be seen become elements.

const ROW = 20; // px, as page.css and flame_plot.cpp have it
const THIN = 12; // px: no room for a letter
const MOST_BOXES = 4000; // elements that a page scrolls and lays out at once without a pause

// A box: its name, lines about it, weights, the class of its colour, and the boxes below it.
function makeBox(label, weights, parent) {
  return {label, weights, parent, below: [], lines: null, style: "", by: "", left: 0, width: 0, element: null,
          depth: parent ? parent.depth + 1 : 0};
}

function boxOfItem(item, parent) {
  const span = item.firstElementChild;
  const [label, ...lines] = span.title.split("\n");
  const box = makeBox(label, item.dataset.w.split(" ").map(Number), parent);
  Object.assign(box, {lines, style: span.className, by: span.style.getPropertyValue("--by")});
  box.below = Array.from(item.querySelectorAll(":scope > ul > li"), (below) => boxOfItem(below, box));
  return box;
}

function* boxesOf(root) {
  const todo = [root];
  while (todo.length) {
    const box = todo.pop();
    yield box;
    for (let i = box.below.length - 1; i >= 0; --i) todo.push(box.below[i]);
  }
}

// What all flame graphs of one figure share: the measure, the search, the way back.
class FlameTools {
  constructor(graph, measures, has) {
    this.measures = measures;
    this.measure = Math.max(0, Number(graph.dataset.first ?? 0));
    this.flames = [];
    this.listeners = [];
    this.bar = document.createElement("div");
    this.bar.className = "flame-tools";
    const add = (name, properties, parent = this.bar) => {
      const e = Object.assign(document.createElement(name), properties);
      parent.append(e);
      return e;
    };
    this.add = add;
    const group = this.radios("Width", "flame-measure", measures.map((name, i) => has(i) ? name : ""), this.measure,
                              (i) => { this.measure = i; this.layOut(); });
    group.setAttribute("aria-label", "width of a box");
    this.widths = group;
    const label = add("label", {textContent: "Search "});
    this.query = add("input", {type: "search", title: "/: search; Enter: the next box that was found"}, label);
    this.query.addEventListener("input", () => this.search());
    this.query.addEventListener("keydown", (event) => this.step(event));
    this.out = add("button", {type: "button", textContent: "Show all", disabled: true});
    this.out.addEventListener("click", () => { for (const flame of this.flames) flame.zoom(flame.root); });
    this.found = add("output", {});
    graph.prepend(this.bar);
    this.readout = document.createElement("p");
    this.readout.className = "readout";
    graph.append(this.readout);
    graph.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.target === this.query) return;
      event.preventDefault();
      this.query.focus();
    });
  }

  radios(title, name, words, chosen, choose) {
    const group = this.add("span", {});
    group.setAttribute("role", "radiogroup");
    group.append(`${title}: `);
    words.forEach((word, i) => {
      if (!word) return;
      const label = this.add("label", {}, group);
      const choice = this.add("input", {type: "radio", name: `${name}-${FlameTools.made}`, value: i, checked: i === chosen}, label);
      label.append(word);
      choice.addEventListener("change", () => choose(i));
    });
    return group;
  }

  // Only what a tree has can be its width.
  allow(weights) {
    if (!(weights[this.measure] > 0)) this.measure = Math.max(0, weights.findIndex((w) => w > 0));
    for (const choice of this.widths.querySelectorAll("input")) {
      choice.disabled = !(weights[choice.value] > 0);
      choice.checked = Number(choice.value) === this.measure;
    }
  }

  layOut() {
    for (const flame of this.flames) flame.layOut();
    this.search();
    for (const tell of this.listeners) tell();
  }

  // Enter in the search goes to the next box that was found, with the shift key to the one before.
  step(event) {
    if (event.key === "Escape") {
      this.query.value = "";
      this.search();
      return;
    }
    if (event.key !== "Enter") return;
    event.preventDefault();
    const all = this.flames.flatMap((flame) => flame.drawn.filter((box) => box.isFound).map((box) => [flame, box]));
    if (all.length === 0) return;
    const step = event.shiftKey ? -1 : 1;
    const at = all.findIndex(([flame, box]) => flame.current === box && flame === this.last);
    const [flame, box] = all[(at + step + all.length) % all.length];
    this.last = flame;
    flame.mark(box);
    box.element.scrollIntoView({block: "nearest"});
  }

  search() {
    const query = this.query.value.trim().toLowerCase();
    let sum = 0;
    let count = 0;
    for (const flame of this.flames) {
      const [boxes, share] = flame.search(query);
      count += boxes;
      sum = Math.max(sum, share);
    }
    this.found.textContent = query === "" ? "" :
      `${count} found, ${(sum * 100).toPrecision(3)} % of ${this.measures[this.measure]}`;
    for (const tell of this.listeners) tell();
  }
}
FlameTools.made = 0;

class Flame {
  constructor(tools, list, name) {
    this.tools = tools;
    this.list = list;
    this.drawn = [];
    tools.flames.push(this);
    list.setAttribute("role", "tree");
    list.setAttribute("aria-label", name);
    const boxOf = (event) => event.target.closest("li")?.box;
    list.addEventListener("click", (event) => { if (boxOf(event)) this.zoom(boxOf(event)); });
    list.addEventListener("pointerover", (event) => { if (boxOf(event)) this.tell(boxOf(event)); });
    list.addEventListener("focusin", (event) => this.mark(boxOf(event)));
    list.addEventListener("keydown", (event) => this.key(event, boxOf(event)));
    new ResizeObserver(() => { if (this.list.clientWidth !== this.laidOutFor) this.layOut(); }).observe(list);
  }

  // Shows another tree. `isOrdered`: boxes stay in their order; `isUp`: they stand on the root instead of hanging from it.
  show(root, {isOrdered = false, isUp = false, lines = null, words = null} = {}) {
    Object.assign(this, {root, isOrdered, isUp, linesOf: lines, wordsOf: words});
    this.zoomed = this.current = root;
    this.tools.out.disabled = true;
    this.tools.allow(root.weights);
    this.layOut();
  }

  key(event, box) {
    const shown = (list) => list.filter((b) => b.element);
    const beside = box.parent ? shown(box.parent.below).sort((a, b) => a.left - b.left) : [box];
    const below = shown(box.below).sort((a, b) => a.left - b.left)[0];
    const at = beside.indexOf(box);
    const [down, up] = this.isUp ? [box.parent, below] : [below, box.parent];
    const goal = {ArrowDown: down, ArrowUp: up, ArrowLeft: beside[at - 1], ArrowRight: beside[at + 1],
                  Home: this.root}[event.key];
    if (goal?.element) goal.element.firstElementChild.focus();
    else if (event.key === "Enter" || event.key === " ") this.zoom(box, box);
    else if (event.key === "Escape") this.zoom(this.root, box);
    else if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
  }

  // The box that Tab reaches, and that the line below tells of.
  mark(box) {
    if (this.current?.element) {
      this.current.element.firstElementChild.tabIndex = -1;
      this.current.element.classList.remove("current");
    }
    this.current = box;
    box.element.firstElementChild.tabIndex = 0;
    box.element.classList.add("current");
    this.tell(box);
  }

  share(box) { return box.weights[this.tools.measure] / this.root.weights[this.tools.measure]; }

  // What the search looks at.
  words(box) {
    return box.words ??= (this.wordsOf ? this.wordsOf(box) : [box.label, ...this.lines(box)].join("\n")).toLowerCase();
  }

  lines(box) { return box.lines ?? (box.lines = this.linesOf ? this.linesOf(box) : []); }

  tell(box) {
    this.tools.readout.textContent = `${(this.share(box) * 100).toPrecision(3)} % of ` +
      `${this.tools.measures[this.tools.measure]}: ${[box.label, ...this.lines(box)].join(" · ")}`;
  }

  zoom(box, focused = null) {
    this.zoomed = box;
    this.current = focused ?? box;
    this.tools.out.disabled = this.tools.flames.every((flame) => flame.zoomed === flame.root);
    this.layOut();
    this.tools.search();
    if (focused) this.current.element.firstElementChild.focus();
  }

  // The box looked at and those above it take the whole width; what stands beside them is away.
  place(least) {
    const measure = this.tools.measure;
    const drawn = [];
    const put = (box, left, width) => {
      box.left = left;
      box.width = width;
      drawn.push(box);
    };
    for (let box = this.zoomed.parent; box; box = box.parent) put(box, 0, 1);
    const todo = [[this.zoomed, 0, 1]];
    while (todo.length) {
      const [box, left, width] = todo.pop();
      put(box, left, width);
      if (drawn.length > MOST_BOXES) return null;
      const whole = box.weights[measure];
      if (!(whole > 0)) continue;
      const order = this.isOrdered ? box.below : box.below.slice().sort((a, b) => b.weights[measure] - a.weights[measure]);
      let at = left;
      for (const below of order) {
        const share = below.weights[measure] / whole * width;
        if (share >= least) todo.push([below, at, share]);
        at += share;
      }
    }
    return drawn;
  }

  layOut() {
    this.laidOutFor = this.list.clientWidth;
    if (!this.root) return;
    const pixels = this.laidOutFor || 1000;
    let drawn = null;
    for (let least = 1; drawn === null; least *= 1.5) drawn = this.place(least / pixels);
    for (const box of this.drawn) box.element = null;
    this.drawn = drawn.sort((a, b) => a.depth - b.depth || a.left - b.left);
    const deepest = this.drawn[this.drawn.length - 1].depth;
    const items = this.drawn.map((box) => {
      const item = document.createElement("li");
      const span = document.createElement("span");
      const row = this.isUp ? deepest - box.depth : box.depth;
      item.style.cssText = `left:${box.left * 100}%;width:${box.width * 100}%;top:${row * ROW}px`;
      item.box = box;
      item.classList.toggle("thin", box.width * pixels < THIN);
      item.setAttribute("role", "none");
      span.className = box.style;
      if (box.by) span.style.setProperty("--by", box.by);
      span.title = [box.label, ...this.lines(box)].join("\n");
      span.textContent = box.label;
      span.tabIndex = box === this.current ? 0 : -1;
      span.setAttribute("role", "treeitem");
      span.setAttribute("aria-level", box.depth + 1);
      item.append(span);
      box.element = item;
      return item;
    });
    if (!this.current.element) {
      this.current = this.root;
      this.root.element.firstElementChild.tabIndex = 0;
    }
    this.list.style.height = `${(deepest + 1) * ROW}px`;
    this.list.replaceChildren(...items);
  }

  // How many boxes have the words, and the share of these: a box below another that was found is not counted again.
  search(query) {
    let sum = 0;
    let count = 0;
    if (!this.root) return [0, 0];
    for (const box of boxesOf(this.root)) {
      box.isFound = query !== "" && box !== this.root && box.weights[this.tools.measure] > 0 &&
        this.words(box).includes(query);
      box.isCounted = box.isFound || Boolean(box.parent?.isCounted);
      if (box.isFound) ++count;
      if (box.isFound && !box.parent.isCounted) sum += this.share(box);
      box.element?.classList.toggle("found", box.isFound);
    }
    return [count, sum];
  }
}

function showListAsFlame(graph) {
  const list = graph.querySelector(".flame");
  const root = boxOfItem(list.querySelector("li"), null);
  ++FlameTools.made;
  const tools = new FlameTools(graph, graph.dataset.measures.split("|"), (i) => root.weights[i] > 0);
  new Flame(tools, list, graph.dataset.name).show(root);
}

for (const graph of document.querySelectorAll(".flame-graph:not(:has(> data))")) showListAsFlame(graph);
