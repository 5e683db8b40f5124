import { createFail } from './define.ts';

export const SETTING_ERRORS = {
  'setting.of_installation': {
    status: 400,
    message: 'The settings "{key}" belong to the whole installation. Leave the project out of the request.',
  },
  'setting.secrets_again': {
    status: 409,
    message: '{fields} says where {secrets} is sent. Send the secret again, or null, together with the new address.',
  },
  'setting.locks_out': {
    status: 409,
    message:
      '{people} people sign in with passkeys of {host} and have no codes. Another address locks them out. Send confirm={people} to do it anyway.',
  },
  'setting.no_owner_left': {
    status: 409,
    message:
      'No owner of the installation could sign in any more. First add an owner whose account does not depend on this.',
  },
  'setting.no_test': { status: 404, message: 'The settings "{key}" cannot be tested.' },
  'setting.busy': { status: 429, message: 'These settings are already being tested. Wait until that has finished.' },
  'threat_feed.too_many': {
    status: 400,
    message: 'A feed can have at most {max} entries. Split the file, or leave out old entries.',
  },
  'threat_feed.too_many_feeds': {
    status: 409,
    message: 'There are {max} feeds here already. Delete one first.',
  },
  'threat_feed.too_many_entries': {
    status: 409,
    message: 'The feeds of a project can have at most {max} entries in total. Delete a feed, or upload a smaller one.',
  },
  'threat_feed.empty': {
    status: 400,
    message: 'The file contains no address and no network. Write each on a line of its own.',
  },
  'upload.busy': {
    status: 429,
    message: 'There are already {max} uploads to this place. Try again when one of them has ended.',
  },
  'geoip.invalid': { status: 400, message: 'The file is not a valid database of this kind: {reason}.' },
  'geoip.not_fetched': {
    status: 503,
    message: 'The file could not be fetched: {reason}. The previous database stays in use.',
  },
  'geoip.digest': {
    status: 409,
    message: 'The fetched file has the SHA-256 {sha256}, not the requested one. The previous database stays in use.',
  },
  'setting.too_many': { status: 409, message: 'The project already has {max} of these. Delete one first.' },
} as const;

export const failSetting = createFail(SETTING_ERRORS);
