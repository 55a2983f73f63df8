// The live page: asks the lab how the phone is, shows it, and sends wishes.
import {byId, fill, fit, forecast, itemRow, jobRow, learn, make, names, number, operationRow,
  outcome, say, valueOf} from './show.js';

let catalogue, view, cards = new Map();
let version = -1, failures = 0, isPaused = false, elsewhere = 0, timer;
let lastSeen = new Date();
const noted = new Map();          // Jobs whose end was said, by number.
const missed = new Set();         // Armed faults that a whole run of the app did not set off.

// --- Talking to the lab

async function ask(path, wish) {
  const response = await fetch(path, wish === undefined ? {} : {
    method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(wish),
  });
  if (response.status === 403) throw new Error('forbidden');
  return {ok: response.ok, body: await response.json()};
}

/** Sends a wish; a refusal appears at `place`, where the focus is. */
async function wish(order, place) {
  say(place, '');
  try {
    const {ok, body} = await ask('api/do', order);
    if (!ok) return say(place, body.error);
    noted.set(body.job, place);
    poll();
  } catch {
    say(place, 'The lab does not answer; nothing was done.');
  }
}

async function poll() {
  clearTimeout(timer);
  let pause = 700;
  try {
    const {body} = await ask(`api/view?seen=${version}`);
    failures = 0;
    lastSeen = new Date();
    if (body.schema) { view = body; version = body.version; show(); }
    connect(view.problem ?? undefined);
    if (view.jobs.some(job => job.status === 'running')) pause = 150;
    else if (view.problem) pause = 1000;
    else if (document.hidden) pause = 2000;
  } catch (error) {
    failures += 1;
    version = -1;
    pause = Math.min(10_000, 1000 * failures);
    connect(error.message === 'forbidden'
      ? 'This address is old: open the one that lab ui has printed last.'
      : 'The page’s server is gone; the phone may still be mounted: lab status, then lab ui.');
  }
  clearTimeout(timer);
  timer = setTimeout(poll, pause);
}

/** Shows whether what is seen is how it is. */
function connect(problem) {
  const banner = byId('banner');
  const isAway = problem !== undefined;
  document.body.classList.toggle('away', isAway);
  if (banner.hidden === isAway) banner.hidden = !isAway;
  if (isAway) {
    // The numbers of faults begin anew.
    missed.clear();
    say(banner, `${problem}  (shown is how it was at ${lastKnown()}; the page goes on when it is back)`);
  } else {
    lastKnown.at = lastSeen;
  }
  say(byId('link'), isAway ? 'disconnected' : 'connected', isAway ? 'fail' : 'good');
  for (const button of document.querySelectorAll('#main button')) {
    if (button.dataset.blocked !== 'yes') button.disabled = isAway;
  }
}
const lastKnown = () => (lastKnown.at ?? lastSeen).toLocaleTimeString('en-GB');

// --- One polite voice, at most once a second

let queue = [], isSpeaking = false;
function tell(text) {
  queue = [...queue.slice(-2), text];
  if (isSpeaking) return;
  isSpeaking = true;
  const next = () => {
    const text = queue.shift();
    if (text === undefined) { isSpeaking = false; return; }
    say(byId('said'), text);
    setTimeout(next, 1000);
  };
  next();
}

// --- Showing

function show() {
  if (view.look) learn(view.look.values);
  showJobs();
  if (!view.look) return;
  const {look} = view, {status} = look;
  document.title = `${view.phone} - lab ui`;
  say(byId('phone'), view.phone);
  const apps = status.processes.filter(process => process.role === 'app');
  fill(byId('facts'), [
    status.phone, status.lockState, status.installed ? '' : 'app not installed',
    ['app: ' + (apps.length ? 'running' : 'not running'), ...apps.map(app => `pid ${app.pid}`),
      session(look.start)].filter(Boolean).join(', '),
    `${number(Math.floor(status.freeBytes / 1024))} of ${number(status.capacityBytes / 1024)} KiB free`,
  ].filter(Boolean), fact => make('li', {}, fact));
  showHalves(look);
  showFaults(look);
  showSnapshots(look);
  if (!isPaused) showOperations(look);
}

