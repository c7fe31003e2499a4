// SPDX-License-Identifier: BSD-3-Clause
"use strict";

const COLOURS = { "point to point": "#3b82f6", completion: "#f59e0b", collective: "#8b5cf6", "one-sided": "#14b8a6", file: "#64748b", "set-up": "#e11d63", other: "#a3a3a3", query: "#d4d4d4" };
const CAUSES = { late: ["late partners", "#ef4444"], missing: ["missing progress", "#f59e0b"], transport: ["transfers and work of MPI", "#3b82f6"] };
const at = id => document.getElementById(id);
const run = JSON.parse(at("data").textContent);
const TRACE = run.kind === "trace";  // stages of Seiche from `seiche trace`; otherwise calls of MPI
const STAGES = ["#10b981", "#8b5cf6", "#06b6d4", "#84cc16", "#d946ef", "#64748b"];
if (TRACE) {
  run.classes.forEach((name, i) => { COLOURS[name] = STAGES[i % STAGES.length]; });
  Object.assign(COLOURS, { waiting: "#f59e0b", "in flight": "#e11d63" });
  CAUSES.transport[0] = "transfers and progress";
  delete CAUSES.missing;
}

function unpacked(text, Numbers) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = letters.charCodeAt(i);
  return new Numbers(bytes.buffer);
}
/// Unpacked on demand, because few of hundreds of ranks are visible.
function later(holder, name, Numbers) {
  const text = holder[name];
  Object.defineProperty(holder, name, { configurable: true, get() {
    const value = unpacked(text, Numbers);
    Object.defineProperty(holder, name, { value });
    return value;
  } });
}
for (const rank of run.by_rank) {
  rank.kept = Math.floor(rank.events.row.replace(/=+$/, "").length * 3 / 8);  // calls, of two bytes each here
  later(rank, "bins", Uint8Array);
  later(rank, "memory", Float32Array);
  for (const [name, Numbers] of [["start", Float64Array], ["seconds", Float32Array], ["bytes", Float32Array], ["row", Uint16Array]]) later(rank.events, name, Numbers);
}

function make(tag, text, properties = {}) {
  const element = Object.assign(document.createElement(tag), properties);
  if (text !== undefined) element.textContent = text;
  return element;
}

function swatch(colour, text) {
  const item = make("li");
  const dot = make("i");
  dot.style.background = colour;
  item.append(dot, text);
  return item;
}

