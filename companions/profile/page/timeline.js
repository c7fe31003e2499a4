// SPDX-License-Identifier: BSD-3-Clause
// The timeline of all ranks on one canvas. It draws bins of time pixel by pixel, and single calls at a sufficient zoom. Only ranks
// in and near the window are drawn, and others when they are scrolled into view.
"use strict";

const BEYOND = 250;  // pixels above and below the window
const MOST_CALLS = 25000;  // drawn one by one

class Timeline {
  constructor(canvas, run, colours, tell) {
    const ranks = run.by_rank.length;
    Object.assign(this, { canvas, run, colours, tell, left: 0, right: run.seconds, gutter: 54, axis: 22, isNear: false, old: true, painted: [0, 0] });
    this.row = Math.max(ranks > 1500 ? 2 : 5, Math.min(30, Math.floor(620 / ranks)));
    this.gap = this.row > 3 ? 1 : 0;
    this.thin = run.classes.map(name => (run.thin || []).includes(name));
    this.pixels = run.classes.map(name => pixelOf(colours[name]));
    canvas.style.height = `${this.row * ranks + this.axis}px`;
    this.listen();
    new ResizeObserver(() => this.draw()).observe(canvas);  // in the next frame
    addEventListener("scroll", () => {
      const [first, last] = this.ranksWithin(50);
      if (first < this.painted[0] || last > this.painted[1]) this.draw(false);
    }, { passive: true });
  }

  /// If the timeline is higher than the window, the wheel scrolls the page, and zooms with the control key.
  isTall() { return this.canvas.clientHeight > innerHeight; }

