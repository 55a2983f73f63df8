// A session store that loses nothing: one long-lived key in SecureStore, and two places in
// AsyncStorage for an authenticated blob, which saves replace in turn.
//
// It reads and writes what the durable store of lab does; Sources/Session/DurableStore.md says why
// nothing is lost. Copy this file, durable-format.mjs and cipher.mjs into an app.
import 'react-native-get-random-values'
import AsyncStorage from '@react-native-async-storage/async-storage'
import * as SecureStore from 'expo-secure-store'
import { AppState } from 'react-native'
import { bytesOfText } from './cipher.mjs'
import { itemOfKeys, keyBytes, keysOfItem, open, saltBytes, seal } from './durable-format.mjs'

/** The longest text: its blob still fits into a row that Android reads. */
const textBytesMax = 1_400_000
/** How long a system may take to write back what nobody has synced, twice over. */
const writeBackMs = 60_000

const places = (name) => [name, name + '.2']
const randomBytes = (count) => crypto.getRandomValues(new Uint8Array(count))
const isInForeground = () => AppState.currentState === 'active'
const undecided = () => new Error('the halves do not fit together, which proves nothing yet')

export class DurableStore {
  /** Told once when an item was removed because nothing could ever have read it. */
  onHeal = (_item, _reason) => {}
  #turn = Promise.resolve()
  #known = new Map()

