// What the published recipe and the healing store share: the cipher as aes-js 3.1 does it, and the
// order of writes. A save replaces the key first; until the blob is replaced, too, nothing opens
// it.
import 'react-native-get-random-values'
import AsyncStorage from '@react-native-async-storage/async-storage'
import * as SecureStore from 'expo-secure-store'
import { bytesOfText, counterMode, hexOfBytes } from './cipher.mjs'

/** aes-js reads pairs of digits as `parseInt` does, and refuses what gives no number. */
function bytesOfPairs(text) {
  const values = []
  for (let i = 0; i < text.length; i += 2) values.push(parseInt(text.slice(i, i + 2), 16))
  if (values.some((value) => !(value >= 0 && value <= 255))) {
    throw new Error('Array contains invalid value')
  }
  return Uint8Array.from(values)
}

/** aes-js decodes by hand, checks nothing, and knows no form of four bytes. */
function looseText(bytes) {
  const low = (i) => (bytes[i] ?? 0) & 0x3f
  let text = ''
  for (let i = 0; i < bytes.length; ) {
    const lead = bytes[i]
    if (lead < 128) {
      text += String.fromCharCode(lead)
      i += 1
    } else if (lead > 191 && lead < 224) {
      text += String.fromCharCode(((lead & 0x1f) << 6) | low(i + 1))
      i += 2
    } else {
      text += String.fromCharCode(((lead & 0x0f) << 12) | (low(i + 1) << 6) | low(i + 2))
      i += 3
    }
  }
  return text
}

export const readBlob = (name) => AsyncStorage.getItem(name)
export const readKey = (name) => SecureStore.getItemAsync(name)

export const decrypt = (blob, keyText) =>
  looseText(counterMode(bytesOfPairs(keyText), bytesOfPairs(blob)))

export async function save(name, text) {
  const key = crypto.getRandomValues(new Uint8Array(32))
  const blob = hexOfBytes(counterMode(key, bytesOfText(text)))
  await SecureStore.setItemAsync(name, hexOfBytes(key))
  await AsyncStorage.setItem(name, blob)
}

export async function remove(name) {
  await AsyncStorage.removeItem(name)
  await SecureStore.deleteItemAsync(name)
}