/** Who is signed in by what is stored, where that is known. */
const session = start => start.outcome !== 'session' ? ''
  : start.session?.generation === undefined ? 'signed in'
  : `signed in (generation ${start.session.generation})`;

/** What of a half is durable. */
function durability(items, isVolatile, change) {
  if (!items.length) return 'Nothing is stored here.';
  if (isVolatile) return 'Something here is volatile.';
  const restored = change?.report.returned ? change.report.remains : [];
  const isSame = item => restored.some(other =>
    ['place', 'name', 'digest'].every(key => other[key] === item[key]));
  return items.some(isSame) ? 'All of it is durable now: it came from a snapshot.'
    : 'All of it is durable.';
}

function showHalves(look) {
  for (const half of ['key', 'blob']) {
    const domains = look.domains.filter(domain => domain.half === half);
    const isVolatile = domains.some(domain => domain.volatile);
    say(byId(`${half}-head`), `${half === 'key' ? 'Key' : 'Blob'} half (${
      domains.map(domain => domain.name).join(', ')})`);
    const items = look.items.filter(item => (item.place === 'key') === (half === 'key'));
    const isClosed = look.status.lockState !== 'unlocked' && look.start.outcome === 'rejected';
    say(byId(`${half}-state`), (isClosed ? 'Not unlocked: an app is refused, see below. ' : '')
      + durability(items, isVolatile, look.lastChange));
    fill(byId(`${half}-items`), items.map(item => ({...item, value: valueOf(item)})), itemRow);
  }
  say(byId('fit'), ...fit(look));
  const [words, kind] = outcome(look.start);
  const isEmpty = !look.items.some(item => item.place === 'key' || item.place === 'blob');
  say(byId('start'), isEmpty && look.start.outcome === 'absent'
    ? 'No session yet: press Sign in.'
    : `If an app with the store ${look.store} started now, it would find: ${words}.`, kind);
  if (document.activeElement !== byId('store')) byId('store').value = look.store;
}

function showFaults(look) {
  const {faults, problems = []} = look.status;
  const armed = faults.filter(fault => fault.status.includes('armed'));
  const fired = faults.filter(fault => fault.fired > 0);
  const held = look.status.held;
  say(byId('armed-state'), `${armed.length} armed, ${fired.length} fired`
    + (held.length ? `; held: ${held.join(', ')}` : '')
    + problems.map(problem => `; could not happen: ${problem}`).join(''));
  const chips = faults.slice(-12).map(fault => ({...fault, missed: missed.has(fault.id)
    && fault.fired === 0}));
  if (held.length) chips.push({wish: 'release', about: 'operations are held', word: 'Release'});
  if (armed.length > 1) chips.push({wish: 'reset', about: 'all of them', word: 'Disarm all'});
  fill(byId('armed'), chips, fault => fault.wish
    ? make('li', {}, fault.about, make('button', {type: 'button', 'data-focus': fault.wish,
      onclick: () => wish({verb: fault.wish}, byId('app-refusal'))}, fault.word))
    : make('li', {},
      make('span', {}, `${fault.id}. ${fault.fault}: `,
        make('b', {'data-class': fault.fired ? 'good' : 'wait'},
          fault.missed ? 'NEVER FIRED so far: the app ran without reaching it' : fault.status)),
      fault.status.includes('armed')
        ? make('button', {type: 'button', 'data-focus': `disarm-${fault.id}`,
          'aria-label': `Disarm fault ${fault.id}, ${fault.fault}`,
          onclick: () => wish({verb: 'disarm', id: fault.id}, byId('app-refusal'))}, 'Disarm')
        : undefined));
  const runs = look.status.processes.some(process => process.role === 'app');
  for (const [name, {fault, now}] of cards) {
    const entry = look.forecasts.find(entry => entry.fault === name);
    say(now, isArmed() ? ''
      : !fault.now ? `Needs a moment: choose “armed”, such as ${fault.example}`
      : name === 'kill' ? (runs ? 'would end the app; what is stored stays' : 'Not now: no app runs')
      : forecast(entry, look));
  }
}

