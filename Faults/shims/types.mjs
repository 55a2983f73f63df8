// What this node can make of TypeScript.
import * as nodeModule from 'node:module'

const strip = nodeModule.stripTypeScriptTypes

export const isTypeScript = (file) => /\.[cm]?tsx?$/.test(file)

/** Why a file in TypeScript cannot be run; null when it can. */
export function typesProblem(file) {
  if (file.endsWith('x')) {
    return `${file} may hold JSX, which no node can run; move the store into a file that ends in .ts`
  }
  if (typeof strip === 'function') return null
  return `node ${process.versions.node} cannot run TypeScript: ${file}. Node 22.13 and newer can; `
    + 'or take its types away first, as with npx tsc or npx esbuild'
}

/** The JavaScript of a file in TypeScript. */
export function withoutTypes(source, file) {
  try {
    return withoutTypeImports(strip(source))
  } catch (error) {
    if (error.code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw named(error, file)
  }
  try {
    // Enums, namespaces and parameter properties are more than types.
    return withoutTypeImports(strip(source, { mode: 'transform' }))
  } catch (error) {
    throw named(error, file)
  }
}

const named = (error, file) =>
  Object.assign(new Error(`${file}: ${error.message.trim()}`), { code: error.code, stack: '' })

/**
 * Without the names that only types have used: `import { SupportedStorage } from '...'` is gone in
 * the app, because Metro takes it for `import type`.
 */
function withoutTypeImports(script) {
  const statement = /^([ \t]*)import\s+([\w$*{][^'";]*?)\s+from\s*(['"][^'"\n]+['"])/gm
  const rest = script.replace(statement, '')
    .replace(/\/\*[^]*?\*\//g, '').replace(/(^|[\s;{}(,])\/\/.*$/gm, '$1')
  const isUsed = (name) =>
    new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(rest)
  return script.replace(statement, (whole, blanks, clause, from) => {
    const list = clause.match(/\{([^}]*)\}/)
    const names = (list ? list[1].split(',') : []).map((name) => name.trim()).filter(Boolean)
    const others = clause.replace(/\{[^}]*\}/, '').split(',').map((name) => name.trim())
    const kept = names.filter((name) => isUsed(name.split(/\s+as\s+/).at(-1)))
    const parts = others.filter((name) => name && isUsed(name.split(/\s+as\s+/).at(-1)))
    if (kept.length > 0) parts.push(`{ ${kept.join(', ')} }`)
    const lines = '\n'.repeat(whole.split('\n').length - 1)
    return parts.length === 0 ? lines : `${blanks}import ${parts.join(', ')} from ${from}${lines}`
  })
}
