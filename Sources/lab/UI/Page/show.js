// Turns what the lab says into words and elements. Everything is put in as text, never as markup.

/** An element: `make('li', {class: 'x', onclick}, 'text', child)`; empty children are left out. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter(child => child !== undefined && child !== ''));
  return element;
}

export const byId = id => document.getElementById(id);

/** Puts text in only where it differs, so that nothing is read out again. */
export function say(element, text, kind) {
  if (element.textContent !== text) element.textContent = text;
  if (kind) element.dataset.class = kind;
}

/** Shows a list anew when its data differ; the focus stays on what has the same `data-focus`. */
export function fill(container, data, row) {
  const key = JSON.stringify(data);
  if (container.shownKey === key) return;
  container.shownKey = key;
  const focused = container.contains(document.activeElement)
    ? document.activeElement.dataset.focus : undefined;
  const open = new Set([...container.querySelectorAll('details[open]')].map(d => d.dataset.focus));
  container.replaceChildren(...data.map(row));
  for (const details of container.querySelectorAll('details')) {
    if (open.has(details.dataset.focus)) details.open = true;
  }
  if (!focused) return;
  const again = [...container.querySelectorAll('[data-focus]')]
    .find(element => element.dataset.focus === focused);
  if (again && !again.disabled) again.focus();
  else { container.tabIndex = -1; container.focus(); }
}

export const number = value => value.toLocaleString('en-US');

const size = item => item.bytes === undefined ? '' : `${number(item.bytes)} bytes`;

const durability = {
  true: ['#', 'durable', 'good'], false: ['~', 'volatile', 'wait'], null: ['?', 'unknown', 'none'],
};

// --- The words of values: no page shows any of them

let values = new Map();

const place = item => JSON.stringify([item.place, item.name, item.digest]);

/** Learns what the lab calls the values that it has seen. */
export function learn(seen) { values = new Map(seen.map(entry => [place(entry), entry.value])); }

/** `key 2`: the second value that was seen there. */
export const valueOf = item => values.get(place(item));

/** One thing that a half holds. */
export function itemRow(item) {
  const [mark, word, kind] = durability[item.durable];
  return make('li', {},
    make('span', {class: 'name'}, item.name),
    make('span', {class: 'size'}, size(item)),
    item.value ? make('b', {}, item.value) : undefined,
    make('span', {'data-class': kind},
      make('span', {class: 'mark', 'aria-hidden': 'true'}, mark), ` ${word}`),
    item.note ? make('span', {class: 'note'}, item.note) : undefined);
}

/** What the app found or did, in words, and how good that is. */
export function outcome(result) {
  const session = result.session;
  const generation = session
    ? `generation ${session.generation ?? 'of another app'}` : '';
  switch (result.outcome) {
    case 'session': return [`signed in, ${generation}`, 'good'];
    case 'absent': return ['no session: the login screen', 'none'];
    case 'garbage': return ['a text that is no session: the login screen'
      + (result.removed ? ', and the client removed it' : ''), 'fail'];
    case 'saved': return [`saved, ${generation}`, 'good'];
    case 'removed': return ['removed', 'none'];
    case 'signedOut': return ['signed out', 'none'];
    case 'rejected': return [`rejected: ${result.message}`, 'fail'];
    case 'killed': return ['killed by a fault', 'fail'];
    case 'hung': return [`never answers: ${result.message}`, 'fail'];
    case 'ended': return [`does not run: ${result.message}`, 'fail'];
    default: return [result.outcome ?? 'done', 'none'];
  }
}

const named = item => `${item.place} ${item.name}`
  + (valueOf(item) ? ` (${valueOf(item)})` : '');

export const names = items => items.map(named).join(', ');

/** Whether what is stored fits together, by what the app with the store would find. */
export function fit({items, start, store, lastStore}) {
  const keys = items.filter(item => item.place === 'key');
  const blobs = items.filter(item => item.place === 'blob');
  if (!keys.length && !blobs.length) return ['', 'none'];
  const words = (items, half) =>
    items.length === 1 ? valueOf(items[0]) ?? `the ${half}` : `the ${items.length} ${half}s`;
  const [key, blob] = [words(keys, 'key'), words(blobs, 'blob')];
  const [answer, kind] =
    start.outcome === 'session'
      ? [!blobs.length ? `yes, ${key} is the whole session`
        : `yes, ${key} ${keys.length > 1 ? 'open' : 'opens'} ${
          blobs.length > 1 ? `one of ${blob}` : blob}`, 'good']
    : start.outcome !== 'absent' && start.outcome !== 'garbage'
      ? [`not known, the app gets no answer: ${start.message ?? start.outcome}`, 'wait']
    : !keys.length ? [`no: the key of ${blob} is gone`, 'fail']
    : !blobs.length ? [`no: no blob is there for ${key}`, 'fail']
    : [`no: ${key} ${keys.length > 1 ? 'do' : 'does'} not open ${blob}`, 'fail'];
  const why = store === lastStore ? `${store}, the store that wrote them` : `the store ${store}`;
  return [`fit: ${answer} (${why})`, kind];
}

