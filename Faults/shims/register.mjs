// node --import DIR/register.mjs my-store.mjs
//
// The native modules that the program imports are those of the phone that `lab` runs it on, and
// what it exports is driven by the lab: an object with getItem, setItem and removeItem, or a class
// of such.
import { realpathSync } from 'node:fs'
import { register } from 'node:module'
import { pathToFileURL } from 'node:url'
import { connect, outside, serve } from './lab.mjs'
import './server.mjs'
import { storeOf } from './store.mjs'
import { isTypeScript, typesProblem } from './types.mjs'

register('./hooks.mjs', import.meta.url)
// React Native has none; react-native-get-random-values brings the one function of it.
delete globalThis.crypto

const main = process.argv[1]
if (!main) {
  process.stderr.write('lab: no program to run; say node --import .../register.mjs my-store.mjs\n')
  process.exit(64)
}
const problem = isTypeScript(main) ? typesProblem(main) : null
if (problem) {
  process.stderr.write(`lab: ${problem}\n`)
  process.exit(64)
}
if (process.stdin.isTTY) {
  process.stderr.write("lab: this waits for a lab; say lab run torn-save --app 'node ...'\n")
}
connect()
setImmediate(async () => {
  // The same module as the program itself, which node may still be evaluating.
  const module = await outside(import(pathToFileURL(realpathSync(main)).href))
  serve(storeOf(module, main))
})
