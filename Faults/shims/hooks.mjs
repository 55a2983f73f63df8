// Resolves the names of native modules to the stand-ins beside this file.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isTypeScript, typesProblem, withoutTypes } from './types.mjs'

const standIns = new Map([
  ['expo-secure-store', 'expo-secure-store.mjs'],
  ['@react-native-async-storage/async-storage', 'async-storage.mjs'],
  ['react-native', 'react-native.mjs'],
  ['react-native-get-random-values', 'react-native-get-random-values.mjs'],
  ['expo-web-browser', 'expo-web-browser.mjs'],
  ['expo-apple-authentication', 'expo-apple-authentication.mjs'],
])

export async function resolve(specifier, context, nextResolve) {
  const file = standIns.get(specifier)
  if (file === undefined) return resolveFile(specifier, context, nextResolve)
  return { url: new URL(file, import.meta.url).href, format: 'module', shortCircuit: true }
}

/** A file beside the one that imports it may be named without its ending, as Metro has it. */
async function resolveFile(specifier, context, nextResolve) {
  try {
    return await nextResolve(specifier, context)
  } catch (error) {
    if (!/^\.\.?\//.test(specifier)) throw error
    const names = ['.ts', '.mjs', '.js', '/index.ts', '/index.js'].map((end) => specifier + end)
    // TypeScript may name a file as it will be called.
    names.push(specifier.replace(/\.(m?)js$/, '.$1ts'))
    for (const name of names) {
      const found = await nextResolve(name, context).catch(() => null)
      if (found) return found
    }
    throw error
  }
}

/** TypeScript without its types, where the runtime can take them away; modules by what they say. */
export async function load(url, context, nextLoad) {
  if (isTypeScript(url)) {
    const file = fileURLToPath(url)
    const problem = typesProblem(file)
    if (problem) throw Object.assign(new Error(problem), { stack: '' })
    const source = withoutTypes(await readFile(file, 'utf8'), file)
    return { format: 'module', source, shortCircuit: true }
  }
  if (!/^file:.*\.c?js$/.test(url) || context.format === 'module') return nextLoad(url, context)
  const source = await readFile(fileURLToPath(url), 'utf8')
  if (/^(import|export)\b/m.test(source)) return { format: 'module', source, shortCircuit: true }
  return (url.includes('/node_modules/') && asModule(url)) || nextLoad(url, context)
}

/**
 * A package in CommonJS, all of whose exports can be imported by name: Metro has it so, and the
 * recipe's `import * as aesjs from 'aes-js'` needs it. `null` for one that does not load here.
 */
function asModule(url) {
  const file = fileURLToPath(url)
  let names
  try {
    names = Object.keys(createRequire(url)(file) ?? {})
  } catch {
    return null
  }
  const named = names.filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default')
  const source = `
    import { createRequire } from 'node:module'
    const all = createRequire(${JSON.stringify(url)})(${JSON.stringify(file)})
    export default all?.__esModule && 'default' in all ? all.default : all
    ${named.map((name) => `const lab_${name} = all.${name}; export { lab_${name} as ${name} }`).join('\n')}`
  return { format: 'module', source, shortCircuit: true }
}