/** What a fault would take now, from the lab's try on a copy of the phone. */
export function forecast(entry, {items, start}) {
  if (!entry) return '';
  if (entry.refused) return `Not now: ${entry.refused}`;
  const would = entry.fault === 'power-cut' ? 'may' : 'would';
  const removed = `${would} remove ${names(entry.removed) || 'nothing'}`;
  const dead = entry.remains.filter(item => item.note
    && !items.some(old => old.place === item.place && old.name === item.name
      && old.note === item.note));
  const unreadable = dead.map(item => `; ${item.place} ${item.name}: ${item.note}`).join('');
  const [before, after] = [start, entry.start].map(result => outcome(result)[0]);
  const app = before === after ? 'the app would find the same' : `the app ${would} find: ${after}`;
  return `${removed}${unreadable}; ${app}`;
}

function list(word, items) {
  if (!items) return [];
  const lines = items.map(item =>
    make('div', {}, `${named(item)}  ${size(item)}${item.note ? `, ${item.note}` : ''}`));
  return [make('dt', {}, word), make('dd', {}, lines.length ? lines : ['nothing'])];
}

/** What came of one wish. */
export function jobRow(job, act) {
  const result = job.result ?? {};
  const isApp = job.words.startsWith('app: ');
  const [words, kind] =
    job.status === 'running' ? ['working', 'wait']
    : job.status === 'refused' ? [job.reason, 'fail']
    : isApp ? outcome(result)
    : result.status === 'armed' ? [`armed as fault ${result.id}, for ${result.moment}`, 'wait']
    : ['done', 'none'];
  const hasHalves = result.schema === 'lab.inject/1' && result.status === 'done';
  return make('li', {'data-status': job.status},
    make('p', {}, make('b', {}, job.id ? `${job.id}. ${job.words}` : job.words), ': ',
      make('span', {'data-class': kind}, words)),
    hasHalves ? make('dl', {}, list('removed', result.removed),
      list('came back', result.returned), list('remains', result.remains)) : undefined,
    result.returned
      ? make('p', {class: 'aside'}, 'All of it is durable now: it came from a snapshot.')
      : undefined,
    result.snapshot
      ? make('p', {class: 'aside'}, `snapshot before it: ${result.snapshot}`) : undefined,
    hasHalves && result.volatile.length
      ? make('p', {class: 'aside'}, `not durable before: something in ${result.volatile.join(', ')}`)
      : undefined,
    result.rule
      ? make('p', {class: 'aside'}, `${result.synthetic ? 'synthetic' : 'can happen'}: ${result.rule}`)
      : undefined,
    job.line ? make('code', {class: 'line'}, job.line) : undefined,
    make('span', {class: 'buttons'},
      act.undo ? make('button', {type: 'button', 'data-focus': `undo-${job.id}`, onclick: act.undo},
        act.undoWord) : undefined,
      job.line ? make('button', {type: 'button', 'data-focus': `copy-${job.id}`, onclick: act.copy},
        'Copy the line') : undefined));
}

/** A path from its last folder on: what a trigger names. */
const short = path => path.split('/').slice(-2).join('/');

/** One operation of the phone's log. */
export function operationRow(half) {
  return operation => {
    const isSync = operation.kind === 'sync' || operation.kind === 'syncdir';
    const marks = [
      operation.pending.length ? ['~', 'volatile', 'wait'] : undefined,
      isSync && !operation.error ? ['#', 'synced', 'good'] : undefined,
      operation.fault ? ['X', operation.fault, 'fail'] : undefined,
      operation.error ? ['!', operation.error, 'fail'] : undefined,
    ].filter(Boolean);
    const length = operation.length === undefined ? '' : ` ${number(operation.length)}`;
    const target = operation.target ? ` → ${short(operation.target)}` : '';
    return make('tr', {},
      make('td', {}, String(operation.number)), make('td', {}, half(operation.domain)),
      make('td', {}, operation.kind + length),
      make('td', {}, marks.map(([mark, word, kind]) => make('span', {'data-class': kind},
        make('span', {class: 'mark', 'aria-hidden': 'true'}, mark), ` ${word} `))),
      make('td', {}, operation.kind === 'point' ? target.slice(3) : short(operation.path) + target));
  };
}