function showSnapshots(look) {
  const parts = ({halves, automatic}) =>
    automatic ? ['both'] : [...halves, ...(halves.length > 1 ? ['both'] : [])];
  fill(byId('snapshots'), look.snapshots, ({name, halves, automatic}) => make('li', {},
    make('span', {class: 'name'}, name),
    make('span', {class: 'aside'}, automatic ? 'all, taken by itself' : halves.join(' and ')),
    make('span', {class: 'buttons'}, parts({halves, automatic}).map(half =>
      make('button', {type: 'button', 'data-focus': `restore-${half}-${name}`,
        'aria-label': `Restore ${half} of ${name}`,
        onclick: () => wish({verb: 'restore', name, half}, byId('snapshot-refusal'))},
      automatic ? 'Restore all, as it was'
        : half === 'both' ? 'Restore both, as the platform does' : `Restore ${half}, byte by byte`)))));
}

function showOperations(look) {
  const half = name => look.domains.find(domain => domain.name === name)?.half ?? '';
  const onlyHalves = byId('only-halves').checked;
  const shown = look.log.filter(operation => !onlyHalves || half(operation.domain)).toReversed();
  say(byId('operations-state'), `${number(look.status.operations)} so far`
    + (look.log.length < look.status.operations ? `; the latest ${look.log.length}` : ''));
  fill(byId('operations'), shown, operationRow(half));
}

function showJobs() {
  const running = view.jobs.filter(job => job.status === 'running');
  const change = view.look?.lastChange;
  const shown = view.jobs.filter(job => job.line || job.words === 'undo');
  const own = change && shown.findLast(job => isReport(job.result, change.report));
  // What somebody did at a terminal has no number of the page's.
  if (change && !own) {
    shown.push({words: `${change.report.fault}, from elsewhere`, status: 'done',
      result: change.report});
    if (elsewhere !== change.number) tell(`from elsewhere: ${removal(change.report)}`);
    elsewhere = change.number;
  }
  const changed = change && {job: own || shown.at(-1), number: change.number};
  for (const job of view.jobs.filter(job => job.status !== 'running')) finish(job);
  const rows = shown.toReversed().map(job =>
    ({...job, change: job === changed?.job ? changed.number : undefined}));
  fill(byId('jobs'), rows, job =>
    jobRow(job, {
      ...undo(job),
      copy: () => navigator.clipboard.writeText(job.line).then(
        () => tell('copied'), () => tell('the browser does not let the page copy')),
    }));
  byId('jobs').setAttribute('aria-busy', String(running.length > 0));
  for (const button of byId('app-buttons').children) {
    const isBusy = running.some(job => job.words === `app: ${button.dataset.do}`);
    say(button, isBusy ? `${button.dataset.word}: waiting for the app` : button.dataset.word);
  }
}

/** How a wish is taken back, where that can be done. */
function undo(job) {
  const place = byId('snapshot-refusal');
  const fault = job.result?.fault;
  if (job.status !== 'done' || job.result.status !== 'done') return {};
  if (fault === 'kill') {
    return {undoWord: 'Start the app again',
      undo: () => wish({verb: 'app', store: byId('store').value, do: 'get'}, place)};
  }
  if (fault === 'lock') {
    return {undoWord: 'Unlock', undo: () => wish({verb: 'inject', fault: 'unlock'}, place)};
  }
  if (job.change === undefined) return {};
  return {undoWord: fault === 'undo' ? 'Redo' : 'Undo',
    undo: () => wish({verb: 'undo', change: job.change}, place)};
}

