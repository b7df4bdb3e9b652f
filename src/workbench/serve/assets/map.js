// The map: fitted to its window, zoomed and moved; names laid out anew at each scale. `$` and `look` stand in casebook.js.
"use strict";

// Pixels for a unit of the drawing: fitted when the map is first drawn and at `Fit`, and else changed by the reader's hand alone.
let scale;
const svgOf = (map) => $("svg", map);
// What lies over the window of the map: the buttons, what is asked below it, the sheet of the question on a telephone.
const insetsOf = (map) => {
  const play = map.closest(".play"), frame = map.getBoundingClientRect(), insets = { top: 8, bottom: 8, side: 8 };
  if (!play) return insets;
  for (const over of $$(".under, .waits, .verdict, .zoom", play)) {
    const { position } = getComputedStyle(over), box = over.getBoundingClientRect();
    if (position !== "absolute" && position !== "fixed" || !box.height || box.right < frame.left || box.left > frame.right) continue;
    if (over.matches(".under, .waits")) insets.bottom = Math.min(Math.max(insets.bottom, frame.bottom - box.top + 6), frame.height * 0.6);
    else insets.top = Math.min(Math.max(insets.top, box.bottom - frame.top + 6), frame.height * 0.3);
  }
  return insets;
};
const numbersOf = (text) => text.split(" ").map(Number);
const viewOf = (svg) => numbersOf(svg.getAttribute("viewBox"));
const roomOf = (map) => { const { top, bottom, side } = insetsOf(map); return [Math.max(map.clientWidth - 2 * side, 100), map.closest(".play") ? Math.max(map.clientHeight - top - bottom, 100) : 540, top, bottom, side]; };
const wholeScale = (map, svg) => { const [, , wide, high] = viewOf(svg), [w, h] = roomOf(map); return Math.max(Math.min(w / wide, h / high, 2), 0.05); };
// The pieces in play fill the window, whatever lies open over it, and are drawn so large that what stands on counters can be read.
const fitScale = (map, svg) => {
  const [, , wide, high] = numbersOf(svg.dataset.fit ?? svg.getAttribute("viewBox"));
  return Math.max(Math.min((map.clientWidth - 76) / wide, ((map.closest(".play") ? map.clientHeight : 540) - 110) / high, 1.5), 1);
};

const meets = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
const isFree = (box, taken) => !taken.some((other) => meets(box, other));
// What stays where it is: the scale and the compass.
const fixedBoxes = (svg, s) => {
  const [left, top] = viewOf(svg), origin = svg.getBoundingClientRect(), [padX, padY] = padOf(svg), x = left * s - origin.left - padX, y = top * s - origin.top - padY;
  return $$(".scale, .compass", svg).map((fixed) => { const box = fixed.getBoundingClientRect(); return [box.left + x, box.top + y, box.right + x, box.bottom + y]; });
};
const areasOf = (svg) => new Map($$("#land polygon.place", svg).map((area) => [area.dataset.place, area]));
// Where a counter is drawn, and what it covers: it is drawn larger and smaller with the map.
const drawnAt = (stack) => stack && ["--x", "--y"].map((name) => parseFloat(stack.style.getPropertyValue(name)));
const coveredBy = (stack, s) => { const [x, y] = drawnAt(stack), { x: left, y: top, width, height } = stack.getBBox(); return [x + left, y + top, x + left + width, y + top + height].map((n) => n * s); };

