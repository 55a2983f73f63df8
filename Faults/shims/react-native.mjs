// Stands in for the parts of react-native that a session store touches.
import { listen, phone } from './lab.mjs'

export const AppState = {
  get currentState() {
    return phone.state
  },
  isAvailable: true,
  addEventListener: (event, listener) =>
    event === 'change' ? listen('change', listener) : { remove: () => {} },
}

export const Linking = {
  getInitialURL: async () => phone.url,
  addEventListener: (event, listener) => listen(event, listener),
  canOpenURL: async () => false,
  openURL: async (url) => {
    throw new Error(`Unable to open URL: ${url}`)
  },
}

export const Platform = {
  get OS() {
    return phone.platform
  },
  select: (choices) => choices[phone.platform] ?? choices.native ?? choices.default,
}

export default { AppState, Linking, Platform }
