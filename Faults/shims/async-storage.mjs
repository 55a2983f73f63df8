// Stands in for @react-native-async-storage/async-storage: the default export of 2.x and 3.x.
import { call } from './lab.mjs'

function checkKey(key) {
  if (typeof key !== 'string') {
    console.warn(
      `[AsyncStorage] Using ${typeof key} type for key is not supported. This can lead to `
        + `unexpected behavior/exceptions. Use string instead.\nKey passed: ${key}\n`)
  }
  return String(key)
}

function checkValue(key, value) {
  if (value == null) {
    throw new Error(
      '[AsyncStorage] Passing null/undefined as value is not supported. If you want to remove '
        + `value, Use .removeItem method instead.\nPassed value: ${value}\nPassed key: ${key}\n`)
  }
  if (typeof value !== 'string') throw new Error('Invalid Value')
  return Buffer.from(value).toString()
}

/** The old form with a callback, which is told beside the promise. */
function told(promise, callback) {
  if (typeof callback === 'function') {
    promise.then((value) => callback(null, value), (error) => callback(error))
  }
  return promise
}

const AsyncStorage = {
  getItem: (key, callback) =>
    told((async () => call('asyncStorage.getItem', checkKey(key)))(), callback),
  setItem: (key, value, callback) =>
    told(
      (async () => void (await call(
        'asyncStorage.setItem', checkKey(key), checkValue(key, value))))(),
      callback),
  removeItem: (key, callback) =>
    told((async () => void (await call('asyncStorage.removeItem', checkKey(key))))(), callback),
  mergeItem: (key, value, callback) =>
    told(
      (async () => void (await call(
        'asyncStorage.mergeItem', checkKey(key), checkValue(key, value))))(),
      callback),
  clear: (callback) => told((async () => void (await call('asyncStorage.clear')))(), callback),
  getAllKeys: (callback) => told(call('asyncStorage.getAllKeys'), callback),
  flushGetRequests: () => {},
  multiGet: (keys, callback) =>
    told(
      (async () => {
        const values = new Map(await call('asyncStorage.multiGet', keys.map(checkKey)))
        return keys.map((key) => [key, values.get(key) ?? null])
      })(),
      callback),
  multiSet: (pairs, callback) =>
    told(
      (async () => void (await call(
        'asyncStorage.multiSet',
        pairs.map(([key, value]) => [checkKey(key), checkValue(key, value)]))))(),
      callback),
  multiRemove: (keys, callback) =>
    told(
      (async () => void (await call('asyncStorage.multiRemove', keys.map(checkKey))))(), callback),
  multiMerge: (pairs, callback) =>
    told(
      (async () => void (await call(
        'asyncStorage.multiMerge',
        pairs.map(([key, value]) => [checkKey(key), checkValue(key, value)]))))(),
      callback),
}

export const useAsyncStorage = (key) => ({
  getItem: (callback) => AsyncStorage.getItem(key, callback),
  setItem: (value, callback) => AsyncStorage.setItem(key, value, callback),
  mergeItem: (value, callback) => AsyncStorage.mergeItem(key, value, callback),
  removeItem: (callback) => AsyncStorage.removeItem(key, callback),
})

export default AsyncStorage