// Names are as large at every scale. Those of places are laid out by the places alone, the more important first: beside where a counter would
// stand, and on no other name; one that finds no room appears when the map is drawn larger. Those of pieces stand beside the counters.
const SIZE = 11.5, HIGH = 14;
const pen = document.createElement("canvas").getContext("2d");
const widths = new Map();
let family;
const widthOf = (text, word) => {
  const bold = text.matches(".m3, .label, .drawn text"), key = `${bold}${word}`;
  if (!widths.has(key)) { family ??= getComputedStyle(text).fontFamily; pen.font = `${bold ? 600 : 400} ${SIZE}px ${family}`; widths.set(key, pen.measureText(word).width + 6); }
  return widths.get(key);
};
const spotsAround = ([left, top, right, bottom], wide, high) => {
  const x = (left + right) / 2, y = (top + bottom) / 2, w = wide / 2, h = high / 2;
  const under = bottom + h, over = top - h;
  return [[x, under], [x, over], [x - w / 2, under], [x + w / 2, under], [x - w / 2, over], [x + w / 2, over], [right + w, y], [left - w, y],
    [right + w, under - h], [right + w, over + h], [left - w, under - h], [left - w, over + h], [right + w, under], [left - w, under], [right + w, over], [left - w, over],
    [x, under + high], [x, over - high], [x + w, under + h], [x - w, under + h], [x + w, over - h], [x - w, over - h]];
};
// A name in two lines, as equal as can be.
const halves = (words) => {
  const parts = words.split(" "), at = parts.map((_, n) => [parts.slice(0, n).join(" "), parts.slice(n).join(" ")]).slice(1);
  return at.sort((a, b) => Math.max(a[0].length, a[1].length) - Math.max(b[0].length, b[1].length))[0];
};
const write = (text, lines, x, y, s) => {
  const shown = lines.join("\n");
  if (text.dataset.shown !== shown) {
    text.dataset.shown = shown;
    if (lines.length === 1) text.textContent = lines[0];
    else text.replaceChildren(...lines.map((line) => { const part = document.createElementNS("http://www.w3.org/2000/svg", "tspan"); part.textContent = line; return part; }));
  }
  text.removeAttribute("dy");
  text.setAttribute("x", x / s);
  text.setAttribute("y", (y + 4 - (lines.length - 1) * 6.5) / s);
  [...text.children].forEach((part, n) => { part.setAttribute("x", x / s); part.setAttribute("y", (y + 4 + (n - 0.5) * 13) / s); });
};
const homes = new WeakMap();
const homeOf = (text) => { if (!homes.has(text)) homes.set(text, [Number(text.getAttribute("x")), Number(text.getAttribute("y")), text.textContent]); return homes.get(text); };
const placeNames = (svg, s) => {
  const [left, top, wide, high] = viewOf(svg).map((n) => n * s), inside = (box) => box[0] >= left && box[1] >= top && box[2] <= left + wide && box[3] <= top + high;
  const stacks = $$(".stack", svg), taken = fixedBoxes(svg, s), cells = areasOf(svg);
  // The name of an area stands in it, rather in two lines than moved out of it.
  const put = (text, words, beside, home = () => []) => {
    const cell = cells.get(text.dataset.of), half = words.includes(" ") && words.length > 9 && text.dataset.n === undefined && halves(words);
    for (const spots of [beside, home]) for (const lines of !half ? [[words]] : cell ? [half, [words]] : [[words], half]) {
      const w = Math.max(...lines.map((line) => widthOf(text, line))), h = HIGH + (lines.length - 1) * 13;
      for (const [x, y] of spots(w, h)) {
        const box = [x - w / 2, y - h / 2, x + w / 2, y + h / 2];
        if (!inside(box) || !isFree(box, taken) || cell && [box[1], box[3]].some((edge) => !cell.isPointInFill(new DOMPoint(x / s, edge / s)))) continue;
        taken.push(box);
        text.classList.remove("lost");
        return write(text, lines, x, y, s);
      }
    }
    text.classList.add("lost");
  };
  for (const text of $$(".towns text, .area-name", svg)) {
    const [hx, hy, words] = homeOf(text), [x, y] = [hx * s, hy * s];
    if (text.matches(".place-number")) put(text, words, () => (s * 8.5 < 11 ? [] : [[x, y - 17 * s]]));
    else put(text, words, text.dataset.of ? (w, h) => spotsAround([x - 18 * s, y - 16 * s, x + 18 * s, y + 16 * s], w, h) : () => [], () => [[x, y]]);
  }
  taken.push(...stacks.map((stack) => coveredBy(stack, s)));
  // What an answer on the map costs stands in its hex.
  for (const text of $$(".names > .asked.place-number", svg)) {
    const [hx, hy, words] = homeOf(text), [x, y, w] = [hx * s, hy * s, widthOf(text, words) / 2];
    write(text, [words], x, y, s);
    taken.push([x - w, y - HIGH / 2, x + w, y + HIGH / 2]);
  }
  for (const text of $$(".drawn text", svg)) {
    const [x, y, words] = homeOf(text);
    put(text, words, () => [[x * s, y * s - 4], [x * s, y * s + 8], [x * s, y * s + 22 * s], [x * s, y * s - 12]]);
  }
  for (const text of $$(".names .label", svg)) put(text, homeOf(text)[2], (w, h) => spotsAround(coveredBy(stacks[text.dataset.n], s), w, h));
};
// Hexes are numbered where the numbers can be read.
const numberHexes = (svg, s) => {
  if (s * 8.5 < 11 || svg.dataset.numbered) return;
  svg.dataset.numbered = "true";
  const named = new Set($$(".place-number", svg).map((text) => text.dataset.of)), numbers = document.createDocumentFragment();
  for (const place of $$("use.place", svg)) {
    if (named.has(place.dataset.place)) continue;
    const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
    text.classList.add("place-number");
    text.textContent = place.dataset.place;
    text.setAttribute("x", place.getAttribute("x"));
    text.setAttribute("y", place.getAttribute("y"));
    numbers.append(text);
  }
  $(".towns", svg).append(numbers);
};

