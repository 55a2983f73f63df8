// Stands in for react-native-get-random-values: without this import there is no `crypto`.
import { randomBytes } from './lab.mjs'

const integers = [
  Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
  BigInt64Array, BigUint64Array,
]

export function getRandomValues(array) {
  if (!integers.some((kind) => array instanceof kind)) {
    throw new TypeError('Expected an integer array')
  }
  if (array.byteLength > 65536) {
    throw Object.assign(new Error('Can only request a maximum of 65536 bytes'), {
      name: 'QuotaExceededError',
    })
  }
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
  bytes.set(randomBytes(bytes.length))
  return array
}

globalThis.crypto ??= {}
globalThis.crypto.getRandomValues = getRandomValues
