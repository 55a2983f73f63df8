// With LAB_SERVER=http://127.0.0.1:54321, as `lab serve` prints it, what the program fetches comes
// from there, whatever host it names.
import { outside } from './lab.mjs'

const fetchIt = globalThis.fetch
const server = process.env.LAB_SERVER
globalThis.fetch = (input, init) => outside(server ? ask(input, init) : fetchIt(input, init))

const base = server ? new URL(server) : null
if (base && !['127.0.0.1', 'localhost', '[::1]'].includes(base.hostname)) {
  process.stderr.write(`lab: LAB_SERVER ${server} is not on this machine\n`)
  process.exit(64)
}

async function ask(input, init) {
  const isRequest = input instanceof Request
  const url = new URL(isRequest ? input.url : input)
  url.protocol = base.protocol
  url.host = base.host
  if (!isRequest) return whole(await fetchIt(url, init))
  const { method, headers, redirect, signal } = input
  const body = input.body ? await input.arrayBuffer() : undefined
  return whole(await fetchIt(url, { method, headers, redirect, signal, body, ...init }))
}

/** The response with its body, so that nothing of it is still on its way. */
async function whole(response) {
  const { status, statusText, headers, url } = response
  const bytes = await response.arrayBuffer()
  const body = [101, 204, 205, 304].includes(status) ? null : bytes
  const answer = new Response(body, { status, statusText, headers })
  return Object.defineProperty(answer, 'url', { value: url })
}
