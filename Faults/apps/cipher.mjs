// What the stores beside this file need of cryptography, in plain JavaScript, so that they run in
// any engine. AES-256 in counter mode from 1, SHA-256, HMAC, HKDF, hexadecimal and Base64url.
//
// An app that has aes-js and @noble/hashes can put them here instead; tables as these are slower,
// and their timing depends on the key where a cache is shared with an attacker.

// MARK: AES-256, counter mode

const substitution = (() => {
  const box = new Uint8Array(256)
  let p = 1
  let q = 1
  do {
    p = (p ^ (p << 1) ^ (p & 0x80 ? 0x1b : 0)) & 0xff
    q ^= q << 1
    q ^= q << 2
    q ^= q << 4
    q &= 0xff
    if (q & 0x80) q ^= 0x09
    const around = (bits) => ((q << bits) | (q >> (8 - bits))) & 0xff
    box[p] = q ^ around(1) ^ around(2) ^ around(3) ^ around(4) ^ 0x63
  } while (p !== 1)
  box[0] = 0x63
  return box
})()

const double = (byte) => ((byte << 1) ^ (byte & 0x80 ? 0x1b : 0)) & 0xff
/** A column of a round: substituted, and mixed for the first row; other rows turn it. */
const mixed = Uint32Array.from(substitution, (byte) =>
  ((double(byte) << 24) | (byte << 16) | (byte << 8) | (double(byte) ^ byte)) >>> 0)
const turned = (word, bits) => (word >>> bits) | (word << (32 - bits))
const substituted = (word) =>
  (substitution[word >>> 24] << 24) | (substitution[(word >>> 16) & 255] << 16) |
  (substitution[(word >>> 8) & 255] << 8) | substitution[word & 255]

/** The round keys of a key of 16, 24 or 32 bytes, as words. */
function schedule(key) {
  const view = new DataView(key.buffer, key.byteOffset, key.length)
  const count = key.length / 4
  const words = new Uint32Array(4 * (count + 7))
  let constant = 1
  for (let i = 0; i < words.length; i++) {
    if (i < count) {
      words[i] = view.getUint32(4 * i)
      continue
    }
    let last = words[i - 1]
    if (i % count === 0) {
      last = substituted(turned(last, 24)) ^ (constant << 24)
      constant = double(constant)
    } else if (count > 6 && i % count === 4) {
      last = substituted(last)
    }
    words[i] = words[i - count] ^ last
  }
  return words
}

/** Encrypts the four words of `block` in place. */
function encryptBlock(keys, block) {
  let [a, b, c, d] = block
  a ^= keys[0]; b ^= keys[1]; c ^= keys[2]; d ^= keys[3]
  const column = (w, x, y, z) =>
    mixed[w >>> 24] ^ turned(mixed[(x >>> 16) & 255], 8) ^
    turned(mixed[(y >>> 8) & 255], 16) ^ turned(mixed[z & 255], 24)
  let at = 4
  for (; at < keys.length - 4; at += 4) {
    const [e, f, g] = [column(a, b, c, d), column(b, c, d, a), column(c, d, a, b)]
    d = column(d, a, b, c) ^ keys[at + 3]
    a = e ^ keys[at]; b = f ^ keys[at + 1]; c = g ^ keys[at + 2]
  }
  const last = (w, x, y, z) => substituted(
    (w & 0xff000000) | (x & 0xff0000) | (y & 0xff00) | (z & 0xff))
  block[0] = last(a, b, c, d) ^ keys[at]
  block[1] = last(b, c, d, a) ^ keys[at + 1]
  block[2] = last(c, d, a, b) ^ keys[at + 2]
  block[3] = last(d, a, b, c) ^ keys[at + 3]
}

/** Encrypts or decrypts, which is the same; the first counter block is 00…01. */
export function counterMode(key, bytes) {
  if (![16, 24, 32].includes(key.length)) {
    throw new Error('invalid key size (must be 16, 24 or 32 bytes)')
  }
  const keys = schedule(key)
  const result = new Uint8Array(bytes.length)
  const block = new Uint32Array(4)
  for (let start = 0, counter = 1; start < bytes.length; start += 16, counter++) {
    block.set([0, 0, 0, counter])
    encryptBlock(keys, block)
    for (let i = 0; i < 16 && start + i < bytes.length; i++) {
      result[start + i] = bytes[start + i] ^ (block[i >> 2] >>> (24 - 8 * (i & 3)))
    }
  }
  return result
}

// MARK: SHA-256 and what is built on it

