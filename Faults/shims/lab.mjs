// The line to the lab: lab.adapter/1, one JSON object a line on stdin and stdout.
//
// Everything else that the program would print goes to stderr, because stdout is the lab's.
import { Console } from 'node:console'
import { createHash } from 'node:crypto'
import { readSync, writeSync } from 'node:fs'

const pause = new Int32Array(new SharedArrayBuffer(4))

function write(message) {
  const line = Buffer.from(JSON.stringify(message) + '\n')
  for (let sent = 0; sent < line.length; ) {
    try {
      sent += writeSync(1, line, sent)
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
      // The pipe is full until the lab has read on.
      Atomics.wait(pause, 0, 0, 1)
    }
  }
}

// MARK: Calls of native modules

const waiting = new Map()
let lastCall = 0

/** Has the phone's native module do something; rejects as the module does. */
export function call(method, ...args) {
  return new Promise((resolve, reject) => {
    const number = ++lastCall
    waiting.set(number, { resolve, reject })
    write({ call: number, method, arguments: args })
  })
}

/** A rejection of a native module. */
class CodedError extends Error {
  constructor({ code, message }) {
    super(message)
    if (code != null) this.code = code
  }
}

// MARK: The phone, as this launch sees it

/** What the lab has said of the phone, and whether the person sees the app. */
export const phone = { platform: 'ios', state: 'active', sizeRule: 'warn', url: null }

const listeners = { change: new Set(), url: new Set() }

export function listen(event, listener) {
  listeners[event].add(listener)
  return { remove: () => listeners[event].delete(listener) }
}

function tell(event, value) {
  for (const listener of [...listeners[event]]) listener(value)
}

// MARK: The phone's clock

// It stands still while the program works, and moves when the lab says so, or when the program does
// nothing but wait for one of its timers.
const MachineDate = Date
let now = null
const nowMs = () => now ?? MachineDate.now()
globalThis.Date = new Proxy(MachineDate, {
  construct: (target, args, self) =>
    Reflect.construct(target, args.length > 0 ? args : [nowMs()], self),
  apply: () => new MachineDate(nowMs()).toString(),
  get: (target, name) => (name === 'now' ? nowMs : Reflect.get(target, name)),
})

const machineTimeout = globalThis.setTimeout
const machineInterval = globalThis.setInterval
const clearMachineTimeout = globalThis.clearTimeout
const soon = globalThis.setImmediate
const timers = new Map()
let lastTimer = 0
let lastNowMs = null
let openCommands = 0
let outsideCount = 0
let isAwake = false

function addTimer(run, ms, words, repeats) {
  const delay = Math.max(1, Number(ms) || 0)
  timers.set(++lastTimer, { due: nowMs() + delay, every: repeats ? delay : null, run, words })
  lookAtTimers()
  return lastTimer
}

function removeTimer(timer) {
  if (typeof timer === 'object') clearMachineTimeout(timer)
  else timers.delete(Number(timer))
}

/** Whether node itself asks for a timer, for a connection of `fetch`: that one is the machine's. */
const isOfNode = () => /\bnode:/.test(new Error().stack?.split('\n')[3] ?? '')

globalThis.setTimeout = (run, ms, ...words) =>
  isOfNode() ? machineTimeout(run, ms, ...words) : addTimer(run, ms, words, false)
globalThis.setInterval = (run, ms, ...words) =>
  isOfNode() ? machineInterval(run, ms, ...words) : addTimer(run, ms, words, true)
globalThis.clearTimeout = removeTimer
globalThis.clearInterval = removeTimer

/** The timer that comes first, up to a time. */
function nextTimer(until) {
  let first = null
  for (const [number, { due }] of timers) {
    if (due <= until && (first === null || due < timers.get(first).due)) first = number
  }
  return first
}

function fire(number, from) {
  const timer = timers.get(number)
  if (timer.every === null) timers.delete(number)
  else timer.due = from + timer.every
  timer.run(...timer.words)
}

/** Something that the program waits for outside of the phone: no timer comes meanwhile. */
export async function outside(work) {
  outsideCount += 1
  try {
    return await work
  } finally {
    outsideCount -= 1
    lookAtTimers()
  }
}