const isReport = (result, report) => result?.schema === report.schema
  && ['fault', 'removed', 'remains'].every(key =>
    JSON.stringify(result[key]) === JSON.stringify(report[key]));

const removal = ({fault, removed, returned}) => `${fault}: ${[
  returned && `came back ${names(returned) || 'nothing'}`,
  (!returned || removed.length) && `removed ${names(removed) || 'nothing'}`,
].filter(Boolean).join('; ')}`;

/** A wish has ended: says so once, under its button if it was refused. */
function finish(job) {
  const place = noted.get(job.id);
  if (place === 'said') return;
  noted.set(job.id, 'said');
  if (job.words.startsWith('app: ')) {
    for (const fault of view.look?.status.faults ?? []) {
      if (fault.status === 'armed') missed.add(fault.id);
    }
  }
  if (!place) return;
  if (job.status === 'refused') say(place, job.reason);
  const {removed, status} = job.result ?? {};
  if (job.words.startsWith('forecasts')) return;
  tell(job.status === 'refused' ? `${job.words}: refused, ${job.reason}`
    : job.words.startsWith('app: ') ? `${job.words}: ${outcome(job.result)[0]}`
    : removed && status === 'done' ? removal(job.result)
    : `${job.words}: ${status ?? 'done'}`);
}

// --- The buttons

const isArmed = () => document.querySelector('input[name=when]:checked').value === 'armed';

/** `K1#2`, `rename:*.bak`, `op:17`. */
function moment() {
  const place = byId('point').value, count = byId('count').valueAsNumber || 1;
  if (place === 'op') return `op:${count}`;
  const isCall = catalogue.calls.some(call => call.name === place);
  return (isCall ? `${place}:${byId('path').value || '*'}` : place) + (count > 1 ? `#${count}` : '');
}

const titles = {process: 'The app ends', power: 'The power fails', call: 'A file call goes wrong',
  data: 'Stored bytes change', system: 'The system does something'};

const titled = name => name[0].toUpperCase() + name.slice(1).replaceAll('-', ' ');

function buildCard(fault) {
  const refusal = make('p', {class: 'refusal', role: 'alert'});
  const now = make('p', {class: 'now', id: `now-${fault.name}`});
  const inputs = fault.parameters.map(parameter => {
    const input = make('input', {name: parameter.name, placeholder: parameter.default ?? 'needed',
      spellcheck: 'false', autocomplete: 'off'});
    return {input, label: make('label', {}, `${parameter.name} `, input,
      make('span', {class: 'aside'}, parameter.summary))};
  });
  const button = make('button', {type: 'button', id: `fault-${fault.name}`,
    'aria-describedby': `about-${fault.name} now-${fault.name}`,
    onclick: () => {
      const values = Object.fromEntries(inputs.filter(({input}) => input.value !== '')
        .map(({input}) => [input.name, input.value]));
      const when = isArmed() ? {at: moment(), times: byId('times').valueAsNumber || 1} : {};
      wish({verb: 'inject', fault: fault.name, ...when, values}, refusal);
    }}, titled(fault.name));
  const needed = fault.parameters.some(parameter => parameter.default === null);
  const details = inputs.length ? make('details', {}, make('summary', {},
    needed ? 'values that it needs' : 'values'), inputs.map(({label}) => label)) : undefined;
  const element = make('article', {class: 'fault', 'aria-labelledby': `fault-${fault.name}`},
    button, make('p', {id: `about-${fault.name}`}, fault.summary), now, refusal,
    details ?? '');
  cards.set(fault.name, {fault, element, button, now, details, needed});
  return element;
}

