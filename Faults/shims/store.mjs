// Finds the store among what a module exports.

const calls = ['getItem', 'setItem', 'removeItem']
const isStore = (value) => value != null && calls.every((call) => typeof value[call] === 'function')

/**
 * The default export before all others; an object before a class, which is made with no arguments.
 * Without one the process ends: the lab takes that for a broken adapter, and shows these words.
 */
export function storeOf(module, file) {
  const exported = Object.entries(module).sort(([name]) => (name === 'default' ? -1 : 0))
  for (const [, value] of exported) if (isStore(value)) return value
  for (const [, value] of exported) {
    if (typeof value === 'function' && isStore(value.prototype)) return new value()
  }
  process.stderr.write(
    `lab: ${file} exports no store: nothing with getItem, setItem and removeItem\n`)
  process.exit(2)
}
