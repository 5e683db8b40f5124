import { createFail } from './define.ts';

/** The steps of a sign-in after the first, and second factors. */
export const SIGN_IN_ERRORS = {
  'auth.factor_required': {
    status: 401,
    message:
      'The second factor is still missing. Send it with the challenge to POST /auth/factor (POST /auth/browser/factor from a browser).',
  },
  'auth.factor_wrong': { status: 401, message: 'The code is wrong, or it was used before.' },
  'auth.challenge_over': { status: 401, message: 'This sign-in has expired or was tried too often. Sign in again.' },
  'auth.passkey_wrong': {
    status: 401,
    message: 'This passkey does not sign in here, or its question is over. Try again.',
  },
  'auth.passkey_copied': {
    status: 401,
    message:
      'This passkey was used elsewhere in the meantime: it may have been copied. Sign in another way and remove it.',
  },
  'password.change_required': {
    status: 403,
    message:
      'An administrator chose your password. Change it first: PUT /api/v3/profile/password, on the sign-in page, or flotilla login.',
  },
  'sign_in.realm_unknown': { status: 400, message: 'Nobody signs in there. GET /auth/realms has the ways to sign in.' },
  'sign_in.directory_unavailable': {
    status: 503,
    message: 'The directory does not answer. Try again later, or sign in another way.',
  },
  'sign_in.name_taken': {
    status: 403,
    message:
      'There is an account of this name already, which this sign-in does not belong to. An administrator can rename or delete it.',
  },
  'sign_in.name_unfit': {
    status: 403,
    message:
      'The directory calls you by a name that no account may have. An administrator can choose another attribute for names.',
  },
  'sign_in.again': {
    status: 403,
    message:
      'Sign in again first, and then do this within ten minutes: this account has no password that could be asked for.',
  },
  'sign_in.no_access': {
    status: 403,
    message: 'Who you are is clear, but no group of yours may work here. Ask an administrator.',
  },
  'sign_in.provider_refused': { status: 401, message: 'The sign-in at the provider failed or is over. Sign in again.' },
  'sign_in.no_address': {
    status: 409,
    message:
      'Providers send browsers back to an address. Set public_url in the general settings to the one that people open.',
  },
  'passkey.wrong': { status: 403, message: 'This passkey cannot be added, or its question is over. Begin again.' },
  'passkey.no_address': {
    status: 409,
    message:
      'Passkeys belong to an address: set the one that people open in the general settings (public_url), or as SVC_PUBLIC_URL.',
  },
  'factor.wrong': { status: 403, message: 'The code is wrong, or it was used before.' },
  'factor.exists': { status: 409, message: 'The second factor is on already. Switch it off first to set up another.' },
  'factor.not_started': {
    status: 409,
    message: 'No second factor is being set up. Begin at POST /api/v3/profile/otp/enable.',
  },
  'factor.missing': { status: 409, message: 'There is no second factor here to change.' },
  'factor.enforced': {
    status: 403,
    message:
      'A second factor is required for this account. It can be replaced after an administrator lifts that or resets it.',
  },
  'factor.own': { status: 403, message: 'Switch your own second factor off at POST /api/v3/profile/otp/disable.' },
} as const;

export const failSignIn = createFail(SIGN_IN_ERRORS);
