// The recipe, but a read that fails removes both halves and answers with nothing. Known-bad: a key
// that does not fit is no failure, and a locked keychain is one.
import { decrypt, readBlob, readKey, remove, save } from './halves.mjs'

export class HealingStore {
  async getItem(name) {
    try {
      const blob = await readBlob(name)
      if (!blob) return blob
      const key = await readKey(name)
      if (!key) throw new Error('no key for the stored blob')
      return decrypt(blob, key)
    } catch (error) {
      console.warn('[LargeSecureStore] getItem failed, clearing both halves', error.message)
      await remove(name)
      return null
    }
  }

  async setItem(name, text) {
    await save(name, text)
  }

  async removeItem(name) {
    await remove(name)
  }
}

export default new HealingStore()
