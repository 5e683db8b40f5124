import { createFail } from './define.ts';

/** Backups, and what is refused of one before anything is changed. */
export const BACKUP_ERRORS = {
  'backup.not_a_backup': { status: 400, message: 'This is not a backup of Flotilla.' },
  'backup.truncated': { status: 400, message: 'The backup ends too early. Fetch the whole file again.' },
  'backup.tampered': { status: 400, message: 'The backup is not as it was written: {reason}. Use another one.' },
  'backup.wrong_passphrase': { status: 400, message: 'The pass phrase does not open this backup.' },
  'backup.passphrase_needed': { status: 400, message: 'This backup is encrypted with a pass phrase. Give it.' },
  'backup.foreign_signer': {
    status: 409,
    message:
      'Another installation has signed this backup, with the key {fingerprint}. Name this fingerprint to trust it, if it is the one that you expect.',
  },
  'backup.foreign_key': {
    status: 409,
    message: 'This backup is sealed for the installation that made it and opens there alone.',
  },
  'backup.too_new': {
    status: 409,
    message: 'A newer Flotilla ({app_version}) has made this backup. Upgrade this one first.',
  },
  'backup.too_old': {
    status: 409,
    message:
      'An older Flotilla ({app_version}, last migration {migration}) has made this backup. Restore it with that version, then upgrade.',
  },
  'backup.too_large': { status: 400, message: 'The backup holds more than is read of one: {what}.' },
  'backup.wrong_kind': { status: 409, message: 'This is a backup of {kind}: it cannot be restored here.' },
  'backup.not_empty': {
    status: 409,
    message: 'An installation is restored into an empty database only; this one has {what}.',
  },
  'backup.plan_changed': {
    status: 409,
    message: 'What the restore would do has changed since the plan was made. Look at the new plan.',
  },
  'backup.choice_refused': {
    status: 400,
    message: 'What was chosen for {section} {record} cannot be done: {reason}. Choose anew.',
  },
  'backup.name_taken': {
    status: 409,
    message: 'In {section}, {record} cannot be restored as {name}: that name is taken, too. Give another one.',
  },
  'backup.busy': { status: 503, message: 'Other backups are being restored or looked at. Try again in a moment.' },
  'backup.not_ready': { status: 409, message: 'The backup is {status}.' },
  'backup.file_elsewhere': {
    status: 409,
    message: 'The file does not lie at this controller. Ask the one that has made it.',
  },
  'backup.owner_passphrase': {
    status: 403,
    message:
      'Whoever knows the pass phrase of a backup can read every secret in it, so only an owner of the installation sets one. Leave it out: the backup is then sealed for this installation, or make one without secrets.',
  },
} as const;

export const failBackup = createFail(BACKUP_ERRORS);
