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
  'passkey.wrong': { status: 403, message: 'This passkey cannot be added, or its question is over. Begin again.' },
  'passkey.no_address': {
    status: 409,
    message: 'Passkeys belong to an address. Set SVC_PUBLIC_URL of the controller to the one that people open.',
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