// Hexes that can't be clicked are listed by what is said of them: each is made, and its title when the pointer comes to it.
const fillHexes = (svg) => {
  const closed = $(".closed[data-hexes]", svg);
  if (!closed || closed.childElementCount) return;
  const rows = closed.dataset.hexes.split("\n").flatMap((line, n) => line.split("\t").slice(1).map((row) => [n, ...row.split(" ")]));
  closed.innerHTML = rows.map(([n, name, x, y]) => `<use class="place" data-place="${name}" data-n="${n}" href="#hex" x="${x}" y="${y}"></use>`).join("");
};
const titleOf = (place) => {
  const known = $("title", place);
  if (known || place.dataset.n === undefined) return known?.textContent ?? "";
  const [note, ...rows] = place.closest("[data-hexes]").dataset.hexes.split("\n")[place.dataset.n].split("\t"), row = rows.find((row) => row.startsWith(place.dataset.place + " ")) ?? "";
  const title = document.createElementNS("http://www.w3.org/2000/svg", "title"), name = row.split(" ").slice(3).join(" ");
  title.textContent = [place.dataset.place, name].filter(Boolean).join(" ") + (note ? `: ${note}` : "");
  place.append(title);
  return title.textContent;
};
document.addEventListener("pointerover", (event) => { const place = event.target.closest?.("use.place[data-n]"); if (place) titleOf(place); });