/** What cannot happen at once waits for its moment. */
function chooseMode() {
  const armed = isArmed();
  byId('moment').hidden = !armed;
  for (const {fault, button, details, needed} of cards.values()) {
    const isBlocked = !armed && !fault.now;
    button.dataset.blocked = isBlocked ? 'yes' : 'no';
    button.disabled = isBlocked || document.body.classList.contains('away');
    say(button, (armed ? 'Arm: ' : '') + titled(fault.name));
    if (details && needed) details.open = !isBlocked;
  }
  if (view?.look) showFaults(view.look);
}

function chooseMoment() {
  const place = byId('point').value;
  byId('path-label').hidden = !catalogue.calls.some(call => call.name === place);
}

function search() {
  const wanted = byId('search').value.trim().toLowerCase();
  for (const {fault, element} of cards.values()) {
    element.hidden = !`${fault.name} ${fault.summary}`.toLowerCase().includes(wanted);
  }
  for (const group of document.querySelectorAll('#catalogue > section')) {
    group.hidden = ![...group.querySelectorAll('.fault')].some(card => !card.hidden);
  }
}

function build() {
  byId('store').append(...catalogue.stores.map(store =>
    make('option', {value: store.name, title: store.summary}, store.name)));
  byId('point').append(
    make('optgroup', {label: 'Points'}, catalogue.points.map(point =>
      make('option', {value: point.name, selected: point.name === 'K1'},
        `${point.name} (${point.words})`))),
    make('optgroup', {label: 'Calls'}, catalogue.calls.map(call =>
      make('option', {value: call.name}, call.name))),
    make('optgroup', {label: 'Count'}, make('option', {value: 'op'}, 'operation number')));
  const order = ['system', 'process', 'power', 'call', 'data'];
  byId('catalogue').append(...order.map(group => make('section', {'aria-label': titles[group]},
    make('h4', {}, titles[group]),
    make('div', {class: 'group'}, catalogue.faults.filter(fault => fault.group === group)
      .map(buildCard)))));
  connectControls();
  chooseMode();
}

function connectControls() {
  const refusal = byId('app-refusal'), snapshots = byId('snapshot-refusal');
  for (const button of byId('app-buttons').children) {
    button.dataset.word = button.textContent;
    button.addEventListener('click', () => wish(
      {verb: 'app', store: byId('store').value, do: button.dataset.do}, refusal));
  }
  byId('store').addEventListener('change', () =>
    wish({verb: 'store', store: byId('store').value}, refusal));
  for (const radio of document.querySelectorAll('input[name=when]')) {
    radio.addEventListener('change', chooseMode);
  }
  byId('point').addEventListener('change', chooseMoment);
  byId('search').addEventListener('input', search);
  byId('take').addEventListener('submit', event => {
    event.preventDefault();
    wish({verb: 'snapshot', name: byId('snapshot-name').value, half: byId('snapshot-half').value},
      snapshots);
  });
  byId('reset').addEventListener('click', () => wish({verb: 'reset', device: true}, snapshots));
  byId('unmount').addEventListener('click', () => byId('ask').showModal());
  byId('ask').addEventListener('close', () => {
    if (byId('ask').returnValue === 'yes') wish({verb: 'unmount'}, snapshots);
  });
  byId('pause').addEventListener('click', () => {
    isPaused = !isPaused;
    byId('pause').setAttribute('aria-pressed', String(isPaused));
    if (!isPaused && view?.look) showOperations(view.look);
  });
  byId('only-halves').addEventListener('change', () => view?.look && showOperations(view.look));
  document.addEventListener('keydown', event => {
    const isTyping = event.target.matches('input, select') || byId('ask').open;
    if (event.key !== '/' || isTyping || !byId('keys').checked || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    byId('search').focus();
  });
}

async function begin() {
  try {
    catalogue = (await ask('api/catalogue')).body;
  } catch {
    connect('The page’s server does not answer.');
    timer = setTimeout(begin, 1000);
    return;
  }
  build();
  poll();
}
begin();
