"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
const first = data.first;
const last = first + data.events.length - 1;
let position = first - 1; // number of events that have happened

const byId = (id) => document.getElementById(id);
const eventAt = (id) => data.events[id - first];

function element(tag, name = "", text = "") {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.textContent = text;
  return made;
}

function spans(texts) {
  return texts.map(([text, tone]) => element("span", tone, text));
}

const isStep = (event) => event.kind === "step";
const steps = data.events.flatMap((event, at) => (isStep(event) ? [first + at] : []));
const depths = [];
data.events.forEach((event) => {
  const around = event.parent >= first ? depths[event.parent - first] : -1;
  depths.push(around + 1);
});

// Returns the newest version at the position; null if there is none.
function newest(list) {
  let found = null;
  for (const one of list) if (one.at <= position) found = one;
  return found;
}

// Returns the colour of an element by its place in the whole tensor, as in the window.
function colour(along, across) {
  const [brightest, darkest] = dark.matches ? [0.81, 0.665] : [0.85, 0.68];
  const lightness = brightest + (darkest - brightest) * across;
  const chroma = (dark.matches ? 0.095 : 0.105) + 0.02 * across;
  return `oklch(${lightness.toFixed(4)} ${chroma.toFixed(4)} ${(20 + 250 * along).toFixed(2)})`;
}

function ranksText(ranks) {
  if (ranks.length === 1) return `rank ${ranks[0]}`;
  const inARow = ranks.length > 2 && ranks[ranks.length - 1] - ranks[0] === ranks.length - 1;
  return "ranks " + (inARow ? `${ranks[0]}–${ranks[ranks.length - 1]}` : ranks.join(", "));
}

// Shortens a number to fit a cell.
function short(text) {
  return text.length <= 6 || !Number.isFinite(Number(text)) ? text : String(Number(Number(text).toPrecision(3)));
}

function sheet(part) {
  const isVector = part.shape.length < 2;
  const made = element("div", "sheet");
  const labels = isVector ? null : part.labels;
  made.style.gridTemplateColumns = `${labels ? "auto " : ""}repeat(${Math.max(part.columns, 1)}, auto)`;
  part.text.forEach((text, at) => {
    const row = Math.floor(at / part.columns), column = at % part.columns;
    const line = isVector ? column : row;
    if (labels && column === 0) made.append(element("span", "label", labels[row]));
    const isMasked = part.masked && part.masked[line] === 1;
    const cell = element("span", isMasked ? "cell masked" : "cell", short(text));
    const along = part.along ? part.along[line] : 0.65;
    const across = part.across ? part.across[column] : part.along ? 0.4 : 0.3;
    cell.style.backgroundColor = colour(along, across);
    cell.title = text + (isMasked ? ", masked" : "");
    made.append(cell);
  });
  return made;
}

function partCard(part) {
  const card = element("div", "part");
  const shape = part.shape ? ` [${part.shape.join(", ")}]` : "";
  card.append(element("p", "muted", ranksText(part.ranks) + shape));
  if (part.text && part.text.length > 0) card.append(sheet(part));
  if (part.text && part.text.length === 0) card.append(element("p", "muted", "empty"));
  for (const text of [part.why, part.more]) if (text) card.append(element("p", "muted", text));
  return card;
}

function tensorCard(tensor, version) {
  const isChanged = version.changed === position;
  const card = element("div", isChanged ? "tensor changed" : "tensor");
  const heading = element("h3", "", `${tensor.name}  `);
  const mask = version.buffer ? `, masked by buffer ${version.buffer}` : "";
  heading.append(element("span", "", `${tensor.text}  ${tensor.placements}${mask}`));
  card.append(heading);
  const parts = element("div", "parts");
  (version.shards || []).forEach((part) => parts.append(partCard(part)));
  card.append(version.shards ? parts : element("p", "muted", "left out of this page"));
  return card;
}

