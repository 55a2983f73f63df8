// Stands in for expo-secure-store: names, checks, codes and texts of its JavaScript; the rest is
// the phone's own module. Without `keychainAccessible` an item gets the class that the phone's
// settings say.
import { call, phone } from './lab.mjs'

const limitBytes = 2048

export const AFTER_FIRST_UNLOCK = 0
export const AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY = 1
export const ALWAYS = 2
export const WHEN_PASSCODE_SET_THIS_DEVICE_ONLY = 3
export const ALWAYS_THIS_DEVICE_ONLY = 4
export const WHEN_UNLOCKED = 5
export const WHEN_UNLOCKED_THIS_DEVICE_ONLY = 6

// The keychain's classes, by the constants above.
const classes = ['ck', 'cku', 'dk', 'akpu', 'dku', 'ak', 'aku']

export const isAvailableAsync = async () => true
export const canUseBiometricAuthentication = () => false

export async function getItemAsync(key, options) {
  await check(key, options)
  return call('secureStore.getItem', key)
}

export async function setItemAsync(key, value, options) {
  await check(key, options)
  if (typeof value !== 'string') {
    throw new Error(
      'Invalid value provided to SecureStore. Values must be strings; consider JSON-encoding your '
        + 'values if they are serializable.')
  }
  checkSize(Buffer.byteLength(value))
  await call('secureStore.setItem', key, Buffer.from(value).toString(), await classOf(options))
}

export async function deleteItemAsync(key, options) {
  await check(key, options)
  await call('secureStore.deleteItem', key)
}

export const getItem = () => unsupported('getItem')
export const setItem = () => unsupported('setItem')

function unsupported(name) {
  const words = `SecureStore.${name}, which does not wait (${name}Async does)`
  call('unsupported', words)
  throw new Error(`lab: ${words}, is not modelled`)
}

// What the phone of the lab cannot do ends the run: a store that caught an error of ours would be
// judged by it.
async function check(key, options) {
  if (typeof key !== 'string' || !/^[\w.-]+$/.test(key)) {
    throw new Error(
      'Invalid key provided to SecureStore. Keys must not be empty and contain only alphanumeric '
        + 'characters, ".", "-", and "_".')
  }
  for (const name of ['keychainService', 'requireAuthentication', 'accessGroup']) {
    if (options?.[name]) await call('unsupported', `the option ${name} of SecureStore`)
  }
}

/** Android has no such option, and passes it over. */
async function classOf(options) {
  const value = options?.keychainAccessible
  if (value == null || phone.platform !== 'ios') return null
  if (typeof classes[value] !== 'string') {
    await call('unsupported', `the option keychainAccessible of SecureStore as ${value}`)
  }
  return classes[value]
}

function checkSize(bytes) {
  if (bytes <= limitBytes || phone.sizeRule === 'off') return
  if (phone.sizeRule === 'enforce') {
    throw new Error(`value of ${bytes} bytes is over the ${limitBytes} bytes that one item takes`)
  }
  console.warn(
    'Value being stored in SecureStore is larger than 2048 bytes and it may not be stored '
      + 'successfully. In a future SDK version, this call may throw an error.')
}
