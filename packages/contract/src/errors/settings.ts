import { createFail } from './define.ts';

/** Settings documents. */
export const SETTING_ERRORS = {
  'setting.of_installation': {
    status: 400,
    message: 'The settings "{key}" are those of the whole installation. Leave the project out of the request.',
  },
  'setting.secrets_again': {
    status: 409,
    message: '{fields} says where {secrets} is sent. Give the secret again, or null, together with the new address.',
  },
  'setting.locks_out': {
    status: 409,
    message:
      '{people} people sign in with passkeys of {host} and have no codes: with another address they are locked out. Send confirm={people} if that is meant.',
  },
  'setting.no_owner_left': {
    status: 409,
    message:
      'No owner of the installation could sign in any more. Have somebody be an owner first whose account does not depend on this.',
  },
  'setting.no_test': { status: 404, message: 'There is nothing to try in the settings "{key}".' },
  'setting.busy': { status: 429, message: 'These settings are being tried already. Wait until that is done.' },
  'threat_feed.too_many': {
    status: 400,
    message: 'A feed has {max} entries at most. Split the file, or leave out what is old.',
  },
  'threat_feed.empty': {
    status: 400,
    message: 'The file holds no address and no network. Each stands on a line of its own.',
  },
  'geoip.invalid': { status: 400, message: 'The file is not a database of this kind: {reason}.' },
  'geoip.not_fetched': {
    status: 503,
    message: 'The file could not be fetched: {reason}. What was there before stays.',
  },
  'geoip.digest': {
    status: 409,
    message:
      'The file that was fetched has the SHA-256 {sha256}, not the one that was asked for. What was there before stays.',
  },
  'setting.too_many': { status: 409, message: 'There are {max} of these in the project already. Remove one first.' },
} as const;

export const failSetting = createFail(SETTING_ERRORS);
