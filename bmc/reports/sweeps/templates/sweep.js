// The verdict matrix: two parameters span it, the others make a facet of each of their choices.
(() => {
  "use strict";
  let rows = JSON.parse(document.getElementById("data").textContent);
  // What is not in this file: by protocol and property, the file that has all of their rows.
  const unlisted = JSON.parse(document.getElementById("unlisted").textContent);
  const get = (id) => document.getElementById(id);
  const distinct = (values) => [...new Set(values)];
  const make = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const fill = (select, values, wanted) => {
    select.replaceChildren(...values.map((value) => make("option", { value }, value)));
    if (values.includes(wanted)) select.value = wanted;
  };
  const choose = { protocol: get("protocol"), property: get("property"), across: get("across"),
    down: get("down"), show: get("show") };
  const names = () => Object.keys(shown()[0]?.parameters ?? {});
  const shown = () => rows.filter((row) => row.protocol === choose.protocol.value
    && row.property === choose.property.value);
  const varying = () => names().filter(
    (name) => distinct(shown().map((row) => row.parameters[name])).length > 1);

  function refill() {
    const properties = distinct([...rows, ...unlisted].filter((row) => row.protocol === choose.protocol.value)
      .map((row) => row.property));
    fill(choose.property, properties, choose.property.value);
    const axes = [...varying(), ...names().filter((name) => !varying().includes(name))];
    fill(choose.across, axes, choose.across.value || axes[0]);
    fill(choose.down, axes, choose.down.value || axes[1] || axes[0]);
    if (choose.down.value === choose.across.value) {
      choose.down.value = axes.find((name) => name !== choose.across.value) ?? axes[0];
    }
  }

  function text(row) {
    switch (choose.show.value) {
      case "seconds": return row.seconds === null ? "" : row.seconds.toPrecision(2) + " s";
      case "memory": return row.memory === null ? "" : row.memory.toFixed(0);
      case "bits": return String(row.bits);
    }
    if (row.outcome === "violated") return row.states === null ? "" : count(row.states, "state");
    if (row.outcome === "proved") return row.k === null ? row.engine : `k=${row.k}`;
    return row.depth === null ? "" : `≤${row.depth}`;
  }

  // What stands in the cells that are shown, in words.
  function reading() {
    switch (choose.show.value) {
      case "seconds": return "In a cell: seconds the job took.";
      case "memory": return "In a cell: megabytes the job took at most.";
      case "bits": return "In a cell: bits of a state.";
    }
    const cells = shown();
    const proved = cells.filter((row) => row.outcome === "proved");
    const said = [
      proved.some((row) => row.k !== null) && "the k of the induction that proves it",
      proved.some((row) => row.k === null) && "the engine that proves it",
      cells.some((row) => row.outcome === "violated") && "states of the trace that violates it",
      cells.some((row) => ["clean", "unknown"].includes(row.outcome) && row.depth !== null)
        && "≤ steps that are free of violations",
      cells.some((row) => row.implied) && "dashed: implied by a smaller violation"];
    return `In a cell: ${said.filter(Boolean).join("; ")}.`;
  }

  function detail(row, cell) {
    for (const other of document.querySelectorAll(".cell[aria-pressed=true]")) {
      other.setAttribute("aria-pressed", "false");
    }
    cell.setAttribute("aria-pressed", "true");
    const facts = [["verdict", row.outcome + (row.implied ? ", implied by another row" : "")],
      ["why", row.reason], ["engine", row.engine], ["k", row.k],
      ["free of violations up to depth", row.outcome === "violated" ? null : row.depth],
      ["states in the trace", row.states], ["re-checked by", row.checked],
      ["seconds", row.seconds?.toFixed(2)], ["peak memory", row.memory && `${row.memory} MB`],
      ["state bits", row.bits], ["host", row.host]].filter(([, value]) => value !== null && value !== undefined);
    const list = make("dl", {}, ...facts.flatMap(([name, value]) =>
      [make("dt", {}, name), make("dd", {}, String(value))]));
    for (const kind of ["trace", "certificate"]) {
      if (row[kind]) {
        list.append(make("dt", {}, kind), make("dd", {}, make("a", { href: row[kind] }, row[kind])));
      }
    }
    const at = Object.entries(row.parameters).map(([name, value]) => `${name}=${value}`).join(" ");
    const panel = get("detail");
    panel.replaceChildren(make("b", {}, `${row.property} of ${row.protocol} at ${at}`), list,
      make("p", { class: "quiet" }, "To ask this again:"), make("pre", { class: "command" }, row.command));
    panel.hidden = false;
  }

  function facet(group, across, down, caption) {
    const values = (name) => distinct(shown().map((row) => row.parameters[name])).sort((a, b) => a - b);
    const table = make("table", {}, make("caption", {}, caption));
    const columns = values(across);
    const lines = across === down ? [null] : values(down);
    table.append(make("tr", {}, make("th", { class: "name" }, across === down ? across : `${down} ↓ ${across} →`),
      ...columns.map((value) => make("th", { scope: "col" }, String(value)))));
    for (const line of lines) {
      const drawn = make("tr", {}, make("th", { scope: "row" }, line === null ? "" : String(line)));
      for (const column of columns) {
        const row = group.find((one) => one.parameters[across] === column
          && (line === null || one.parameters[down] === line));
        if (!row) { drawn.append(make("td", {}, make("span", { class: "none", title: "not asked" }))); continue; }
        const cell = make("button", { class: `cell ${row.outcome}${row.implied ? " implied" : ""}`,
          type: "button", "aria-pressed": "false", "data-key": row.key,
          "aria-label": `${across} ${column}${line === null ? "" : `, ${down} ${line}`}: ${row.outcome} ${text(row)}` },
        text(row));
        cell.addEventListener("click", () => detail(row, cell));
        drawn.append(make("td", {}, cell));
      }
      table.append(drawn);
    }
    return make("div", { class: "facet" }, table);
  }

  window.bmcCells = ([protocol, property], cells) => {
    rows = rows.filter((row) => row.protocol !== protocol || row.property !== property).concat(cells);
    if (choose.protocol.value === protocol && choose.property.value === property) draw();
  };

  function fetchUnlisted() {
    const at = unlisted.findIndex((one) => one.protocol === choose.protocol.value
      && one.property === choose.property.value);
    if (at >= 0) document.head.append(make("script", { src: unlisted.splice(at, 1)[0].file }));
  }

  function draw() {
    refill();
    fetchUnlisted();
    get("detail").hidden = true;
    get("reading").textContent = reading();
    const [across, down] = [choose.across.value, choose.down.value];
    const rest = names().filter((name) => name !== across && name !== down);
    const groups = new Map();
    for (const row of shown()) {
      const caption = rest.map((name) => `${name} = ${row.parameters[name]}`).join(", ");
      groups.set(caption, [...(groups.get(caption) ?? []), row]);
    }
    // Choices of the last of them stand side by side.
    const beside = distinct(shown().map((row) => row.parameters[rest.at(-1)])).length;
    get("facets").style.setProperty("--beside", beside);
    get("facets").replaceChildren(
      ...[...groups].map(([caption, group]) => facet(group, across, down, caption)));
  }

  fill(choose.protocol, distinct([...rows, ...unlisted].map((row) => row.protocol)));
  // Where verdicts differ most there is most to see.
  const kinds = new Map();
  for (const row of rows) {
    const pair = `${row.protocol} ${row.property}`;
    kinds.set(pair, (kinds.get(pair) ?? new Set()).add(row.outcome));
  }
  const variety = (row) => kinds.get(`${row.protocol} ${row.property}`).size;
  const first = rows.reduce((best, row) => best && variety(best) >= variety(row) ? best : row, null);
  if (first) {
    choose.protocol.value = first.protocol;
    refill();
    choose.property.value = first.property;
    draw();
  }
  for (const select of Object.values(choose)) select.addEventListener("change", draw);
  get("choose").addEventListener("submit", (event) => event.preventDefault());
  for (const button of document.querySelectorAll(".go")) {
    button.addEventListener("click", () => {
      choose.protocol.value = button.dataset.protocol;
      refill();
      choose.property.value = button.dataset.property;
      draw();
      get("matrix").scrollIntoView();
    });
  }
})();
