// SPDX-License-Identifier: Apache-2.0
// The flame graph: what the width stands for, a look at one box, a search. Boxes are list items; each has its weights in
// data-w, which the graph names. Without this they are drawn by the first.

const THIN = 12; // px: no room for a letter

class Flame {
  constructor(graph) {
    this.list = graph.querySelector(".flame");
    this.measures = graph.dataset.measures.split("|");
    this.root = this.list.querySelector("li");
    this.items = Array.from(this.list.querySelectorAll("li"));
    for (const item of this.items) {
      item.weights = item.dataset.w.split(" ").map(Number);
      item.box = item.firstElementChild;
      item.parent = item.parentElement.closest("li");
      item.below = Array.from(item.querySelectorAll(":scope > ul > li"));
      item.words = item.box.title.toLowerCase();
      item.box.textContent = item.box.title.split("\n")[0]; // the page has what fits at first
    }
    this.measure = 0;
    this.zoomed = this.root;
    this.addTools(graph);
    this.addKeys(graph);
    this.layOut();
    new ResizeObserver(() => this.markThin()).observe(this.list);
  }

  addTools(graph) {
    const tools = document.createElement("div");
    tools.className = "flame-tools";
    const add = (name, properties, parent = tools) => {
      const e = Object.assign(document.createElement(name), properties);
      parent.append(e);
      return e;
    };
    const group = add("span", {});
    group.setAttribute("role", "radiogroup");
    group.setAttribute("aria-label", "width of a box");
    group.append("Width: ");
    this.measures.forEach((name, i) => {
      if (!(this.root.weights[i] > 0)) return;
      const label = add("label", {}, group);
      const choice = add("input", {type: "radio", name: "flame-measure", checked: i === 0}, label);
      label.append(name);
      choice.addEventListener("change", () => { this.measure = i; this.layOut(); });
    });
    const label = add("label", {textContent: "Search "});
    this.query = add("input", {type: "search"}, label);
    this.query.addEventListener("input", () => this.search());
    this.out = add("button", {type: "button", textContent: "Show all", disabled: true});
    this.out.addEventListener("click", () => this.zoom(this.root));
    this.found = add("output", {});
    graph.prepend(tools);
    this.readout = add("p", {className: "readout"}, graph);
  }

  addKeys(graph) {
    this.list.setAttribute("role", "tree");
    this.list.setAttribute("aria-label", graph.dataset.name);
    for (const item of this.items) {
      item.setAttribute("role", "none");
      item.box.setAttribute("role", "treeitem");
      item.box.tabIndex = item === this.root ? 0 : -1;
      item.querySelector(":scope > ul")?.setAttribute("role", "group");
    }
    const itemOf = (event) => event.target.closest("li");
    this.list.addEventListener("click", (event) => { if (itemOf(event)) this.zoom(itemOf(event)); });
    this.list.addEventListener("pointerover", (event) => { if (itemOf(event)) this.tell(itemOf(event)); });
    this.list.addEventListener("focusin", (event) => this.tell(itemOf(event)));
    this.list.addEventListener("keydown", (event) => this.key(event, itemOf(event)));
  }

  key(event, item) {
    const seen = (list) => list.filter((i) => !i.classList.contains("away") && i.width > 0);
    const beside = item.parent ? seen(item.parent.below) : [item];
    const at = beside.indexOf(item);
    const goal = {ArrowDown: seen(item.below)[0], ArrowUp: item.parent, ArrowLeft: beside[at - 1],
                  ArrowRight: beside[at + 1], Home: this.root}[event.key];
    if (goal) this.focus(goal);
    else if (event.key === "Enter" || event.key === " ") this.zoom(item);
    else if (event.key === "Escape") this.zoom(this.root);
    else if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
  }

  focus(item) {
    for (const other of this.items) other.box.tabIndex = -1;
    item.box.tabIndex = 0;
    item.box.focus();
  }

  share(item) { return item.weights[this.measure] / this.root.weights[this.measure]; }

  tell(item) {
    const lines = item.box.title.split("\n");
    this.readout.textContent = `${(this.share(item) * 100).toPrecision(3)} % of ${this.measures[this.measure]}: ${lines.join(" · ")}`;
  }

  zoom(item) {
    this.zoomed = item;
    this.out.disabled = item === this.root;
    this.layOut();
  }

  // The box looked at and those above it take the whole width; what stands beside them is away.
  layOut() {
    const path = new Set();
    for (let item = this.zoomed; item; item = item.parent) path.add(item);
    const place = (item, left, width) => {
      item.width = width;
      item.style.left = `${left}%`;
      item.style.width = `${width}%`;
    };
    for (const item of this.items) item.classList.remove("away");
    place(this.root, 0, 100);
    for (const item of this.items) {
      const onPath = item !== this.zoomed && path.has(item);
      const whole = item.weights[this.measure];
      const order = item.below.slice().sort((a, b) => b.weights[this.measure] - a.weights[this.measure]);
      let at = 0;
      for (const child of order) {
        const width = whole > 0 ? child.weights[this.measure] / whole * 100 : 0;
        if (onPath) {
          place(child, 0, path.has(child) ? 100 : 0);
          child.classList.toggle("away", !path.has(child));
        } else {
          place(child, at, width);
          child.classList.toggle("away", !(width > 0));
          at += width;
        }
      }
    }
    this.markThin();
    this.search();
  }

  markThin() {
    const whole = this.list.clientWidth;
    for (const item of this.items) {
      item.pixels = (item.parent ? item.parent.pixels : whole) * item.width / 100;
      item.classList.toggle("thin", item.pixels < THIN);
    }
  }

  // The share of what is found: a box below another that was found is not counted again.
  search() {
    const query = this.query.value.trim().toLowerCase();
    let sum = 0;
    let count = 0;
    for (const item of this.items) {
      const isFound = query !== "" && item !== this.root && item.words.includes(query);
      item.classList.toggle("found", isFound);
      item.counted = isFound || Boolean(item.parent?.counted);
      if (isFound) ++count;
      if (isFound && !item.parent.counted) sum += this.share(item);
    }
    this.found.textContent = query === "" ? "" :
      `${count} found, ${(sum * 100).toPrecision(3)} % of ${this.measures[this.measure]}`;
  }
}

for (const graph of document.querySelectorAll(".flame-graph")) new Flame(graph);
