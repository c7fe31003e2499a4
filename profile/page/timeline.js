// SPDX-License-Identifier: BSD-3-Clause
// The timeline of all ranks on one canvas. From afar it draws bins of time, by what they hold; near enough, each call.
"use strict";

class Timeline {
  constructor(canvas, run, colours, tell) {
    Object.assign(this, { canvas, run, colours, tell, left: 0, right: run.seconds, gutter: 54, axis: 22 });
    this.row = Math.max(5, Math.min(30, Math.floor(620 / run.by_rank.length)));
    canvas.style.height = `${this.row * run.by_rank.length + this.axis}px`;
    this.listen();
    new ResizeObserver(() => this.draw()).observe(canvas);  // in the next frame
  }

  listen() {
    const canvas = this.canvas, fingers = new Map();
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * 0.0016), this.time(event.offsetX));
    }, { passive: false });
    canvas.addEventListener("pointerdown", event => { fingers.set(event.pointerId, event.offsetX); canvas.setPointerCapture(event.pointerId); });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, event => fingers.delete(event.pointerId));
    canvas.addEventListener("pointermove", event => {
      const before = fingers.get(event.pointerId);
      if (before === undefined) return this.hover(event);
      const other = [...fingers].find(([id]) => id !== event.pointerId);
      if (other && Math.abs(before - other[1]) > 8) this.zoom(Math.abs(before - other[1]) / Math.max(8, Math.abs(event.offsetX - other[1])), this.time(other[1]));
      else this.move((before - event.offsetX) / this.scale());
      fingers.set(event.pointerId, event.offsetX);
    });
    canvas.addEventListener("pointerleave", () => this.tell(null));
    canvas.addEventListener("keydown", event => {
      const span = this.right - this.left;
      const keys = { ArrowLeft: () => this.move(-span / 8), ArrowRight: () => this.move(span / 8), "+": () => this.zoom(0.5), "-": () => this.zoom(2) };
      if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
    });
  }

  width() { return this.canvas.clientWidth - this.gutter; }
  scale() { return this.width() / (this.right - this.left); }
  time(x) { return this.left + (x - this.gutter) / this.scale(); }

  zoom(factor, about = (this.left + this.right) / 2) {
    const span = Math.min(this.run.seconds, Math.max(2e-6, (this.right - this.left) * factor));
    const share = (about - this.left) / (this.right - this.left);
    this.left = about - share * span;
    this.right = this.left + span;
    this.move(0);
  }

  move(by) {
    const span = this.right - this.left;
    this.left = Math.max(0, Math.min(this.run.seconds - span, this.left + by));
    this.right = this.left + span;
    this.draw();
  }

  draw() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => { this.asked = 0; this.paint(); });
  }

  paint() {
    const { canvas, run, row } = this, ratio = devicePixelRatio || 1, style = getComputedStyle(document.documentElement);
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = canvas.clientHeight * ratio;
    const pen = this.pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "12px system-ui, sans-serif";
    run.by_rank.forEach((rank, i) => {
      const y = i * row;
      pen.fillStyle = style.getPropertyValue("--soft");
      if (row >= 12 || i % Math.ceil(12 / row) === 0) pen.fillText(`rank ${rank.rank}`, 0, y + row / 2 + 4);
      pen.save();
      pen.beginPath();
      pen.rect(this.gutter, y, this.width(), row - 1);
      pen.clip();
      const from = Math.max(this.x(rank.offset), this.gutter);
      pen.fillStyle = style.getPropertyValue("--compute");
      pen.fillRect(from, y, this.x(rank.end) - from, row - 1);
      this.near(rank) ? this.paintCalls(rank, y) : this.paintBins(rank, y);
      pen.restore();
    });
    this.paintAxis(style);
    if (this.onmove) this.onmove();
  }

  x(time) { return this.gutter + (time - this.left) * this.scale(); }

  /// Whether there are few enough calls in sight to draw each.
  near(rank) {
    const [first, last] = this.inSight(rank);
    return last - first < 6000 && last > first;
  }

  /// Calls begin in order; the longest says how far back one may reach into sight.
  inSight(rank) {
    const starts = rank.events.start;
    rank.longest ??= rank.events.seconds.reduce((a, b) => Math.max(a, b), 0);
    const after = time => {
      let low = 0, high = starts.length;
      while (low < high) { const middle = (low + high) >> 1; starts[middle] < time ? low = middle + 1 : high = middle; }
      return low;
    };
    return [after(this.left - rank.longest), after(this.right)];
  }

  paintCalls(rank, y) {
    const [first, last] = this.inSight(rank), { seconds, start, row } = rank.events;
    for (let i = first; i < last; ++i) {
      if (start[i] + seconds[i] < this.left) continue;
      this.pen.fillStyle = this.colours[this.run.rows[row[i]].class];
      this.pen.fillRect(this.x(start[i]), y + 1, Math.max(0.6, seconds[i] * this.scale()), this.row - 3);
    }
  }

  paintBins(rank, y) {
    const kinds = this.run.classes.length, width = rank.bin_width, count = rank.bins.length / kinds;
    const first = Math.max(0, Math.floor((this.left - rank.offset) / width)), last = Math.min(count, Math.ceil((this.right - rank.offset) / width));
    const group = Math.max(1, Math.floor(1 / (width * this.scale())));  // at least a pixel wide
    for (let b = first; b < last; b += group) {
      let bottom = y + this.row - 1;
      for (let k = 0; k < kinds; ++k) {
        let sum = 0;
        for (let i = b; i < Math.min(b + group, last); ++i) sum += rank.bins[i * kinds + k];
        const height = Math.min(1, sum / (width * group)) * (this.row - 1);
        if (height < 0.05) continue;
        this.pen.fillStyle = this.colours[this.run.classes[k]];
        this.pen.fillRect(this.x(rank.offset + b * width), bottom - height, width * group * this.scale() + 0.4, height);
        bottom -= height;
      }
    }
  }

  paintAxis(style) {
    const span = this.right - this.left, rough = span / Math.max(2, this.width() / 110);
    const unit = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].find(n => n * unit >= rough) * unit;
    const y = this.run.by_rank.length * this.row;
    this.pen.fillStyle = style.getPropertyValue("--soft");
    for (let time = Math.ceil(this.left / step) * step; time <= this.right; time += step) {
      this.pen.fillRect(this.x(time), y, 1, 4);
      this.pen.fillText(duration(time, step), this.x(time) + 3, y + 15);
    }
  }

  hover(event) {
    const rank = this.run.by_rank[Math.floor(event.offsetY / this.row)], time = this.time(event.offsetX);
    if (!rank || event.offsetX < this.gutter) return this.tell(null);
    const [first, last] = this.inSight(rank), { seconds, start, row, bytes } = rank.events, reach = 2 / this.scale();
    let best = -1;
    for (let i = first; i < last && start[i] <= time + reach; ++i) if (start[i] + seconds[i] >= time - reach) best = i;
    if (best < 0) return this.tell(event, `rank ${rank.rank} at ${duration(time)}`);
    const call = this.run.rows[row[best]];
    this.tell(event, `${call.function}, ${duration(seconds[best])}${bytes[best] ? `, ${amount(bytes[best])}` : ""}\n${call.place}\nrank ${rank.rank} at ${duration(start[best])}`);
  }
}

function duration(seconds, step = seconds) {
  const digits = unit => Math.max(0, Math.min(6, Math.ceil(-Math.log10(Math.abs(step) / unit || 1)) + (step === seconds ? 2 : 0)));
  const size = Math.max(Math.abs(seconds), Math.abs(step));
  if (size === 0) return "0";
  if (size >= 1) return `${seconds.toFixed(digits(1))} s`;
  return size >= 1e-3 ? `${(1e3 * seconds).toFixed(digits(1e-3))} ms` : `${(1e6 * seconds).toFixed(digits(1e-6))} µs`;
}

function amount(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
  return `${unit ? bytes.toFixed(1) : bytes} ${units[unit]}`;
}
