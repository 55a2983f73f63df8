// Whether this node can run TypeScript.
import * as nodeModule from 'node:module'

export const stripsTypes = typeof nodeModule.stripTypeScriptTypes === 'function'
export const isTypeScript = (file) => /\.m?ts$/.test(file)
export const typesProblem = (file) =>
  `node ${process.versions.node} cannot run TypeScript: ${file}. Node 22.13 and newer can; `
  + 'or take its types away first'
