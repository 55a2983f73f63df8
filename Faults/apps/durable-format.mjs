// What the durable store keeps, byte for byte as the one of lab; Sources/Session/DurableStore.md
// has the format. Touches no native module.
import {
  areEqual, base64url, bytesOfBase64url, bytesOfHex, bytesOfText, counterMode, hkdf, hmac, joined,
  textOfBytes,
} from './cipher.mjs'

export const keyBytes = 32
export const saltBytes = 32
const tagBytes = 32
const version = '1.'

/** The keys of a key item, the oldest first; `null` for a text that no store has written. */
export function keysOfItem(text) {
  const parts = text.split('.')
  const keys =
    parts.length === 1
      ? [bytesOfHex(text)]
      : parts[0] === '1' ? parts.slice(1).map(bytesOfBase64url) : []
  const areGood = keys.every((key) => key?.length === keyBytes)
  return areGood && keys.length >= 1 && keys.length <= 2 ? keys : null
}

export const itemOfKeys = (keys) => ['1', ...keys.map(base64url)].join('.')

function derive(master, salt, name) {
  const keys = hkdf(master, salt, bytesOfText('durable 1 ' + name), 64)
  return { encryption: keys.subarray(0, 32), authentication: keys.subarray(32) }
}

/** The blob of a text; a salt must never be used twice. */
export function seal(text, number, name, master, salt) {
  const keys = derive(master, salt, name)
  const count = Uint8Array.of(number >>> 24, number >>> 16, number >>> 8, number)
  const body = joined(salt, counterMode(keys.encryption, joined(count, bytesOfText(text))))
  return version + base64url(joined(body, hmac(keys.authentication, body)))
}

function openSealed(blob, name, master) {
  const bytes = bytesOfBase64url(blob.slice(version.length))
  if (bytes === null || bytes.length < saltBytes + 4 + tagBytes) return null
  const body = bytes.subarray(0, bytes.length - tagBytes)
  const keys = derive(master, body.subarray(0, saltBytes), name)
  if (!areEqual(bytes.subarray(body.length), hmac(keys.authentication, body))) return null
  const plain = counterMode(keys.encryption, body.subarray(saltBytes))
  const text = textOfBytes(plain.subarray(4))
  return text === null ? null : { text, number: new DataView(plain.buffer).getUint32(0) }
}

/** A blob of the published recipe has no tag, and counts as readable when it is JSON. */
function openLegacy(blob, master) {
  const bytes = bytesOfHex(blob)
  const text = bytes && textOfBytes(counterMode(master, bytes))
  if (text == null) return null
  try {
    JSON.parse(text)
    return { text, number: 0 }
  } catch {
    return null
  }
}

/** The text of a blob with its number, or `null` when none of the keys opens it. */
export function open(blob, name, keys) {
  for (let index = keys.length - 1; index >= 0; index--) {
    const opened = blob.startsWith(version)
      ? openSealed(blob, name, keys[index])
      : openLegacy(blob, keys[index])
    if (opened) return { ...opened, keyIndex: index }
  }
  return null
}