const primes = []
for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p !== 0)) primes.push(n)
/** The first 32 bits behind the point. */
const fraction = (x) => ((x - Math.floor(x)) * 4294967296) | 0
const rounds256 = primes.map((p) => fraction(Math.cbrt(p)))
const start256 = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)))

export function sha256(message) {
  const blocks = new Uint8Array(((message.length + 8) >> 6 << 6) + 64)
  blocks.set(message)
  blocks[message.length] = 0x80
  const view = new DataView(blocks.buffer)
  view.setUint32(blocks.length - 8, Math.floor(message.length / 0x20000000))
  view.setUint32(blocks.length - 4, (message.length << 3) >>> 0)
  const hash = Int32Array.from(start256)
  const w = new Int32Array(64)
  for (let start = 0; start < blocks.length; start += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(start + 4 * i)
    for (let i = 16; i < 64; i++) {
      const s0 = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ (w[i - 15] >>> 3)
      const s1 = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ (w[i - 2] >>> 10)
      w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0
    }
    let [a, b, c, d, e, f, g, h] = hash
    for (let i = 0; i < 64; i++) {
      const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + rounds256[i] + w[i]) | 0
      const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0]
    }
    ;[a, b, c, d, e, f, g, h].forEach((word, i) => (hash[i] = (hash[i] + word) | 0))
  }
  const digest = new DataView(new ArrayBuffer(32))
  hash.forEach((word, i) => digest.setInt32(4 * i, word))
  return new Uint8Array(digest.buffer)
}

export function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((count, part) => count + part.length, 0))
  let place = 0
  for (const part of parts) {
    whole.set(part, place)
    place += part.length
  }
  return whole
}

export function hmac(key, message) {
  const block = new Uint8Array(64)
  block.set(key.length > 64 ? sha256(key) : key)
  const inner = sha256(joined(block.map((byte) => byte ^ 0x36), message))
  return sha256(joined(block.map((byte) => byte ^ 0x5c), inner))
}

export function hkdf(secret, salt, info, count) {
  const key = hmac(salt, secret)
  let derived = new Uint8Array(0)
  let last = derived
  for (let number = 1; derived.length < count; number++) {
    last = hmac(key, joined(last, info, Uint8Array.of(number)))
    derived = joined(derived, last)
  }
  return derived.subarray(0, count)
}

/** Compares to the end, whatever differs. */
export function areEqual(one, other) {
  let difference = one.length ^ other.length
  for (let i = 0; i < one.length; i++) difference |= one[i] ^ other[i]
  return difference === 0
}

// MARK: Texts

/** UTF-8; throws a URIError for half of a surrogate pair. */
export function bytesOfText(text) {
  const escaped = encodeURIComponent(text)
  const bytes = new Uint8Array(escaped.length)
  let count = 0
  for (let i = 0; i < escaped.length; i++) {
    const code = escaped.charCodeAt(i)
    bytes[count++] = code === 0x25 ? parseInt(escaped.slice(i + 1, (i += 2) + 1), 16) : code
  }
  return bytes.slice(0, count)
}

/** The text of valid UTF-8; `null` for anything else. */
export function textOfBytes(bytes) {
  const parts = []
  for (const byte of bytes) {
    const isPlain = byte < 0x80 && byte !== 0x25
    parts.push(isPlain ? String.fromCharCode(byte) : '%' + hexOfByte[byte])
  }
  try {
    return decodeURIComponent(parts.join(''))
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export const hexOfBytes = (bytes) => Array.from(bytes, (byte) => hexOfByte[byte]).join('')

/** Strict; `null` for a text that is no hexadecimal. */
export function bytesOfHex(text) {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text)) return null
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16))
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const valueOfLetter = new Map([...letters].map((letter, value) => [letter, value]))

export function base64url(bytes) {
  let text = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const word = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    for (let j = 0; j < Math.min(4, bytes.length - i + 1); j++) {
      text += letters[(word >> (18 - 6 * j)) & 63]
    }
  }
  return text
}

/** Strict: no padding, no other letters, no stray bits; `null` for anything else. */
export function bytesOfBase64url(text) {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4))
  let word = 0
  let bits = 0
  let count = 0
  for (const letter of text) {
    const value = valueOfLetter.get(letter)
    if (value === undefined) return null
    word = ((word << 6) | value) & 0xfff
    bits += 6
    if (bits >= 8) bytes[count++] = (word >> (bits -= 8)) & 0xff
  }
  return bits < 6 && (word & ((1 << bits) - 1)) === 0 ? bytes : null
}