/** Lets the next timer come, if a command of the lab waits for nothing else. */
function lookAtTimers() {
  if (isAwake) return
  isAwake = true
  machineTimeout(() => {
    isAwake = false
    if (openCommands === 0 || waiting.size > 0 || outsideCount > 0) return
    const number = nextTimer(Infinity)
    if (number === null) return
    now = Math.max(nowMs(), timers.get(number).due)
    fire(number, now)
    lookAtTimers()
  }, 1)
}

/**
 * The lab's clock has moved: what was due meanwhile comes now, once each, as after the sleep of a
 * phone.
 */
async function moveClock(to) {
  const isBack = lastNowMs !== null && to < lastNowMs
  lastNowMs = to
  if (isBack || now === null || to > now) now = to
  for (let number; (number = nextTimer(now)) !== null; ) {
    fire(number, now)
    await new Promise(soon)
  }
}

// Random bytes follow from what the lab gives to each launch, so that a run can be played again.
let seed = ''
let block = 0
let left = Buffer.alloc(0)

/** The next random bytes of this launch. */
export function randomBytes(count) {
  while (left.length < count) {
    left = Buffer.concat([left, createHash('sha256').update(`${seed} ${block++}`).digest()])
  }
  const bytes = left.subarray(0, count)
  left = left.subarray(count)
  return bytes
}

const stderr = new Console(process.stderr, process.stderr)
process.stdout.write = process.stderr.write.bind(process.stderr)
for (const name of ['log', 'info', 'debug', 'trace', 'dir', 'error', 'table']) {
  globalThis.console[name] = stderr[name].bind(stderr)
}
globalThis.console.warn = (...words) => {
  call('console.warn', words.map(String).join(' ')).catch(() => {})
}

// MARK: Commands of the lab

let served
const serving = new Promise((resolve) => (served = resolve))

/** From here on the store does what the lab says. */
export const serve = (store) => served(store)

// JSON cannot carry half of a surrogate pair, which a wrong key may give.
const text = (value) => (value == null ? null : Buffer.from(String(value)).toString())

async function perform(command) {
  const store = await serving
  await moveClock(command.nowMs)
  switch (command.do) {
    case 'launch':
      return { concurrent: true }
    case 'get':
      return { value: text(await store.getItem(command.item)) }
    case 'set':
      return void (await store.setItem(command.item, command.value))
    case 'remove':
      return void (await store.removeItem(command.item))
    case 'foreground':
    case 'background':
      return become(command.do === 'foreground' ? 'active' : 'background')
    case 'url':
      return tell('url', { url: command.url })
    default:
      throw new Error(`no command '${command.do}'`)
  }
}

function become(state) {
  if (state === phone.state) return
  phone.state = state
  tell('change', state)
}

function take(message) {
  if ('call' in message) {
    const { resolve, reject } = waiting.get(message.call)
    waiting.delete(message.call)
    lookAtTimers()
    return message.error ? reject(new CodedError(message.error)) : resolve(message.value ?? null)
  }
  if (message.do === 'launch') {
    Object.assign(phone, message.phone)
    seed = message.entropy
    now = lastNowMs = message.nowMs
  }
  openCommands += 1
  lookAtTimers()
  perform(message)
    .then(
      (answer) => ({ id: message.id, ...answer }),
      (error) => ({
        id: message.id,
        error: { code: error?.code ?? null, message: text(error?.message ?? error) },
      }))
    .then((answer) => {
      openCommands -= 1
      write(answer)
    })
}

/** Waits for the first command, which introduces the phone: a program may look at it at once. */
export function connect() {
  const bytes = []
  const byte = Buffer.alloc(1)
  while (byte[0] !== 0x0a) {
    try {
      if (readSync(0, byte, 0, 1, null) === 0) process.exit(0)
      bytes.push(byte[0])
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
      Atomics.wait(pause, 0, 0, 1)
    }
  }
  take(JSON.parse(Buffer.from(bytes).toString()))
  listenToLab()
}

function listenToLab() {
  let unread = ''
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (piece) => {
    const lines = (unread + piece).split('\n')
    unread = lines.pop()
    for (const line of lines) take(JSON.parse(line))
  })
  // The lab has ended the app.
  process.stdin.on('end', () => process.exit(0))
}
