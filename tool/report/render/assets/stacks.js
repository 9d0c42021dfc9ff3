// SPDX-License-Identifier: Apache-2.0
// The stacks of a recording from three sides: merged, in the order of time, and around one function. A page holds a bounded number
// of them (stack_views.cpp); all figures of boxes are sums of these.

const MOST_FUNCTIONS = 100; // rows of the list

class StackGraph {
  constructor(graph) {
    const data = graph.querySelector("data");
    this.graph = graph;
    this.kinds = data.dataset.kinds.split("|");
    this.names = graph.dataset.measures.split("|");
    Object.assign(this, JSON.parse(data.value)); // frames, nodes, stacks, step_ns, steps
    this.none = this.names.map(() => 0);
    this.bySelf = true;
    this.total = this.sum(this.stacks.map(([, ...weights]) => weights));
    ++FlameTools.made;
    this.tools = new FlameTools(graph, this.names, (i) => this.total[i] > 0);
    this.list = graph.querySelector(".flame");
    this.flame = new Flame(this.tools, this.list, graph.dataset.name);
    this.addUpper();
    this.addViews();
    this.tools.listeners.push(() => { if (this.view === 2) this.fillFunctions(); });
    graph.addEventListener("keydown", (event) => { if (event.key === "c" && event.target.closest(".flame")) this.lookAtCurrent(); });
    this.show(0);
  }

  sum(all) {
    return all.reduce((to, weights) => { weights.forEach((w, i) => { to[i] += w; }); return to; }, this.none.slice());
  }

  // The frames of a stack, outermost first.
  path(node) {
    const frames = [];
    for (; node > 0; node = this.nodes[2 * node - 1]) frames.push(this.nodes[2 * node - 2]);
    return frames.reverse();
  }

  box(frame, parent) {
    const [label, , isType] = this.frames[frame];
    const box = makeBox(label, this.none.slice(), parent);
    box.frame = frame;
    box.style = isType ? "ours" : "";
    return box;
  }

  // Adds a path to a tree; equal calls are one box.
  grow(root, frames, weights, step) {
    let at = root;
    const add = (box) => {
      weights.forEach((w, i) => { box.weights[i] += w; });
      box.first = box.last = step;
    };
    add(root);
    for (const frame of frames) {
      const byFrame = at.byFrame ??= new Map();
      if (!byFrame.has(frame)) {
        byFrame.set(frame, this.box(frame, at));
        at.below.push(byFrame.get(frame));
      }
      at = byFrame.get(frame);
      add(at);
    }
  }

  root(label) { return makeBox(label, this.none.slice(), null); }

  merged() {
    const root = this.root("all stacks");
    for (const [node, ...weights] of this.stacks) this.grow(root, this.path(node), weights);
    return root;
  }

  // Within a step equal calls stand together, where the first of them was.
  inOrder() {
    const root = this.root("from the beginning to the end");
    this.steps.forEach((entries, step) => {
      const within = this.root("");
      for (let i = 0; i < entries.length; i += 4) {
        const [stack, count, bytes, temporary] = entries.slice(i, i + 4);
        const weights = this.none.slice();
        [weights[0], weights[1], weights[3]] = [bytes, count, temporary];
        this.grow(within, this.path(this.stacks[stack][0]), weights, step);
      }
      this.append(root, within);
    });
    return root;
  }

  // Puts a tree behind another: only calls that meet become one.
  append(to, more) {
    more.weights.forEach((w, i) => { to.weights[i] += w; });
    to.first ??= more.first;
    to.last = more.last ?? to.last;
    for (const box of more.below) {
      const last = to.below[to.below.length - 1];
      if (last?.frame === box.frame) {
        this.append(last, box);
      } else {
        box.parent = to;
        to.below.push(box);
      }
    }
  }

  // What one function calls, and what calls it; where it calls itself, from its outermost call on.
  around(frame) {
    const [below, above] = [this.box(frame, null), this.box(frame, null)];
    for (const [node, ...weights] of this.stacks) {
      const frames = this.path(node);
      const at = frames.indexOf(frame);
      if (at < 0) continue;
      this.grow(below, frames.slice(at + 1), weights);
      this.grow(above, frames.slice(0, at).reverse(), weights);
    }
    return [below, above];
  }

  lines(box) {
    const lines = this.names.map((name, i) => box.weights[i] > 0
      ? `${shown(box.weights[i], this.kinds[i])} ${name} (${(box.weights[i] / this.total[i] * 100).toPrecision(3)} %)` : "")
      .filter((line) => line !== "");
    if (box.first !== undefined) {
      lines.push(`from ${shown(box.first * this.step_ns, "time")} to ${shown((box.last + 1) * this.step_ns, "time")}`);
    }
    const detail = box.frame === undefined ? "" : this.frames[box.frame][1];
    return detail ? [...lines, detail] : lines;
  }

  addUpper() {
    this.upper = document.createElement("ul");
    this.upper.className = "flame";
    const frame = document.createElement("div");
    frame.className = "flame-frame";
    frame.hidden = true;
    frame.append(this.upper);
    this.list.parentElement.before(frame);
    this.upperFrame = frame;
  }