function tell(event, text) {
  const tip = at("tip");
  tip.hidden = !event;
  if (!event) return;
  tip.textContent = text;
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${Math.max(4, Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8))}px`;
}

function head() {
  document.title = `seiche profile: ${run.command}`;
  at("command").textContent = run.command;
  const hosts = new Set(run.by_rank.map(rank => rank.host)).size;
  const facts = [[duration(run.seconds), TRACE ? "recorded" : "from MPI_Init to MPI_Finalize"], [run.ranks, run.ranks === 1 ? "rank" : "ranks"]];
  if (!TRACE) facts.push([hosts, hosts === 1 ? "host" : "hosts"], [run.mpi, ""]);
  if (run.overlap.under_way > 0.01 * run.seconds * run.ranks)
    facts.splice(TRACE ? 2 : 3, 0, [`${Math.round(100 * run.overlap.outside / run.overlap.under_way)} %`, "of the time in flight overlapped"]);
  for (const [value, text] of facts) {
    const item = make("li");
    item.append(make("b", value), ` ${text}`);
    at("facts").append(item);
  }
  for (const sentence of run.sentences) at("sentences").append(make("li", sentence));
}

/// Calls back in the next frame when an element changes its width, because drawing may change sizes.
function whenResized(place, draw) {
  let width = 0;
  new ResizeObserver(() => requestAnimationFrame(() => {
    if (place.clientWidth === width) return;
    width = place.clientWidth;
    draw();
  })).observe(place);
}

/// The time of all ranks: computation, waiting by cause, other time in MPI.
function shares() {
  const all = (run.seconds - (run.off || 0)) * (run.threads || run.ranks), waits = Object.entries(CAUSES).map(([key, [name, colour]]) => [name, colour, run.waiting[key]]);
  const waited = waits.reduce((sum, part) => sum + part[2], 0);
  const parts = [["outside of MPI", "var(--compute)", Math.max(0, all - run.mpi_seconds)], ...waits, ["other time in MPI", "#a3a3a3", Math.max(0, run.mpi_seconds - waited)]];
  if (TRACE) parts.splice(0, parts.length, ...run.stages.map((stage, i) => [stage.name, COLOURS[run.classes[i]], stage.seconds]), ...waits, ["other", "var(--compute)", Math.max(0, all - run.worked - waited)]);
  for (const [name, colour, seconds] of parts) {
    const bar = make("div", "", { title: name });
    bar.style.cssText = `background:${colour};width:${100 * seconds / all}%`;
    at("shares").append(bar);
    at("share-legend").append(swatch(colour, `${name} ${(100 * seconds / all).toFixed(1)} %`));
  }
}

/// A table with columns [title, value of a row, text of a value, class]; a click on a column head sorts it.
function sortable(table, rows, columns, byColumn) {
  let order = { column: byColumn, down: true }, needle = "";
  const headRow = make("tr"), body = make("tbody");
  const show = () => {
    const value = columns[order.column][1];
    const sorted = rows.filter(row => JSON.stringify([row.function, row.place, row.file]).toLowerCase().includes(needle)).sort((a, b) => {
      const x = value(a), y = value(b), less = typeof x === "string" ? x.localeCompare(y) : x - y;
      return order.down ? -less : less;
    });
    body.replaceChildren(...sorted.map(row => {
      const line = make("tr");
      for (const [, of, text, kind] of columns) {
        const cell = make("td", undefined, { className: kind || "" }), shown = text ? text(of(row), row) : of(row);
        cell.append(shown);
        if (kind?.includes("place")) cell.title = `${row.file || row.module}`;
        line.append(cell);
      }
      return line;
    }));
    [...headRow.children].forEach((cell, i) => i === order.column ? cell.setAttribute("aria-sort", order.down ? "descending" : "ascending") : cell.removeAttribute("aria-sort"));
  };
  columns.forEach(([title, , , kind], i) => {
    const cell = make("th", title, { className: kind || "", tabIndex: 0 });
    cell.onclick = () => { order = { column: i, down: order.column === i ? !order.down : !kind?.includes("text") }; show(); };
    cell.onkeydown = event => { if (event.key === "Enter") cell.onclick(); };
    headRow.append(cell);
  });
  const top = make("thead");
  top.append(headRow);
  table.append(top, body);
  show();
  return text => { needle = text.toLowerCase(); show(); };
}

function causes(row) {
  const sum = row.late + row.missing + row.transport;
  if (!sum) return "";
  const bar = make("div", "", { className: "bar", title: Object.entries(CAUSES).map(([key, [name]]) => `${name}: ${duration(row[key])}`).join("\n") });
  for (const [key, [, colour]] of Object.entries(CAUSES)) {
    const part = make("div");
    part.style.cssText = `background:${colour};width:${100 * row[key] / sum}%`;
    bar.append(part);
  }
  return bar;
}

function calls() {
  const seconds = value => value == null ? "" : value.toFixed(value >= 100 ? 1 : value >= 1 ? 3 : 5), count = value => value.toLocaleString("en");
  const named = (value, row) => {
    const cell = make("span"), dot = make("i", "", { className: "dot" });
    dot.style.background = COLOURS[row.class];
    cell.append(dot, value);
    return cell;
  };
  const imbalance = TRACE ? [] : [["imbalance %", row => row.imbalance, value => value == null ? "" : Math.round(100 * value)]];
  const filter = sortable(at("calls"), run.rows, [
    ["function", row => row.function, named, "text"], ["called in", row => row.place, null, "text place"], ["calls", row => row.calls, count],
    ["bytes", row => row.bytes, value => value ? amount(value) : ""], ["mean s", row => row.mean, seconds], ["min s", row => row.min, seconds],
    ["max s", row => row.max, seconds], ["rank", row => row.max_rank, value => value ?? ""], ...imbalance, ["longest", row => row.longest, value => value == null ? "" : duration(value)],
    ["waits for", row => row.late + row.missing + row.transport, (_, row) => causes(row)], ["late s", row => row.late, seconds]], 4);
  at("filter").oninput = event => filter(event.target.value);
}

function matrix() {
  const canvas = at("matrix"), most = run.by_rank.reduce((all, rank) => rank.bytes.reduce((a, b) => Math.max(a, b), all), 1);
  const paint = () => {
    const ratio = devicePixelRatio || 1, size = Math.min(canvas.parentElement.clientWidth - 34, 420), cell = size / run.ranks;
    canvas.style.height = `${size}px`;
    canvas.width = canvas.height = size * ratio;
    canvas.style.width = `${size}px`;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const empty = getComputedStyle(document.documentElement).getPropertyValue("--compute");
    if (cell < 4) paintPixels(pen, size * ratio, most, pixelOf(empty.trim()));
    else run.by_rank.forEach(rank => {
      for (let to = 0; to < run.ranks; ++to) {
        const bytes = rank.bytes[to] || 0;
        pen.fillStyle = bytes ? `hsl(217 80% ${74 - 38 * bytes / most}%)` : empty;
        pen.fillRect(to * cell, rank.rank * cell, cell - (cell > 4 ? 1 : 0), cell - (cell > 4 ? 1 : 0));
        if (cell < 46) continue;
        pen.fillStyle = bytes > 0.35 * most ? "#fff" : bytes ? "#12233f" : "#8a94a3";
        pen.font = "11px system-ui, sans-serif";
        pen.fillText(amount(bytes), to * cell + 5, rank.rank * cell + 15, cell - 8);
      }
    });
    canvas.onpointermove = event => {
      const to = Math.floor(event.offsetX / cell), from = run.by_rank.find(rank => rank.rank === Math.floor(event.offsetY / cell));
      if (from && to < run.ranks) tell(event, `from ${from.rank} to ${to}: ${amount(from.bytes[to] || 0)} in ${(from.messages[to] || 0).toLocaleString("en")} messages`);
    };
    canvas.onpointerleave = () => tell(null);
  };
  whenResized(canvas.parentElement, paint);
  at("matrix-hint").textContent += "; a row sends, a column receives";
}

/// The matrix of many ranks, as an image.
function paintPixels(pen, size, most, empty) {
  const shades = Array.from({ length: 65 }, (_, i) => [217 - 150 * i / 64, 228 - 120 * i / 64, 250 - 60 * i / 64].map(Math.round));
  const colours = shades.map(([r, g, b]) => (0xff000000 | b << 16 | g << 8 | r) >>> 0), side = Math.floor(size);
  const image = pen.createImageData(side, side), pixels = new Uint32Array(image.data.buffer);
  const of = new Map(run.by_rank.map(rank => [rank.rank, rank]));
  for (let y = 0; y < side; ++y) {
    const bytes = of.get(Math.floor(y / side * run.ranks))?.bytes || [];
    for (let x = 0; x < side; ++x) {
      const value = bytes[Math.floor(x / side * run.ranks)];
      pixels[y * side + x] = value ? colours[Math.ceil(64 * value / most)] : empty;
    }
  }
  pen.putImageData(image, 0, 0);
}

/// A chart with the width of its element, in the colours of the page.
function chart(place, options, data) {
  const style = getComputedStyle(document.documentElement), soft = style.getPropertyValue("--soft"), line = style.getPropertyValue("--line");
  const axes = options.axes.map(axis => ({ stroke: soft, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, ...axis }));
  const width = () => Math.max(240, place.parentElement.clientWidth - 34);
  const drawn = new uPlot({ height: 240, ...options, width: width(), axes }, data, place);
  whenResized(place.parentElement, () => drawn.setSize({ width: width(), height: 240 }));
}

const PENS = ["#3b82f6", "#ef4444", "#10b981", "#f59e0b", "#8b5cf6", "#06b6d4", "#e11d63", "#84cc16"];
const bars = () => uPlot.paths.bars({ size: [0.7, 60] });

function late() {
  if (run.ranks < 2) return at("late").append("There is only one rank.");
  const ranks = run.late_for.map((_, rank) => rank);
  chart(at("late"), {
    scales: { x: { time: false, range: [-0.6, run.ranks - 0.4] }, y: { range: (_, low, high) => [0, high || 1] } },
    axes: [{ label: "rank", labelSize: 18, size: 34, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500] }, { size: 62, values: (_, all) => all.map(v => duration(v)) }],
    series: [{ label: "rank" }, { label: "others waited", fill: "#ef4444cc", stroke: "#ef4444", width: 0, paths: bars(), points: { show: false }, value: (_, v) => v == null ? "" : duration(v) }],
  }, [ranks, run.late_for]);
}

function sizes() {
  const named = Object.entries(run.sizes).map(([name, counts]) => [name, counts, counts.reduce((a, b) => a + b, 0)]).sort((a, b) => b[2] - a[2]).slice(0, 6);
  if (!named.length) return at("sizes").append("No call sent data.");
  const last = Math.max(...named.map(([, counts]) => counts.findLastIndex(count => count > 0)));
  const steps = [...Array(last + 1).keys()];
  const size = k => k < 1 ? "0" : amount(2 ** (k - 1)).replace(".0 ", " ");
  chart(at("sizes"), {
    scales: { x: { time: false, range: [-0.5, last + 0.5] }, y: { distr: 3, range: (_, low, high) => [0.8, Math.max(10, (high || 1) * 1.5)] } },
    axes: [{ values: (_, all) => all.map(k => Number.isInteger(k) ? size(k) : ""), incrs: [1, 2, 5, 10], space: 56 }, { size: 56, label: "calls", labelSize: 18 }],
    series: [{ label: "from", value: (_, k) => k == null ? "" : size(k) }, ...named.map(([name], i) => ({ label: name, stroke: PENS[i], width: 2, points: { show: true, size: 5 } }))],
  }, [steps, ...named.map(([, counts]) => steps.map(k => counts[k] || null))]);
}

function memory() {
  const shown = run.by_rank.slice(0, 8), longest = shown.reduce((a, b) => a.memory.length * a.bin_width >= b.memory.length * b.bin_width ? a : b);
  const times = Array.from(longest.memory, (_, bin) => bin * longest.bin_width);
  const of = rank => times.map(time => rank.memory[Math.round(time / rank.bin_width)] || null);
  chart(at("memory"), {
    scales: { x: { time: false }, y: { range: (_, low, high) => [0, (high || 1) * 1.08] } },
    axes: [{ values: (_, all) => all.map(v => duration(v, all[1] - all[0] || v)) }, { size: 66, values: (_, all) => all.map(amount) }],
    series: [{ label: "time", value: (_, v) => v == null ? "" : duration(v) },
      ...shown.map((rank, i) => ({ label: `rank ${rank.rank}`, stroke: PENS[i], width: 1.5, spanGaps: true, points: { show: false }, value: (_, v) => v == null ? "" : amount(v) }))],
  }, [times, ...shown.map(of)]);
}

/// The cost with other exchange algorithms, if it was measured.
function advice() {
  if (!run.advice) return;
  at("advised").hidden = false;
  const algorithms = [...new Set(run.advice.flatMap(one => Object.keys(one.algorithms)))].sort((a, b) => (b === "as it is") - (a === "as it is") || a.localeCompare(b));
  const best = row => Math.min(...Object.values(row.algorithms));
  const cell = (algorithm, value, row) => {
    if (value === undefined) return make("span", "–", { title: row.obstacles[algorithm] || "" });
    const [, lower, , upper] = row.spread[algorithm];
    return make(value === best(row) && row.is_told ? "b" : "span", duration(value), { title: `half of the rounds: ${duration(lower)} to ${duration(upper)}` });
  };
  sortable(at("advice"), run.advice, [["function", row => row.function, null, "text"], ["called in", row => row.place, null, "text place"], ["calls", row => Math.round(row.calls)],
    ["groups of ranks", row => `${row.groups} x ${row.ranks}`], ["bytes per call", row => row.bytes, amount], ["last rank after", row => row.skew, value => duration(value)],
    ...algorithms.map(algorithm => [algorithm, row => row.algorithms[algorithm], (value, row) => cell(algorithm, value, row)]), ["saves s", row => row.saves, value => Math.max(0, value).toFixed(3)]], 6 + algorithms.length);
}

function differences() {
  if (!run.before) return;
  at("compare").hidden = false;
  const functions = new Map();
  [run.before, run].forEach((one, i) => one.rows.forEach(row => {
    const entry = functions.get(row.function) || { function: row.function, calls: [0, 0], mean: [0, 0] };
    entry.calls[i] += row.calls;
    entry.mean[i] += row.mean;
    functions.set(row.function, entry);
  }));
  const all = [{ function: "whole run", calls: ["", ""], mean: [run.before.seconds, run.seconds] }, ...functions.values()];
  const seconds = value => value.toFixed(4);
  sortable(at("differences"), all, [["function", row => row.function, null, "text"], ["before s", row => row.mean[0], seconds], ["after s", row => row.mean[1], seconds],
    ["change s", row => row.mean[1] - row.mean[0], seconds], ["calls before", row => row.calls[0]], ["calls after", row => row.calls[1]]], 1);
}

head();
shares();
differences();
advice();
if (TRACE) at("calls-title").textContent = "Stages, waiting and exchanges";
for (const name of TRACE ? ["matrix", "sizes", "memory"] : []) at(name).closest("section").hidden = true;
const timeline = new Timeline(at("timeline"), run, COLOURS, tell);
timeline.onmove = () => { at("span").textContent = `${duration(timeline.left)} to ${duration(timeline.right)}`; };
at("closer").onclick = () => timeline.zoom(0.5);
at("farther").onclick = () => timeline.zoom(2);
at("whole").onclick = () => timeline.zoom(1e9);
if (timeline.isTall()) at("how").textContent = "control and wheel: zoom, drag: move";
at("class-legend").append(swatch("var(--compute)", TRACE ? "other" : "outside of MPI"), ...run.classes.map(name => swatch(COLOURS[name], name)));
calls();
late();
if (!TRACE) matrix(), sizes(), memory();