// Draws each map of the page in its scale.
const drawMaps = () => {
  const above = $(".play");
  if (above) document.documentElement.style.setProperty("--above", `${Math.round(above.getBoundingClientRect().top + scrollY + 10)}px`);
  for (const map of $$(".map")) {
    const svg = svgOf(map), play = map.closest(".play");
    if (!svg || !map.clientWidth) continue;
    if (play) scale ??= fitScale(map, svg);
    const s = scale ?? fitScale(map, svg), [, , wide, high] = viewOf(svg), [w, h, top, bottom, side] = roomOf(map);
    svg.style.width = `${wide * s}px`;
    svg.style.height = `${high * s}px`;
    // A map smaller than its window stands in the middle; a larger one can be moved until its edge is seen.
    const spare = [(w - wide * s) / 2, play ? (h - high * s) / 2 : 0].map((n) => Math.max(n, 0));
    svg.style.padding = `${top + spare[1]}px ${side + spare[0]}px ${bottom + spare[1]}px ${side + spare[0]}px`;
    svg.style.setProperty("--s", s);
    fillHexes(svg);
    numberHexes(svg, s);
    placeNames(svg, s);
    drawMini(map, svg, s);
  }
};
// Where a point of the drawing is in the window of the map, and the point that is at a place of the window.
const padOf = (svg) => ["paddingLeft", "paddingTop"].map((name) => parseFloat(svg.style[name]) || 0);
const pointAt = (map, x, y) => { const svg = svgOf(map), s = Number(svg.style.getPropertyValue("--s")), [left, top] = viewOf(svg), [px, py] = padOf(svg); return [(map.scrollLeft + x - px) / s + left, (map.scrollTop + y - py) / s + top]; };
const bring = (map, [x, y], [toX, toY]) => { const svg = svgOf(map), s = Number(svg.style.getPropertyValue("--s")), [left, top] = viewOf(svg), [px, py] = padOf(svg); map.scrollTo({ left: (x - left) * s + px - toX, top: (y - top) * s + py - toY, behavior: "instant" }); };
const middleOfRoom = (map) => { const [w, h, top, , side] = roomOf(map); return [side + w / 2, map.closest(".play") ? top + h / 2 : map.clientHeight / 2]; };
// Draws the map so many times larger, with the point under the pointer where it is; 0 fits it.
const zoom = (map, by, x, y) => {
  const frame = map.getBoundingClientRect(), svg = svgOf(map), to = x === undefined ? middleOfRoom(map) : [x - frame.left, y - frame.top], point = pointAt(map, ...to), now = Number(svg.style.getPropertyValue("--s"));
  scale = by ? Math.min(Math.max(now * by, wholeScale(map, svg) * 0.8), 6) : undefined;
  drawMaps();
  if (by) bring(map, point, to); else centre(true);
};
const openPoint = (svg) => {
  const place = $(".place.open", svg), box = place?.getBBox();
  return drawnAt($(".stack.open", svg)) ?? (box && [box.x + box.width / 2, box.y + box.height / 2]);
};
// What is asked about is brought into the middle where it is not seen: the piece that acts, else the place with the most counters around it.
const centre = (always) => {
  for (const map of $$(".map")) {
    const svg = svgOf(map);
    if (!svg) continue;
    const [w, h, top, , side] = roomOf(map), [x, y, wide, high] = numbersOf(svg.dataset.fit ?? svg.getAttribute("viewBox")), s = Number(svg.style.getPropertyValue("--s"));
    const subject = drawnAt($(".stack.looked", svg)) ?? (svg.dataset.centre ? numbersOf(svg.dataset.centre) : openPoint(svg));
    const all = $$(".stack", svg).map(drawnAt), near = ([ax, ay]) => all.filter(([bx, by]) => Math.abs(ax - bx) * 2.2 < w / s && Math.abs(ay - by) * 2.2 < h / s).length;
    const whole = wide * s <= w + 2 && high * s <= h + 2 || !all.length ? [x + wide / 2, y + high / 2] : subject ?? all.reduce((best, at) => (near(at) > near(best) ? at : best));
    if (always) bring(map, whole, middleOfRoom(map));
    const [left, over] = pointAt(map, side + 40, top + 40), [right, under] = pointAt(map, side + w - 40, top + h - 40), [px, py] = subject ?? whole;
    if (map.closest(".play") && subject && !(px >= left && px <= right && py >= over && py <= under)) bring(map, subject, middleOfRoom(map));
  }
  for (const map of $$(".map")) moveMini(map);
};

// The whole map, small, where only a part of it is seen; the frame on it shows which, and can be moved.
const drawMini = (map, svg, s) => {
  const board = map.closest(".play [data-board]"), [left, top, wide, high] = viewOf(svg);
  let mini = board && $(".mini", board);
  if (!board) return;
  const seen = (Math.min(map.clientWidth / s, wide) * Math.min(map.clientHeight / s, high)) / (wide * high), needed = map.clientHeight > 380 && seen < 0.85;
  if (!mini && needed) {
    mini = element("div", "", { className: "mini" });
    const dots = $$(".stack", svg).map((stack) => `<circle class="${stack.getAttribute("class")}" cx="${parseFloat(stack.style.getPropertyValue("--x"))}" cy="${parseFloat(stack.style.getPropertyValue("--y"))}" r="${Math.max(wide, high) / 40}"/>`).join("");
    mini.innerHTML = `<svg viewBox="${left} ${top} ${wide} ${high}" aria-hidden="true"><use href="#land"/>${dots}<rect class="view"/></svg>`;
    const to = (event) => { const box = mini.getBoundingClientRect(); bring(map, [left + ((event.clientX - box.left) / box.width) * wide, top + ((event.clientY - box.top) / box.height) * high], middleOfRoom(map)); moveMini(map); event.preventDefault(); };
    mini.addEventListener("pointerdown", (event) => { mini.setPointerCapture(event.pointerId); to(event); });
    mini.addEventListener("pointermove", (event) => { if (event.buttons) to(event); });
    map.addEventListener("scroll", () => moveMini(map), { passive: true });
    map.after(mini);
  }
  if (!mini) return;
  mini.hidden = !needed;
  const size = Math.min(130 / Math.max(wide, high), 1);
  mini.style.width = `${wide * size}px`;
  mini.style.height = `${high * size}px`;
  // It stands in the corner where it covers the fewest counters.
  const insets = insetsOf(map), frame = map.getBoundingClientRect(), counters = $$(".stack", svg).map((stack) => stack.getBoundingClientRect());
  const corners = [[frame.right - 10 - wide * size, frame.bottom - insets.bottom - high * size - 4], [frame.left + 10, frame.bottom - insets.bottom - high * size - 4], [frame.right - 10 - wide * size, frame.top + insets.top + 4], [frame.left + 10, frame.top + insets.top + 4]];
  const covered = ([x, y]) => counters.filter((box) => meets([x, y, x + wide * size, y + high * size], [box.left, box.top, box.right, box.bottom])).length;
  const [x, y] = corners.reduce((best, corner) => (covered(corner) < covered(best) ? corner : best)), origin = board.getBoundingClientRect();
  mini.style.left = `${x - origin.left}px`;
  mini.style.top = `${y - origin.top}px`;
  moveMini(map);
};
const moveMini = (map) => {
  const view = $(".mini .view", map.parentElement);
  if (!view) return;
  const [left, top, wide, high] = viewOf(svgOf(map)), within = (n, low, size) => Math.min(Math.max(n, low), low + size), clip = ([x, y]) => [within(x, left, wide), within(y, top, high)];
  const from = clip(pointAt(map, 0, 0)), to = clip(pointAt(map, map.clientWidth, map.clientHeight));
  for (const [name, value] of [["x", from[0]], ["y", from[1]], ["width", to[0] - from[0]], ["height", to[1] - from[1]]]) view.setAttribute(name, value);
};