  listen() {
    const canvas = this.canvas, fingers = new Map();
    canvas.addEventListener("wheel", event => {
      if (this.isTall() && !event.ctrlKey && !event.metaKey) return;
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

  /// Draws in the next frame; painted parts are kept unless they are `old`.
  draw(old = true) {
    this.old ||= old;
    this.asked ||= requestAnimationFrame(() => { this.asked = 0; this.paint(); });
  }

  /// The ranks [first, last) in the window or at most this many pixels beyond it.
  ranksWithin(beyond) {
    const top = this.canvas.getBoundingClientRect().top, most = this.run.by_rank.length, within = n => Math.max(0, Math.min(most, n));
    return [within(Math.floor((-top - beyond) / this.row)), within(Math.ceil((innerHeight - top + beyond) / this.row))];
  }

  paint() {
    const [first, last] = this.ranksWithin(BEYOND), [top, bottom] = this.painted, isNear = this.areFew(this.run.by_rank.slice(first, last));
    const whole = this.old || isNear !== this.isNear || first > bottom || last < top;
    Object.assign(this, { isNear, old: false, painted: whole ? [first, last] : [Math.min(first, top), Math.max(last, bottom)] });
    const style = getComputedStyle(document.documentElement);
    if (whole) {
      this.clear();
      this.paintRanks(first, last, style);
      this.paintAxis(style);
    } else {
      this.paintRanks(first, top, style);
      this.paintRanks(bottom, last, style);
    }
    if (this.onmove) this.onmove();
  }

  clear() {
    const { canvas } = this, ratio = devicePixelRatio || 1;
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const pen = this.pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    pen.font = "12px system-ui, sans-serif";
  }

  paintRanks(first, last, style) {
    if (first >= last) return;
    const shown = this.run.by_rank.slice(first, last), { row, pen } = this;
    if (!this.isNear || shown.some(rank => !isWhole(rank))) {
      this.paintBins(first, shown, devicePixelRatio || 1, pixelOf(style.getPropertyValue("--compute").trim()));
    }
    pen.fillStyle = style.getPropertyValue("--soft");
    shown.forEach((rank, i) => {
      if (row >= 12 || (first + i) % Math.ceil(12 / row) === 0) pen.fillText(`rank ${rank.rank}`, 0, (first + i) * row + row / 2 + 4);
    });
    if (this.isNear) shown.forEach((rank, i) => this.paintCalls(rank, (first + i) * row, style.getPropertyValue("--compute")));
  }

  x(time) { return this.gutter + (time - this.left) * this.scale(); }

  /// Whether visible calls may be drawn one by one. If there are probably more, they are not unpacked.
  areFew(shown) {
    const likely = shown.reduce((sum, rank) => sum + rank.kept, 0) * (this.right - this.left) / this.run.seconds;
    if (likely > 4 * MOST_CALLS) return false;
    const inSight = shown.reduce((sum, rank) => { const [from, to] = this.inSight(rank); return sum + to - from; }, 0);
    return inSight > 0 && inSight < MOST_CALLS;
  }

  /// Calls are sorted by start; the longest call limits how far back a visible one may start.
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

  paintCalls(rank, y, background) {
    const [first, last] = this.inSight(rank), { seconds, start, row } = rank.events, height = this.row - this.gap, pen = this.pen;
    pen.save();
    pen.beginPath();
    pen.rect(this.gutter, y, this.width(), height);
    pen.clip();
    if (isWhole(rank)) {
      const from = Math.max(this.x(rank.offset), this.gutter);
      pen.fillStyle = background;
      pen.fillRect(from, y, this.x(rank.end) - from, height);
    }
    for (const thin of [false, true]) {
      for (let i = first; i < last; ++i) {
        const kind = this.run.rows[row[i]].class;
        if (start[i] + seconds[i] < this.left || (this.run.thin || []).includes(kind) !== thin) continue;
        pen.fillStyle = this.colours[kind];
        pen.fillRect(this.x(start[i]), thin ? y + 0.8 * height : y, Math.max(0.6, seconds[i] * this.scale()), thin ? 0.2 * height : height);
      }
    }
    pen.restore();
  }

  /// Draws all ranks as an image: each column of pixels of a rank is divided by the shares of its bins.
  paintBins(first, shown, ratio, background) {
    const width = Math.round(this.width() * ratio), top = Math.round(first * this.row * ratio);
    const height = Math.round((first + shown.length) * this.row * ratio) - top;
    if (width < 1 || height < 1) return;
    const image = this.pen.createImageData(width, height), pixels = new Uint32Array(image.data.buffer);
    shown.forEach((rank, i) => {
      const from = Math.round((first + i) * this.row * ratio) - top, until = Math.round(((first + i + 1) * this.row - this.gap) * ratio) - top;
      this.paintRank(rank, pixels, width, from, until - from, background);
    });
    this.pen.putImageData(image, Math.round(this.gutter * ratio), top);
  }

  paintRank(rank, pixels, width, top, height, background) {
    const count = rank.bins.length / this.pixels.length, step = (this.right - this.left) / width, column = new Uint32Array(height);
    let before = -1;  // the bins of the column
    for (let x = 0; x < width; ++x) {
      const time = this.left + x * step;
      if (time + step < rank.offset || time > rank.end) continue;
      const b = Math.max(0, Math.min(count - 1, Math.floor((time - rank.offset) / rank.bin_width)));
      const end = Math.max(b + 1, Math.min(count, Math.ceil((time + step - rank.offset) / rank.bin_width)));
      if (b * 2048 + end !== before) this.stack(rank.bins, b, end, column, background);
      before = b * 2048 + end;
      for (let y = 0, at = top * width + x; y < height; ++y, at += width) pixels[at] = column[y];
    }
  }

  /// Fills a column from the bottom by the shares of its bins.
  stack(bins, first, last, column, background) {
    const kinds = this.pixels.length, height = column.length;
    let filled = 0, bottom = height, under = 0;
    for (let k = 0; k < kinds; ++k) {
      let sum = 0;
      for (let i = first * kinds + k; i < last * kinds; i += kinds) sum += bins[i];
      if (sum === 0) continue;
      if (this.thin[k]) { under = this.pixels[k]; continue; }
      filled += sum / (255 * (last - first)) * height;
      const top = height - Math.min(height, Math.round(filled));
      if (top < bottom) column.fill(this.pixels[k], top, bottom);
      bottom = Math.min(bottom, top);
    }
    column.fill(background, 0, bottom);
    if (under) column.fill(under, Math.round(0.8 * height));
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

/// Whether the page contains all calls of a rank, not only the longest.
function isWhole(rank) { return rank.kept >= rank.calls; }

/// "#rrggbb" as a pixel of an image.
function pixelOf(colour) {
  const value = parseInt(colour.slice(1), 16);
  return (0xff000000 | (value & 255) << 16 | value & 0xff00 | value >> 16) >>> 0;
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