  addViews() {
    const words = ["merged", this.steps.length > 1 ? "in order of time" : "", "around one function"];
    this.views = this.tools.radios("Stacks", "flame-view", words, 0, (i) => this.show(i));
    this.views.setAttribute("aria-label", "which stacks are together");
    this.tools.bar.prepend(this.views);
    this.look = this.tools.add("button", {type: "button", textContent: "Callers and callees", title: "c: of the box that has the focus"});
    this.look.addEventListener("click", () => this.lookAtCurrent());
    this.functions = document.createElement("div");
    this.functions.className = "scroll functions";
    this.functions.hidden = true;
    this.graph.insertBefore(this.functions, this.upperFrame);
  }

  lookAtCurrent() {
    const frame = this.flame.current?.frame;
    if (frame === undefined) return;
    this.views.querySelectorAll("input")[this.views.querySelectorAll("input").length - 1].checked = true;
    this.chosen = frame;
    this.show(2);
  }

  show(view) {
    this.view = view;
    const isSandwich = view === 2;
    this.upperFrame.hidden = this.functions.hidden = !isSandwich;
    this.look.hidden = isSandwich;
    const lines = (box) => this.lines(box);
    const words = (box) => box.frame === undefined ? box.label : this.frames[box.frame].slice(0, 2).join("\n");
    const flames = this.tools.flames;
    flames.length = 0;
    if (isSandwich) {
      this.totals ??= this.functionTotals();
      this.chosen ??= this.totals.reduce((most, row) => row.self[0] > most.self[0] ? row : most).frame;
      this.upperFlame ??= new Flame(this.tools, this.upper, "callers");
      flames.length = 0;
      flames.push(this.upperFlame, this.flame);
      const [below, above] = this.around(this.chosen);
      this.upperFlame.show(above, {isUp: true, lines, words});
      this.flame.show(below, {lines, words});
    } else {
      flames.push(this.flame);
      if (view === 1) this.flame.show(this.ordered ??= this.inOrder(), {isOrdered: true, lines, words});
      else this.flame.show(this.whole ??= this.merged(), {lines, words});
    }
    this.tools.search();
  }

  // A function counts once in a stack, however often it is on it.
  functionTotals() {
    const all = new Map();
    for (const [node, ...weights] of this.stacks) {
      const frames = this.path(node);
      const inner = frames.length > 1 && this.frames[frames[frames.length - 1]][2] ? frames.length - 2 : frames.length - 1;
      for (const frame of new Set(frames)) {
        if (!all.has(frame)) all.set(frame, {frame, total: this.none.slice(), self: this.none.slice()});
        const row = all.get(frame);
        const isSelf = frame === frames[inner] || this.frames[frame][2];
        weights.forEach((w, i) => {
          row.total[i] += w;
          if (isSelf) row.self[i] += w;
        });
      }
    }
    return Array.from(all.values()).sort((a, b) => b.total[0] - a.total[0]);
  }

  fillFunctions() {
    const measure = this.tools.measure;
    const query = this.tools.query.value.trim().toLowerCase();
    const by = this.bySelf ? "self" : "total";
    const rows = this.totals.filter((row) => row.total[measure] > 0 &&
        this.frames[row.frame].slice(0, 2).join(" ").toLowerCase().includes(query))
      .sort((a, b) => b[by][measure] - a[by][measure]);
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    head.className = "columns";
    const heading = (words, sorts) => {
      const cell = document.createElement("th");
      cell.scope = "col";
      const button = Object.assign(document.createElement("button"), {type: "button", textContent: words});
      if (sorts === undefined) cell.textContent = words;
      else {
        button.addEventListener("click", () => { this.bySelf = sorts; this.fillFunctions(); });
        cell.append(button);
        if (sorts === this.bySelf) cell.setAttribute("aria-sort", "descending");
      }
      head.append(cell);
    };
    heading(`function or type (${this.names[measure]})`);
    heading("itself", true);
    heading("with what it calls", false);
    const body = table.createTBody();
    for (const row of rows.slice(0, MOST_FUNCTIONS)) {
      const line = body.insertRow();
      const name = document.createElement("th");
      name.scope = "row";
      const button = Object.assign(document.createElement("button"), {type: "button", textContent: this.frames[row.frame][0]});
      button.setAttribute("aria-pressed", String(row.frame === this.chosen));
      button.addEventListener("click", () => { this.chosen = row.frame; this.show(2); });
      name.append(button);
      line.append(name);
      for (const weights of [row.self, row.total]) {
        line.insertCell().textContent = weights[measure] > 0 ? shown(weights[measure], this.kinds[measure]) : "–";
      }
    }
    this.functions.replaceChildren(table);
    if (rows.length > MOST_FUNCTIONS) {
      const more = document.createElement("p");
      more.textContent = `and ${rows.length - MOST_FUNCTIONS} more; the search finds them`;
      this.functions.append(more);
    }
  }
}

for (const graph of document.querySelectorAll(".flame-graph:has(> data)")) new StackGraph(graph);
