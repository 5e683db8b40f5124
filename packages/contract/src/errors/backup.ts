import { createFail } from './define.ts';

/** The controller refuses a backup with these before it changes anything. */
export const BACKUP_ERRORS = {
  'backup.not_a_backup': { status: 400, message: 'This file is not a Flotilla backup.' },
  'backup.truncated': { status: 400, message: 'The backup is incomplete. Download the whole file again.' },
  'backup.tampered': {
    status: 400,
    message: 'The backup was changed after it was written: {reason}. Use another one.',
  },
  'backup.wrong_passphrase': { status: 400, message: 'The passphrase does not open this backup.' },
  'backup.passphrase_needed': {
    status: 400,
    message: 'This backup is encrypted with a passphrase. Send it as passphrase.',
  },
  'backup.foreign_signer': {
    status: 409,
    message:
      'Another installation signed this backup with the key {fingerprint}. If you expect that key, send its fingerprint to trust it.',
  },
  'backup.foreign_key': {
    status: 409,
    message: 'This backup is encrypted for the installation that made it. Only that installation can open it.',
  },
  'backup.too_new': {
    status: 409,
    message: 'A newer Flotilla ({app_version}) made this backup. Upgrade this installation first.',
  },
  'backup.too_old': {
    status: 409,
    message:
      'An older Flotilla ({app_version}, last migration {migration}) made this backup. Restore it with that version, then upgrade.',
  },
  'backup.too_large': { status: 400, message: 'The backup exceeds a limit: {what}.' },
  'backup.wrong_kind': { status: 409, message: 'This is a backup of {kind}. It cannot be restored here.' },
  'backup.not_empty': {
    status: 409,
    message: 'An installation can only be restored into an empty database. This one has {what}.',
  },
  'backup.busy': { status: 503, message: 'Other backups are being read or restored. Try again in a moment.' },
  'backup.not_ready': { status: 409, message: 'The backup is {status}.' },
  'backup.file_elsewhere': {
    status: 409,
    message: 'This controller does not have the file. Ask the controller that made it.',
  },
  'backup.owner_passphrase': {
    status: 403,
    message:
      'Only an owner of the installation may set a passphrase, because anyone who knows it can read every secret in the backup. Leave it out to encrypt the backup for this installation, or make one without secrets.',
  },
} as const;

export const failBackup = createFail(BACKUP_ERRORS);
