// Stands in for expo-apple-authentication. Nobody sits before the phone: each sheet is cancelled.
import { phone } from './lab.mjs'

export const AppleAuthenticationScope = { FULL_NAME: 0, EMAIL: 1 }
export const AppleAuthenticationCredentialState = {
  REVOKED: 0, AUTHORIZED: 1, NOT_FOUND: 2, TRANSFERRED: 3,
}

export const isAvailableAsync = async () => phone.platform === 'ios'
export const getCredentialStateAsync = async () => AppleAuthenticationCredentialState.NOT_FOUND

export async function signInAsync() {
  throw Object.assign(new Error('The user canceled the authorization attempt'), {
    code: 'ERR_REQUEST_CANCELED',
  })
}
export const refreshAsync = signInAsync
export const signOutAsync = signInAsync
