// SPDX-License-Identifier: Apache-2.0
// Timelines are read out at the pointer, or at a mark that the arrow keys move.

for (const timeline of document.querySelectorAll(".timeline")) {
  const series = Array.from(timeline.querySelectorAll("data"), (d) => ({title: d.dataset.title, words: d.value.split("|")}));
  const steps = series[0].words.length;
  const readout = timeline.querySelector(".readout");
  const areas = Array.from(timeline.querySelectorAll(".hit"));
  let at = -1;

  const show = (step) => {
    at = Math.max(0, Math.min(steps - 1, step));
    readout.textContent = series.map((s) => `${s.title}: ${s.words[at]}`).join(" · ");
    for (const area of areas) {
      const x = ((at + 0.5) / steps * 1000).toFixed(2);
      area.parentElement.querySelector(".cursor").setAttribute("d",
        `M${x} ${area.getAttribute("y")}v${area.getAttribute("height")}`);
    }
  };
  const hide = () => {
    at = -1;
    readout.textContent = "";
    for (const cursor of timeline.querySelectorAll(".cursor")) cursor.setAttribute("d", "");
  };
  for (const area of areas) {
    area.addEventListener("pointermove", (event) => {
      const box = area.getBoundingClientRect();
      show(Math.floor((event.clientX - box.left) / box.width * steps));
    });
  }
  timeline.addEventListener("pointerleave", hide);
  timeline.tabIndex = 0;
  timeline.setAttribute("role", "slider");
  timeline.setAttribute("aria-valuemin", "0");
  timeline.setAttribute("aria-valuemax", String(steps - 1));
  timeline.addEventListener("blur", hide);
  timeline.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.round(steps / 10));
    const moves = {ArrowLeft: at - 1, ArrowRight: at + 1, PageDown: at - page, PageUp: at + page, Home: 0, End: steps - 1};
    if (!(event.key in moves)) return;
    event.preventDefault();
    show(moves[event.key]);
    timeline.setAttribute("aria-valuenow", String(at));
    timeline.setAttribute("aria-valuetext", readout.textContent);
  });
}
