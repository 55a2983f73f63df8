// With LAB_SERVER=http://127.0.0.1:54321, as `lab serve` prints it, what the program fetches comes
// from there, whatever host it names.
const server = process.env.LAB_SERVER

if (server) {
  const base = new URL(server)
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(base.hostname)) {
    process.stderr.write(`lab: LAB_SERVER ${server} is not on this machine\n`)
    process.exit(64)
  }
  const fetchIt = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const isRequest = input instanceof Request
    const url = new URL(isRequest ? input.url : input)
    url.protocol = base.protocol
    url.host = base.host
    if (!isRequest) return fetchIt(url, init)
    const { method, headers, redirect, signal } = input
    const body = input.body ? await input.arrayBuffer() : undefined
    return fetchIt(url, { method, headers, redirect, signal, body, ...init })
  }
}