// What appears under a pointer that rests since its click was not pointed at: it says nothing until the pointer moves.
let clickedAt = [];
document.addEventListener("click", (event) => { clickedAt = [event.clientX, event.clientY]; }, true);
document.addEventListener("pointerover", (event) => { if (event.clientX === clickedAt[0] && event.clientY === clickedAt[1]) event.stopImmediatePropagation(); }, true);

// A stack is fanned out where the pointer rests on it, the keyboard stops at it, or it is touched: its pieces with their names.
let fanning;
const foldFan = () => { clearTimeout(fanning); for (const fan of $$(".fan")) fan.remove(); };
const fanOut = (stack) => {
  const map = stack.closest(".map"), svg = svgOf(map), side = stack.getAttribute("class").match(/\bs\d+\b/)?.[0] ?? "";
  foldFan();
  const fan = element("div", "", { className: "fan" });
  fan.dataset.place = stack.dataset.place;
  fan.append(element("h3", $(`.towns [data-of="${CSS.escape(stack.dataset.place)}"]`, svg)?.dataset.shown?.replace("\n", " ") ?? stack.dataset.place));
  for (const [name, kind, value, badges, asks, address] of JSON.parse(stack.dataset.fan)) {
    const pick = new URL(svg.dataset.pick, location.href);
    pick.searchParams.set("of", name);
    if (asks) pick.searchParams.set("asks", asks);
    const row = element("a", "", { href: address ?? pick.pathname + pick.search, className: `side ${side}${address ? " open" : ""}` });
    row.toggleAttribute(address ? "data-move" : "data-look", true);
    row.innerHTML = `<svg viewBox="-18 -16 36 32" aria-hidden="true"><g class="stack side ${side}"><rect x="-18" y="-16" width="36" height="32" rx="3"/>${kind === null ? "" : `<use href="#kind-${kind}" y="-6.5"/>`}<text class="value" y="12"></text></g></svg><span></span>`;
    $("text", row).textContent = value;
    $("span", row).textContent = badges ? `${name} (${badges})` : name;
    fan.append(row);
  }
  const box = stack.getBoundingClientRect(), frame = map.parentElement.getBoundingClientRect(), window = map.getBoundingClientRect();
  map.parentElement.append(fan);
  const left = box.right + 6 + fan.offsetWidth < window.right ? box.right + 6 : Math.max(window.left + 4, box.left - 6 - fan.offsetWidth);
  fan.style.left = `${left - frame.left}px`;
  fan.style.top = `${Math.max(window.top + 4, Math.min(box.top - 8, window.bottom - insetsOf(map).bottom - fan.offsetHeight - 4)) - frame.top}px`;
};
document.addEventListener("pointerover", (event) => {
  if (event.pointerType === "touch" || fingers.size) return;
  const stack = event.target.closest?.(".map .stack[data-fan]");
  if (event.target.closest?.(".fan")) { clearTimeout(fanning); return; }
  clearTimeout(fanning);
  fanning = stack ? setTimeout(() => stack.isConnected && fanOut(stack), 160) : setTimeout(foldFan, 250);
});
// The second of two quick clicks is meant for what the first one took away, not for the map that appears there.
document.addEventListener("click", (event) => { if (event.detail > 1 && event.target.closest?.(".play .map")) { event.preventDefault(); event.stopImmediatePropagation(); } }, true);
// A finger can't rest: the first touch fans out, and what it shows is touched then.
document.addEventListener("click", (event) => {
  const stack = event.target.closest?.(".map .stack[data-fan]");
  if (!stack) { if (!event.target.closest?.(".fan")) foldFan(); return; }
  if (event.pointerType !== "touch" || event.target.closest("a[data-move]")) return;
  event.preventDefault();
  event.stopPropagation();
  fanOut(stack);
}, true);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") foldFan(); });
// What an answer on the map means is said where the pointer rests, and the way there is drawn.
let unsaid;
document.addEventListener("pointerover", (event) => {
  const link = event.target.closest?.(".play .map a[data-move]"), line = $(".play .verdict"), way = $(".play .map .hint");
  if (unsaid !== undefined && line) line.innerHTML = unsaid;
  unsaid = undefined;
  way?.setAttribute("d", "");
  if (!link || !line) return;
  unsaid = line.innerHTML;
  line.textContent = titleOf($("[data-place]", link) ?? link).split("\n")[0];
  way?.setAttribute("d", $("[data-way]", link)?.dataset.way ?? "");
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-zoom]"), map = button?.closest("[data-board]")?.querySelector(".map");
  if (map) zoom(map, Number(button.dataset.zoom));
});
document.addEventListener("wheel", (event) => {
  const map = event.target.closest?.(".map");
  if (!map || !(map.closest(".play") || event.ctrlKey)) return;
  event.preventDefault();
  zoom(map, Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), event.clientX, event.clientY);
}, { passive: false });
document.addEventListener("keydown", (event) => {
  if (!event.target.matches?.(".map") || event.ctrlKey || event.metaKey) return;
  const by = { "+": 1.4, "=": 1.4, "-": 1 / 1.4, "0": 0 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  zoom(event.target, by);
});
// The arrow keys lead over the map from one place that can be clicked to the next, and Enter clicks it. The map keeps the focus; the line above
// it says where one is. Where something is asked, only answers are stopped at.
let fromMap = false;
const stopsOf = (map) => { const answers = $$("svg a[data-move]", map), all = answers.length ? answers : $$("svg a[data-look]", map); return [...new Map([...all].reverse().map((link) => [link.getAttribute("href"), link])).values()]; };
const middleOf = (element) => { const { left, top, width, height } = element.getBoundingClientRect(); return [left + width / 2, top + height / 2]; };
const walk = (map, [dx, dy]) => {
  const at = $("svg a.at", map), stops = stopsOf(map), from = middleOf(at ?? $("svg .stack.looked", map) ?? map);
  const ways = stops.filter((link) => link !== at).map((link) => {
    const [x, y] = middleOf(link), along = (x - from[0]) * dx + (y - from[1]) * dy, aside = Math.abs((x - from[0]) * dy) + Math.abs((y - from[1]) * dx);
    return { link, ahead: !at || (along > 1 && aside <= along * 2), far: at ? along + 2 * aside : Math.abs(along) + aside };
  });
  const [next] = ways.filter((way) => way.ahead).sort((one, other) => one.far - other.far);
  if (next) stopAt(map, next.link);
  return stops.length > 0;
};
const stopAt = (map, link) => {
  for (const old of $$("svg a.at", map)) old.classList.remove("at");
  link.classList.add("at");
  const { left, top, right, bottom } = link.getBoundingClientRect(), frame = map.getBoundingClientRect(), [w, h, over, , side] = roomOf(map);
  const out = [left - frame.left < side || right - frame.left > side + w, top - frame.top < over || bottom - frame.top > over + h];
  if (out[0] || out[1]) { const x = (left + right) / 2 - frame.left, y = (top + bottom) / 2 - frame.top, to = middleOfRoom(map); map.scrollBy({ left: out[0] ? x - to[0] : 0, top: out[1] ? y - to[1] : 0, behavior: "instant" }); }
  const stack = $("[data-fan]", link);
  if (stack) fanOut(stack); else foldFan();
  const said = titleOf($("[data-place]", link) ?? link), line = map.parentElement.querySelector(".verdict");
  if (line && said) line.textContent = said.split("\n")[0];
  link.dispatchEvent(new CustomEvent("stopped", { bubbles: true }));
};
document.addEventListener("keydown", (event) => {
  if (!event.target.matches?.(".map") || event.ctrlKey || event.metaKey || event.altKey) return;
  const map = event.target, way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key], at = $("svg a.at", map);
  if (way ? !walk(map, way) : event.key !== "Enter" || !at) return;
  event.preventDefault();
  if (way) return;
  fromMap = true;
  foldFan();
  at.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
});
document.addEventListener("focusout", (event) => { if (event.target.matches?.(".map") && event.target.isConnected) { for (const at of $$("svg a.at", event.target)) at.classList.remove("at"); } });
// One pointer moves the map, two zoom it.
const fingers = new Map();
let moved = 0;
document.addEventListener("pointerdown", (event) => {
  const map = event.target.closest?.(".play .map");
  if (!map || event.button) return;
  if (!fingers.size) moved = 0;
  fingers.set(event.pointerId, { map, x: event.clientX, y: event.clientY });
});
document.addEventListener("pointermove", (event) => {
  const finger = fingers.get(event.pointerId);
  if (!finger) return;
  const [dx, dy] = [event.clientX - finger.x, event.clientY - finger.y];
  moved += Math.hypot(dx, dy);
  const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
  if (other) {
    const far = (x, y) => Math.max(Math.hypot(x - other.x, y - other.y), 1);
    zoom(finger.map, far(event.clientX, event.clientY) / far(finger.x, finger.y), (event.clientX + other.x) / 2, (event.clientY + other.y) / 2);
  } else if (moved > 6) finger.map.scrollBy({ left: -dx, top: -dy, behavior: "instant" });
  [finger.x, finger.y] = [event.clientX, event.clientY];
});
for (const over of ["pointerup", "pointercancel"]) document.addEventListener(over, (event) => {
  if (!fingers.delete(event.pointerId) || moved <= 6 || fingers.size) return;
  addEventListener("click", (click) => { click.preventDefault(); click.stopPropagation(); }, { capture: true, once: true });
  setTimeout(() => dispatchEvent(new MouseEvent("click", { cancelable: true })));
});
document.addEventListener("dragstart", (event) => { if (event.target.closest?.(".play .map")) event.preventDefault(); });
addEventListener("resize", drawMaps);
document.addEventListener("toggle", (event) => { if (event.target.closest("[data-board], .waits, .given")) drawMaps(); }, true);
document.addEventListener("there", (event) => {
  foldFan();
  unsaid = undefined;
  if (event.target.matches("[data-table]")) centre(false);
});

// Why a place is not an option: asked for when the pointer rests on it, or it is clicked.
let rests, resting;
const closedPlace = (event) => { const place = event.target.closest?.("svg[data-why] .place[data-place]"); return place && !place.closest("a") ? place : null; };
const whyAddress = (place) => { const url = new URL(place.closest("svg").dataset.why, location.href); url.searchParams.set("to", place.dataset.place); return url.pathname + url.search; };
document.addEventListener("pointerover", (event) => {
  const place = closedPlace(event);
  if (place === resting) return;
  clearTimeout(rests);
  resting = place;
  if (!place || event.pointerType === "touch") return;
  rests = setTimeout(async () => {
    const text = await fetch(partOf(whyAddress(place), "why")).then((answer) => (answer.ok ? answer.text() : ""), () => "");
    const verdict = $(".play .verdict");
    if (text && verdict && place === resting && place.isConnected) verdict.innerHTML = text;
  }, 150);
});
document.addEventListener("click", (event) => { const place = closedPlace(event); if (place && !event.defaultPrevented) look(place, whyAddress(place)); });

drawMaps();
centre(true);
