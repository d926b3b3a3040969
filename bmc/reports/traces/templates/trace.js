"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const slider = document.getElementById("slider");
  const where = document.getElementById("where");
  const diagram = document.getElementById("diagram");
  const svg = document.getElementById("arrows");
  const rows = [...document.querySelectorAll(".row")];
  const states = [...document.querySelectorAll(".state")];
  let now = data.last;

  const make = (name, attributes, text) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text) node.textContent = text;
    return node;
  };

  // The middle of a lifeline at a step, in the diagram's own coordinates.
  const place = (step, column, origin) => {
    const cell = rows[step].querySelectorAll(".cell")[column].getBoundingClientRect();
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    return [cell.left + cell.width / 2 - origin.left, cell.top + 0.8 * rem - origin.top];
  };

  const draw = () => {
    const origin = diagram.getBoundingClientRect();
    const nodes = [], labels = [];
    for (const [source, target, sent, received, text] of data.arrows) {
      const open = received === null;
      const [from, to] = [source ?? target, target ?? source];
      if (from === null) continue;
      const [x1, y1] = place(sent, from, origin);
      let [x2, y2] = place(open ? sent : received, to, origin);
      if (open) { x2 = x1 + (x2 - x1) * 0.4; y2 = y1 + 14; }
      const mine = sent === now || received === now ? " mine" : "";
      const length = Math.hypot(x2 - x1, y2 - y1) || 1;
      const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
      const gap = Math.min(7, length / 3);
      const [ax, ay] = [x2 - ux * gap, y2 - uy * gap];
      const late = !open && received > sent ? " late" : "";
      const line = make("path", {
        class: `arrow${late}${open ? " open" : ""}${mine}`,
        d: `M${x1 + ux * gap},${y1 + uy * gap} L${ax},${ay}`,
      });
      line.append(make("title", {}, text));
      nodes.push(line);
      if (!open) {
        const [bx, by] = [ax - ux * 8, ay - uy * 8];
        nodes.push(make("path", { class: "tip",
          d: `M${ax},${ay} L${bx - uy * 4},${by + ux * 4} L${bx + uy * 4},${by - ux * 4} Z` }));
      }
      if (text) labels.push([text, mine, x1, y1, x2, y2]);
    }
    if (data.loop !== null && data.loop < data.last) nodes.push(...back(origin));
    svg.replaceChildren(...nodes);
    write(labels, origin);
  };

  // From the last step of a lasso back to the state that it leads to, beside the diagram.
  const back = (origin) => {
    const middle = (step) => {
      const box = rows[step].getBoundingClientRect();
      return [box.left - origin.left, box.top + box.height / 2 - origin.top];
    };
    const [[x1, y1], [x2, y2]] = [middle(data.last), middle(data.loop)];
    const out = Math.min(x1, x2) - 12;
    return [
      make("path", { class: "arrow back", d: `M${x1 - 2},${y1} C${out},${y1} ${out},${y2} ${x2 - 6},${y2}` }),
      make("path", { class: "tip", d: `M${x2},${y2} L${x2 - 8},${y2 - 4} L${x2 - 8},${y2 + 4} Z` }),
    ];
  };

  // Labels stand whole and where nothing else does, or not at all: the messages of a step are
  // listed beside it. Those of the step that is looked at are placed first.
  const write = (labels, origin) => {
    const head = document.querySelector(".heads .cells").getBoundingClientRect();
    const [left, right] = [head.left - origin.left, head.right - origin.left];
    const taken = [...diagram.querySelectorAll(".after, .cell.actor .dot, .cell.touched .dot, .label")]
      .map((node) => node.getBoundingClientRect())
      .filter((box) => box.width)
      .map((box) => [box.left - origin.left, box.top - origin.top, box.right - origin.left, box.bottom - origin.top]);
    const free = (box) => box[0] >= left - 4 && box[2] <= right + 4 &&
      taken.every((other) => box[2] <= other[0] || other[2] <= box[0] || box[3] <= other[1] || other[3] <= box[1]);
    const ordered = [...labels.filter((one) => one[1]), ...labels.filter((one) => !one[1])];
    for (const [text, mine, x1, y1, x2, y2] of ordered) {
      const pieces = text.split(", ");
      for (let many = mine ? pieces.length : 1; many > 0; many--) {
        const said = pieces.slice(0, many).join(", ");
        const node = make("text", { class: mine }, said);
        svg.append(node);
        const wide = node.getComputedTextLength();
        const spot = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8]
          .map((at) => [x1 + (x2 - x1) * at, y1 + (y2 - y1) * at - 3])
          .find(([x, y]) => free([x - wide / 2 - 2, y - 11, x + wide / 2 + 2, y + 3]));
        if (!spot || wide > Math.max(90, Math.abs(x2 - x1) * 1.6)) { node.remove(); continue; }
        node.setAttribute("x", spot[0]);
        node.setAttribute("y", spot[1]);
        taken.push([spot[0] - wide / 2, spot[1] - 11, spot[0] + wide / 2, spot[1] + 3]);
        break;
      }
    }
  };

  const show = (step, follow) => {
    now = Math.max(0, Math.min(data.last, step));
    slider.value = now;
    where.textContent = `step ${now} of ${data.last}`;
    for (const row of rows) {
      const here = Number(row.dataset.step) === now;
      row.classList.toggle("now", here);
      if (here && follow) row.scrollIntoView({ block: "nearest" });
    }
    for (const state of states) state.hidden = Number(state.dataset.step) !== now;
    draw();
  };

  const by = { first: () => 0, last: () => data.last, "1": () => now + 1, "-1": () => now - 1 };
  for (const button of document.querySelectorAll("[data-by]"))
    button.addEventListener("click", () => show(by[button.dataset.by](), true));
  for (const button of document.querySelectorAll("[data-go]"))
    button.addEventListener("click", (event) => {
      event.stopPropagation();
      show(Number(button.dataset.go), true);
    });
  for (const row of rows)
    row.addEventListener("click", () => show(Number(row.dataset.step), false));
  slider.addEventListener("input", () => show(Number(slider.value), true));
  const keys = { ArrowRight: "1", ArrowLeft: "-1", ArrowDown: "1", ArrowUp: "-1", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.key in keys)) return;
    // Up and down scroll the page, unless the slider has the focus.
    if (event.key.endsWith("Up") || event.key.endsWith("Down")) {
      if (event.target !== slider) return;
    }
    event.preventDefault();
    show(by[keys[event.key]](), true);
  });
  for (const fold of document.querySelectorAll("details")) fold.addEventListener("toggle", draw);
  window.addEventListener("resize", draw);
  const asked = /^#step-(\d+)$/.exec(location.hash);
  show(asked ? Number(asked[1]) : data.last, false);
})();
