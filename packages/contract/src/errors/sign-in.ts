import { createFail } from './define.ts';

/** The later steps of a sign-in, and second factors. */
export const SIGN_IN_ERRORS = {
  'auth.factor_required': {
    status: 401,
    message:
      'The second factor is still missing. Send it with the challenge to POST /auth/factor (POST /auth/browser/factor from a browser).',
  },
  'auth.factor_wrong': { status: 401, message: 'The code is wrong, or it has already been used.' },
  'auth.challenge_over': { status: 401, message: 'This sign-in has expired or was tried too often. Sign in again.' },
  'auth.passkey_wrong': {
    status: 401,
    message: 'This passkey is not registered here, or the challenge has expired. Try again.',
  },
  'auth.passkey_copied': {
    status: 401,
    message:
      'This passkey was used elsewhere in the meantime, so it may have been copied. Sign in another way and remove it.',
  },
  'password.change_required': {
    status: 403,
    message:
      'An administrator set your password. Change it first: with PUT /api/v3/profile/password, on the sign-in page, or with flotilla login.',
  },
  'sign_in.realm_unknown': {
    status: 400,
    message: 'This realm is unknown. GET /auth/realms lists the ways to sign in.',
  },
  'sign_in.directory_unavailable': {
    status: 503,
    message: 'The directory does not answer. Try again later, or sign in another way.',
  },
  'sign_in.name_taken': {
    status: 403,
    message:
      'An account with this name already exists and does not belong to this sign-in. An administrator can rename or delete it.',
  },
  'sign_in.name_unfit': {
    status: 403,
    message:
      'Your name in the directory is not a valid user name. An administrator can choose another attribute for names.',
  },
  'sign_in.again': {
    status: 403,
    message:
      'Sign in again first and do this within ten minutes, because this account has no password to confirm with.',
  },
  'sign_in.no_access': {
    status: 403,
    message: 'You are signed in to the directory, but none of your groups has a role here. Ask an administrator.',
  },
  'sign_in.provider_refused': {
    status: 401,
    message: 'The sign-in at the provider failed or has expired. Sign in again.',
  },
  'sign_in.no_address': {
    status: 409,
    message:
      'Providers need an address to send browsers back to. Set public_url in the general settings to the address that people open.',
  },
  'passkey.wrong': { status: 403, message: 'This passkey cannot be added, or the challenge has expired. Start again.' },
  'passkey.no_address': {
    status: 409,
    message:
      'Passkeys belong to an address. Set the one that people open in the general settings (public_url), or as SVC_PUBLIC_URL.',
  },
  'factor.wrong': { status: 403, message: 'The code is wrong, or it has already been used.' },
  'factor.exists': { status: 409, message: 'The second factor is already on. Turn it off first to set up another.' },
  'factor.not_started': {
    status: 409,
    message: 'No second factor is being set up. Start with POST /api/v3/profile/otp/enable.',
  },
  'factor.missing': { status: 409, message: 'There is no second factor to change.' },
  'factor.enforced': {
    status: 403,
    message:
      'A second factor is required for this account. It can be replaced after an administrator lifts the requirement or resets the factor.',
  },
  'factor.own': { status: 403, message: 'Turn your own second factor off with POST /api/v3/profile/otp/disable.' },
} as const;

export const failSignIn = createFail(SIGN_IN_ERRORS);