// Returns the first and last event of the step at the position.
function currentStep() {
  const begin = steps.filter((id) => id <= position).pop() ?? steps[0] ?? first;
  const next = steps.find((id) => id > begin);
  return [begin, (next ?? last + 1) - 1];
}

function row(id, name, label, tail) {
  const item = element("li");
  const button = element("button", name + (id > position ? " later" : ""));
  button.append(label, element("span", "tail", tail));
  button.addEventListener("click", () => go(id));
  item.append(button);
  return [item, button];
}

function showProgram([begin]) {
  byId("program").replaceChildren(...steps.map((id) => {
    const event = eventAt(id);
    const label = element("span");
    label.append(element("code", "", event.title));
    const [item, button] = row(id, "", label, event.line ? `line ${event.line}` : "");
    if (id === begin && position >= first) button.setAttribute("aria-current", "step");
    return item;
  }));
}

function showEvents([begin, end]) {
  const rows = [];
  for (let id = begin; id <= end; ++id) {
    const event = eventAt(id);
    const [item, button] = row(id, "", element("span", "", event.title), event.note);
    button.lastChild.classList.add(event.tone || "quiet");
    button.style.paddingLeft = `${0.4 + 1.1 * (depths[id - first] - depths[begin - first])}rem`;
    if (id === position) button.setAttribute("aria-current", "true");
    rows.push(item);
  }
  byId("events").replaceChildren(...rows);
}

function showBookmarks() {
  const rows = [];
  for (let id = first; id <= last; ++id) {
    const event = eventAt(id);
    if (event.bookmark === undefined) continue;
    const [item, button] = row(id, "", element("span", "", event.bookmark || event.title), `event ${id}`);
    if (id === position) button.setAttribute("aria-current", "true");
    rows.push(item);
  }
  byId("bookmarked").hidden = rows.length === 0;
  byId("bookmarks").replaceChildren(...rows);
}

function showNow() {
  const event = position >= first ? eventAt(position) : null;
  const sentence = byId("sentence");
  sentence.replaceChildren(...(event ? [element("span", "muted", `${event.kind}  `), ...spans(event.text)]
                                     : [element("span", "muted", "Nothing has happened yet.")]));
  byId("more").replaceChildren(...(event?.more ?? []).map((line) => {
    const item = element("li");
    item.append(...spans(line));
    return item;
  }));
  const mark = event?.bookmark;
  byId("bookmark").textContent = mark === undefined ? "" : mark ? `Note: ${mark}` : "Bookmarked";
  byId("note").textContent = event ? data.notes[event.step - 1] ?? "" : "";
}

// Returns the first and last event of the call at the position; the whole step before the first call.
function currentCall([begin, end]) {
  const calls = [];
  for (let id = begin; id <= end; ++id) {
    if (depths[id - first] === depths[begin - first] + 1) calls.push(id);
  }
  const call = calls.filter((id) => id <= position).pop();
  if (call === undefined) return [begin, end];
  return [call, (calls.find((id) => id > call) ?? end + 1) - 1];
}

// Shows the tensors of the current call in its order; the remaining ones are folded below.
function showShards(step) {
  const [begin, end] = currentCall(step);
  const named = new Set();
  for (let id = begin; id <= end; ++id) (eventAt(id).tensors ?? []).forEach((tensor) => named.add(tensor));
  const cards = new Map();
  for (const tensor of data.tensors) {
    const version = newest(tensor.versions);
    if (version) cards.set(tensor.id, () => tensorCard(tensor, version));
  }
  const inStep = [...named].filter((id) => cards.has(id));
  const others = [...cards.keys()].filter((id) => !named.has(id)).reverse();
  byId("shards").replaceChildren(...inStep.map((id) => cards.get(id)()));
  const details = byId("others");
  details.hidden = others.length === 0;
  details.firstElementChild.textContent = `${others.length} more`;
  const fill = () => details.lastElementChild.replaceChildren(
    ...(details.open ? others.map((id) => cards.get(id)()) : []));
  details.ontoggle = fill;
  fill();
}

