"use strict";
// The page is whole without this: it filters, sorts, copies and moves the focus. What is shown is in the
// address behind the #, so that a link to it is a link to the same view. Neither of the characters that
// begin markup stands in here, so that the page reads as XML, too.
(() => {
  const all = selector => [...document.querySelectorAll(selector)];
  const one = selector => document.querySelector(selector);
  const rowsAtOnce = 50;
  const body = one(".runs tbody");
  const rows = body ? [...body.rows] : [];
  const heads = all(".runs thead th");
  const column = key => heads.findIndex(head => head.dataset.key === key);
  const cards = all(".card, .brief");
  const form = one("#filter");
  const filters = one(".filters");
  const more = one("#more");
  const said = one("#said");
  const shortcuts = one("#shortcuts");
  let state = new URLSearchParams();
  // A row may stand for every case on each of several phones, with each of several stores: then only
  // what is chosen counts.
  const runsOf = row => ["phone", "store", "tier"].reduce((count, key) => (
    state.has(key) ? count / row.cells[column(key)].textContent.split(", ").length : count
  ), Number(row.dataset.runs ?? 1));
  const allRunCount = rows.reduce((sum, row) => sum + runsOf(row), 0);
  let places = rows.map((row, place) => place);

  const say = text => { said.textContent = ""; setTimeout(() => { said.textContent = text; }, 50); };

  // MARK: the address

  const read = () => {
    const text = location.hash.slice(1);
    state = new URLSearchParams(text.includes("=") ? text : text ? { at: text } : {});
  };

  const go = (changes, isStep, typed) => {
    for (const [key, value] of Object.entries(changes)) {
      if (value) state.set(key, value); else state.delete(key);
    }
    history[isStep ? "pushState" : "replaceState"](null, "", "#" + state);
    show(typed);
  };

  const focusOn = id => {
    const target = document.getElementById(id);
    if (!target) return;
    const title = target.querySelector("h2, h3") ?? target;
    if (!title.hasAttribute("tabindex")) title.tabIndex = -1;
    title.focus({ preventScroll: true });
    target.scrollIntoView({ block: "start" });
  };

  // MARK: what is shown

  // What the filter left, in words.
  const shownWords = () => one("#count")?.textContent
    ?? `${cards.filter(card => !card.hidden).length} of ${cards.length} findings`;

  const words = () => (state.get("find") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (text, wanted) => {
    const low = text.toLowerCase();
    return wanted.every(word => low.includes(word));
  };

  // What a cell or a card is about may be several things.
  const isAmong = (key, text) => !state.has(key) || text.split(", ").includes(state.get(key));

  const rowFits = (row, wanted) => {
    const cell = key => row.cells[column(key)]?.textContent ?? "";
    if (!["phone", "store", "tier"].every(key => isAmong(key, cell(key)))) return false;
    const verdict = state.get("verdict");
    if (verdict) if (!cell("shows").split(/\W+/).includes(verdict)) return false;
    if (state.has("show")) if (state.get("show") !== row.dataset.is) return false;
    return holds(row.textContent, wanted);
  };

  const cardFits = (card, wanted) => {
    const keys = ["phone", "store", "verdict", "tier"];
    if (!keys.every(key => isAmong(key, card.dataset[key]))) return false;
    return holds((card.querySelector(".telling") ?? card).textContent, wanted);
  };

  const sort = () => {
    const [, back, key] = /^(-?)(.*)$/.exec(state.get("sort") ?? "");
    const index = column(key);
    const text = row => row.cells[index].textContent;
    const compare = (a, b) => text(rows[a]).localeCompare(text(rows[b]), "en", { numeric: true });
    places = rows.map((row, place) => place);
    if (index >= 0) places.sort((a, b) => (back ? compare(b, a) : compare(a, b)) || a - b);
    for (const head of heads) {
      head.setAttribute("aria-sort",
        head.dataset.key !== key ? "none" : back ? "descending" : "ascending");
    }
    body.append(...places.map(place => rows[place]));
  };

  // A field in which somebody types keeps its text and its cursor.
  const show = typed => {
    const wanted = words();
    for (const field of form?.elements ?? []) {
      if (field.name) if (field !== typed) field.value = state.get(field.name) ?? "";
    }
    for (const card of cards) card.hidden = !cardFits(card, wanted);
    if (body) sort();
    let count = 0;
    let runCount = 0;
    for (const place of places) {
      const row = rows[place];
      row.hidden = !rowFits(row, wanted);
      if (!row.hidden) {
        count += 1;
        runCount += runsOf(row);
      }
      row.classList.toggle("more", !state.has("all") ? count > rowsAtOnce : false);
    }
    if (more) {
      more.hidden = state.has("all") || !(count > rowsAtOnce);
      more.textContent = `Show all ${count}`;
    }
    const counter = one("#count");
    if (counter) counter.textContent = `${runCount} of ${allRunCount} runs`;
    for (const link of all(".strip a")) {
      const isChosen = link.hash === "#show=" + state.get("show");
      if (isChosen) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    const open = new Set((state.get("open") ?? "").split(" "));
    for (const part of all("details[id]")) part.open = open.has(part.id);
    if (shortcuts) shortcuts.checked = state.get("keys") !== "off";
  };

  // MARK: what people do

  form?.addEventListener("input", event => {
    const field = event.target;
    go({ [field.name]: field.value.trim(), all: "" }, field.tagName === "SELECT", field);
    say(shownWords());
  });
  form?.addEventListener("submit", event => event.preventDefault());
  form?.addEventListener("reset", event => {
    event.preventDefault();
    go({ find: "", phone: "", store: "", tier: "", verdict: "", show: "", all: "", sort: "" }, true);
    say("everything");
  });
  more?.addEventListener("click", () => {
    const next = rows[places.filter(place => !rows[place].hidden)[rowsAtOnce]];
    go({ all: "1" }, true);
    next.tabIndex = -1;
    next.focus();
  });
  shortcuts?.addEventListener("change", () => go({ keys: shortcuts.checked ? "" : "off" }, false));

  document.addEventListener("click", event => {
    const link = event.target.closest("a[href^='#']");
    if (!link) return;
    event.preventDefault();
    if (!link.hash.includes("=")) {
      const id = link.hash.slice(1);
      // A card that a filter hides, or that is folded, is wanted whole.
      const target = document.getElementById(id);
      const fold = target?.querySelector("details.fold")?.id;
      const open = new Set((state.get("open") ?? "").split(" ").filter(Boolean));
      if (fold) open.add(fold);
      const all = target?.hidden ? { find: "", phone: "", store: "", tier: "", verdict: "" } : {};
      go({ at: id, open: [...open].join(" "), ...all }, true);
      focusOn(id);
      return;
    }
    const [key, value] = link.hash.slice(1).split("=");
    go({ [key]: state.get(key) === value ? "" : value, all: "" }, true);
    focusOn("verdicts");
    say(shownWords());
  });

  document.addEventListener("toggle", event => {
    const open = all("details[id]").filter(part => part.open).map(part => part.id).join(" ");
    if (event.target.id) if ((state.get("open") ?? "") !== open) go({ open }, false);
  }, true);

  for (const head of heads) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const key = head.dataset.key;
      go({ sort: state.get("sort") === key ? "-" + key : key }, true);
      say(`sorted by ${key}, ${head.getAttribute("aria-sort")}`);
    });
  }

  const copy = async text => {
    try {
      await navigator.clipboard.writeText(text);
      say("copied");
    } catch {
      const field = document.createElement("textarea");
      field.value = text;
      document.body.append(field);
      field.select();
      say(document.execCommand("copy") ? "copied" : "this browser does not let a page copy");
      field.remove();
    }
  };
  for (const button of all("[data-copies]")) {
    button.addEventListener("click", async () => {
      await copy(document.getElementById(button.dataset.copies).textContent);
      button.focus();
    });
  }

  const step = by => {
    const shown = cards.filter(card => !card.hidden);
    if (!shown.length) return say("no finding is shown");
    const now = shown.indexOf(document.activeElement?.closest?.(".card, .brief"));
    const next = now === -1 ? (by > 0 ? 0 : shown.length - 1) : now + by;
    const card = shown[(next + shown.length) % shown.length];
    go({ at: card.id }, false);
    focusOn(card.id);
  };

  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.closest?.("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (shortcuts?.checked === false) return;
    if (event.key === "/") {
      if (filters) filters.open = true;
      form?.elements.find.focus();
    }
    else if (event.key === "n") step(1);
    else if (event.key === "p") step(-1);
    else if (event.key === "?") {
      const keys = one("#keys");
      keys.open = !keys.open;
      keys.querySelector("summary").focus();
    } else return;
    event.preventDefault();
  });

  addEventListener("popstate", () => { read(); show(); });
  for (const part of all(".js")) part.hidden = false;
  if (filters) filters.open = !matchMedia("(max-width: 48rem)").matches;
  read();
  show();
  if (state.has("at")) focusOn(state.get("at"));
})();
