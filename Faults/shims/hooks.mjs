// Resolves the names of native modules to the stand-ins beside this file.
import { readFile } from 'node:fs/promises'
import * as nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'

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
  if (file === undefined) return nextResolve(specifier, context)
  return { url: new URL(file, import.meta.url).href, format: 'module', shortCircuit: true }
}

/** TypeScript without its types, where the runtime can take them away. */
export async function load(url, context, nextLoad) {
  if (!/\.m?ts$/.test(url)) return nextLoad(url, context)
  if (typeof nodeModule.stripTypeScriptTypes !== 'function') {
    throw new Error(
      `node ${process.versions.node} cannot run TypeScript (22.13 and newer can): ${url}`)
  }
  const source = nodeModule.stripTypeScriptTypes(await readFile(fileURLToPath(url), 'utf8'))
  return { format: 'module', source, shortCircuit: true }
}
