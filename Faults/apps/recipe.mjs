// The store that Supabase's Expo tutorial publishes, as a shape: a new AES key in SecureStore for
// each save, the session under it in AsyncStorage. Known-bad: a kill between the two writes loses
// it.
//
//   lab shims shims
//   lab run torn-save --app 'node --import ./shims/register.mjs shims/apps/recipe.mjs'
import { decrypt, readBlob, readKey, remove, save } from './halves.mjs'

export class LargeSecureStore {
  async getItem(name) {
    const blob = await readBlob(name)
    if (!blob) return blob
    const key = await readKey(name)
    if (!key) return key
    return decrypt(blob, key)
  }

  async setItem(name, text) {
    await save(name, text)
  }

  async removeItem(name) {
    await remove(name)
  }
}

export default new LargeSecureStore()
