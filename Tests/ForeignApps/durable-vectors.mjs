// node durable-vectors.mjs: the JavaScript durable store against the vectors that the Swift one
// meets, and its cipher against node's own. Prints how many checks held; any failure throws.
import assert from 'node:assert/strict'
import * as node from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as cipher from '../../Faults/apps/cipher.mjs'
import { keysOfItem, open, seal } from '../../Faults/apps/durable-format.mjs'

const vectors = JSON.parse(
  readFileSync(new URL('../SessionTests/Vectors/durable.json', import.meta.url)))
const bytes = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'))
let count = 0

function holds(actual, expected, what) {
  assert.deepEqual(actual, expected, what)
  count += 1
}

for (const one of vectors.cases) {
  const keys = keysOfItem(one.keyItem)
  const opened = open(one.blob, one.name, keys)
  holds([opened.text, opened.number], [one.text, one.number], one.id)
  const sealed = seal(one.text, one.number, one.name, bytes(one.key), bytes(one.salt))
  holds(sealed, one.blob, one.id)
  holds(open(one.blob, one.name + 'x', keys), null, one.id)
  const place = Math.floor(one.blob.length / 2)
  const other = one.blob[place] === 'A' ? 'B' : 'A'
  const damaged = one.blob.slice(0, place) + other + one.blob.slice(place + 1)
  holds(open(damaged, one.name, keys), null, one.id)
  holds(open(one.blob.slice(0, -1), one.name, keys), null, one.id)
}
for (const one of vectors.legacy) {
  const opened = open(one.blob, one.name, keysOfItem(one.keyItem))
  holds([opened.text, opened.number], [one.text, 0], one.name)
}
for (const text of ['', '1.', '1.AAAA', 'zz', '00', '2.' + 'A'.repeat(43)]) {
  holds(keysOfItem(text), null, text)
}

const pattern = (size, step) => Uint8Array.from({ length: size }, (_, i) => (i * step + size) & 255)
for (const size of [0, 1, 15, 16, 17, 55, 56, 63, 64, 65, 4099]) {
  const [message, key] = [pattern(size, 7), pattern(32, 13)]
  const start = Buffer.from('00000000000000000000000000000001', 'hex')
  const encrypted = node.createCipheriv('aes-256-ctr', key, start).update(message)
  holds(Buffer.from(cipher.counterMode(key, message)), encrypted, `AES, ${size}`)
  const tag = node.createHmac('sha256', key).update(message).digest()
  holds(Buffer.from(cipher.hmac(key, message)), tag, `HMAC, ${size}`)
  const derived = Buffer.from(node.hkdfSync('sha256', key, message, 'info', 64))
  holds(Buffer.from(cipher.hkdf(key, message, Buffer.from('info'), 64)), derived, `HKDF, ${size}`)
  const text = Buffer.from(message).toString('base64url')
  holds(cipher.base64url(message), text, `Base64, ${size}`)
  holds(cipher.bytesOfBase64url(text), message, `Base64, ${size}`)
}
for (const text of ['A', 'AB', 'AA=', 'A A', 'AA+/']) {
  holds(cipher.bytesOfBase64url(text), null, text)
}
for (const text of ['', 'aé漢😀%25']) {
  holds(cipher.textOfBytes(cipher.bytesOfText(text)), text, text)
}
assert.throws(() => cipher.bytesOfText('\ud800'), URIError)
holds(cipher.textOfBytes(Uint8Array.of(0xc3)), null, 'cut UTF-8')
console.log(`${count} checks held`)
