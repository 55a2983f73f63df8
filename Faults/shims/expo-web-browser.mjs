// Stands in for expo-web-browser. Nobody sits before the phone: a page that is opened is closed
// again.
import { call } from './lab.mjs'

export const WebBrowserResultType = {
  CANCEL: 'cancel', DISMISS: 'dismiss', OPENED: 'opened', LOCKED: 'locked',
}

export const openAuthSessionAsync = (url, redirectUrl = null) =>
  call('webBrowser.openAuthSession', url, redirectUrl)
export const openBrowserAsync = async () => ({ type: WebBrowserResultType.CANCEL })
export const dismissBrowser = async () => ({ type: WebBrowserResultType.DISMISS })
export const dismissAuthSession = () => {}
export const warmUpAsync = async () => ({})
export const coolDownAsync = async () => ({})
export const maybeCompleteAuthSession = () => ({
  type: 'failed', message: 'Not supported on this platform',
})