function bitsOf(part) {
  const line = element("div", "bits");
  line.append(element("span", "", ranksText(part.ranks)));
  (part.text ?? []).forEach((text) => {
    const isSet = text === "true";
    line.append(element("span", isSet ? "bit set" : "bit", isSet ? "1" : "0"));
  });
  for (const text of [part.why, part.more]) if (text) line.append(element("span", "muted", text));
  return line;
}

function showBuffers() {
  const cards = [];
  for (const buffer of data.buffers) {
    const version = newest(buffer.versions);
    if (!version) continue;
    const isGone = version.refcount === 0;
    const card = element("div", isGone ? "buffer gone" : "buffer");
    const held = isGone ? "released" : `refcount ${version.refcount}, held by ${version.holders}`;
    card.append(element("h3", "", `buffer ${buffer.id}: ${held}`));
    if (!isGone) card.append(...(buffer.shards ?? []).map(bitsOf));
    cards.push(card);
  }
  byId("buffers").replaceChildren(...(cards.length ? cards : [element("p", "muted", "none so far")]));
}

function showCaches() {
  const rows = [];
  let hits = 0;
  for (const entry of data.entries) {
    if (entry.made > position || entry.gone <= position) continue;
    const used = entry.hits.filter((id) => id <= position);
    hits += used.length;
    const item = element("li", "row" + (entry.made === position || used.includes(position) ? " used" : ""));
    const count = used.length === 1 ? "1 hit" : `${used.length} hits`;
    item.append(element("span", "tail", entry.cache), element("code", "", entry.key), element("span", "tail", count));
    rows.push(item);
  }
  byId("lookups").textContent = rows.length ? `${rows.length} remembered, ${hits} hits` : "nothing is remembered yet";
  byId("entries").replaceChildren(...rows);
}

// Scrolls the list, not the page.
function bringIntoView(one) {
  const list = one.closest("section");
  const above = one.offsetTop - list.scrollTop;
  if (above < 0 || above + one.offsetHeight > list.clientHeight) {
    list.scrollTop = one.offsetTop - list.clientHeight / 2;
  }
}

function show() {
  const step = currentStep();
  if (data.events.length > 0) {
    showProgram(step);
    showEvents(step);
    showShards(step);
  }
  showNow();
  showBookmarks();
  showBuffers();
  showCaches();
  byId("slider").value = position;
  byId("slider").setAttribute("aria-valuetext", byId("sentence").textContent);
  byId("place").textContent = `event ${position} of ${data.total}`;
  byId("first").disabled = byId("back").disabled = position < first;
  byId("last").disabled = byId("on").disabled = position >= last;
  document.querySelectorAll("nav [aria-current]").forEach(bringIntoView);
}

function go(to) {
  position = Math.min(Math.max(to, first - 1), last);
  history.replaceState(null, "", `#${position}`);
  show();
}

function begin() {
  document.title = `${data.title} – Shardlens`;
  byId("title").textContent = data.title;
  byId("about").textContent = data.about;
  byId("omissions").replaceChildren(...data.omissions.map((text) => element("li", "", text)));
  const slider = byId("slider");
  slider.min = first - 1;
  slider.max = last;
  slider.addEventListener("input", () => go(Number(slider.value)));
  const moves = {
    first: ["Home", () => first - 1], back: ["ArrowLeft", () => position - 1],
    on: ["ArrowRight", () => position + 1], last: ["End", () => last],
  };
  for (const [id, [, where]] of Object.entries(moves)) byId(id).addEventListener("click", () => go(where()));
  document.addEventListener("keydown", (key) => {
    const move = Object.values(moves).find(([name]) => name === key.key);
    if (!move || key.ctrlKey || key.altKey || key.metaKey) return;
    key.preventDefault();
    go(move[1]());
  });
  dark.addEventListener("change", show);
  const requested = Number(location.hash.slice(1) || data.start);
  go(Number.isInteger(requested) ? requested : first);
}

begin();