  getItem(name) {
    return this.#inTurn(async () => {
      const look = await this.#look(name)
      const found = this.#judge(look, name)
      if (found.is === 'absent') return null
      if (found.is === 'broken') {
        await this.#cleanOut(name, look, found.reason)
        return null
      }
      if (found.opened.number === 0) await this.#migrate(name, found.opened.text)
      return found.opened.text
    })
  }

  /** Whatever is thrown, the session of before still reads. */
  setItem(name, text) {
    return this.#inTurn(async () => {
      const bytes = bytesOfText(text).length
      if (bytes > textBytesMax) {
        throw new Error(
          `value of ${bytes} bytes is over the ${textBytesMax} bytes that one item takes`)
      }
      await this.#save(name, text)
    })
  }

  removeItem(name) {
    return this.#inTurn(() => this.#erase(name))
  }

  /**
   * Takes one step of replacing an item's master key; to be called at three launches.
   *
   * Answers `begun`, `moved` or `finished`; again the same when it needs a later launch.
   */
  rotateKey(name) {
    return this.#inTurn(async () => {
      const look = await this.#look(name)
      const found = this.#judge(look, name)
      const known = this.#known.get(name)
      if (found.is !== 'readable' || !known?.newest) throw undecided()
      const keys = keysOfItem(look.key.text)
      if (keys.length === 1) {
        await this.#storeKeys(name, [keys[0], randomBytes(keyBytes)])
        this.#known.get(name).addedKey = true
        return 'begun'
      }
      if (known.addedKey) return 'begun'
      if (found.opened.keyIndex !== 1) {
        await this.#write(name, found.opened.text, keys[1], 1 - known.newest.place)
        return 'moved'
      }
      if (known.wroteBlob) return 'moved'
      await this.#storeKeys(name, [keys[1]])
      return 'finished'
    })
  }

  /** One call after the other, over all items. */
  #inTurn(body) {
    const result = this.#turn.then(body)
    this.#turn = result.then(() => {}, () => {})
    return result
  }

  // MARK: Looking

  async #look(name) {
    const blobs = []
    for (const place of places(name)) blobs.push((await AsyncStorage.getItem(place)) || null)
    return { blobs, key: await this.#keyAnswer(name) }
  }

  /** What the key half answers; where it rejects, the key of this process stands in. */
  async #keyAnswer(name) {
    try {
      const text = await SecureStore.getItemAsync(name)
      return { is: text == null ? 'none' : 'text', text: text ?? null }
    } catch (error) {
      if (error.code === 'ERR_DECRYPT') return { is: 'undecryptable', text: null }
      const known = this.#known.get(name)
      if (!known) throw error
      return { is: 'remembered', text: known.keyText, error }
    }
  }

  #judge(look, name) {
    if (look.blobs.every((blob) => blob === null)) {
      return look.key.is === 'none' ? { is: 'absent' } : broken('no blob for the stored key')
    }
    if (look.key.text === null) return broken('no key for the stored blob')
    const keys = keysOfItem(look.key.text)
    let newest = null
    look.blobs.forEach((blob, place) => {
      const opened = keys && blob !== null ? open(blob, name, keys) : null
      if (opened && opened.number >= (newest?.opened.number ?? 0)) newest = { place, opened }
    })
    if (!newest) return broken('the stored key does not open the blob')
    this.#remember(name, look.key.text)
    const known = this.#known.get(name)
    if (known.newest?.number !== newest.opened.number) {
      known.newest = { place: newest.place, number: newest.opened.number, writtenAtMs: null }
    }
    return { is: 'readable', opened: newest.opened }
  }

  #remember(name, keyText) {
    if (this.#known.get(name)?.keyText === keyText) return
    this.#known.set(name, {
      keyText, addedKey: false, wroteBlob: false, newest: null, refused: new Set(),
    })
  }

  // MARK: Changing

  /** Into the place of the older session; into both when there is none that opens. */
  async #save(name, text) {
    const key = await this.#keyForSave(name)
    if (!this.#known.get(name).newest) this.#judge(await this.#look(name), name)
    const newest = this.#known.get(name).newest
    if (!newest) {
      await this.#write(name, text, key, 0)
      await this.#write(name, text, key, 1)
      return
    }
    // One that was written just now may not be durable, and the other one is.
    const age = newest.writtenAtMs === null ? -1 : Date.now() - newest.writtenAtMs
    const isDurable = !(age >= 0 && age < writeBackMs)
    await this.#write(name, text, key, isDurable ? 1 - newest.place : newest.place)
  }

  /** Makes a key where it is proven that there is none. */
  async #keyForSave(name) {
    const answer = await this.#keyAnswer(name)
    const keys = answer.text === null ? null : keysOfItem(answer.text)
    if (keys) {
      this.#remember(name, answer.text)
      return keys[this.#known.get(name).addedKey ? 0 : keys.length - 1]
    }
    if (!isInForeground() || !isSame(await this.#keyAnswer(name), answer)) throw undecided()
    const key = randomBytes(keyBytes)
    await this.#storeKeys(name, [key])
    return key
  }

  /** Stores the key half and reads it back: some SecureStores resolve without storing. */
  async #storeKeys(name, keys) {
    const text = itemOfKeys(keys)
    await SecureStore.setItemAsync(name, text)
    if ((await SecureStore.getItemAsync(name)) !== text) {
      throw new Error('the key half does not read back as it was written')
    }
    this.#remember(name, text)
  }

  async #write(name, text, key, place) {
    const known = this.#known.get(name)
    const number = (known.newest?.number ?? 0) + 1
    const blob = seal(text, number, name, key, randomBytes(saltBytes))
    known.wroteBlob = true
    const item = places(name)[place]
    // AsyncStorage may have taken a refused write into its memory, and would not write its index.
    if (known.refused.has(place)) await AsyncStorage.removeItem(item)
    known.refused.add(place)
    await AsyncStorage.setItem(item, blob)
    known.refused.delete(place)
    known.newest = { place, number, writtenAtMs: Date.now() }
  }

  /** A blob of the recipe is sealed anew; the text has been read, so a failure only puts it off. */
  async #migrate(name, text) {
    try {
      await this.#save(name, text)
    } catch (error) {
      console.warn(
        `[DurableStore] the old blob stays for now { key: '${name}', err: ${error.message} }`)
    }
  }

  /** Removes what will never be read again, once a second look says the same. */
  async #cleanOut(name, look, reason) {
    if (look.key.is === 'remembered') throw look.key.error
    if (!isInForeground() || !isSameLook(await this.#look(name), look)) throw undecided()
    await this.#erase(name)
    console.warn(
      '[DurableStore] unreadable for good, both halves are removed '
        + `{ key: '${name}', err: ${reason} }`)
    this.onHeal(name, reason)
  }

  /** The key first: without it nothing opens. Each half is read back. */
  async #erase(name) {
    await SecureStore.deleteItemAsync(name)
    const answer = await this.#keyAnswer(name)
    if (answer.is === 'remembered') throw answer.error
    if (answer.is !== 'none') throw new Error('the key half is still there after its removal')
    this.#known.delete(name)
    for (const place of places(name)) {
      await AsyncStorage.removeItem(place)
      if (await AsyncStorage.getItem(place)) {
        throw new Error('the blob half is still there after its removal')
      }
    }
  }
}

const broken = (reason) => ({ is: 'broken', reason })
const isSame = (one, other) =>
  one.is === other.is && one.text === other.text && one.error?.message === other.error?.message
const isSameLook = (one, other) =>
  one.blobs.every((blob, place) => blob === other.blobs[place]) && isSame(one.key, other.key)

export default new DurableStore()
