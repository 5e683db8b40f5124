import { Buffer } from 'node:buffer';
import type { EncryptedColumn } from '../../../platform/features/index.ts';
import type { Cipher } from '../../../platform/keyring/cipher.ts';

export type BackupRow = Readonly<Record<string, unknown>>;
/**
 * Converts a column that is encrypted with the keys of the installation. A backup contains the plain value, protected by the
 * encryption of the backup itself. The installation that restores it encrypts the value with its own keys.
 */
export interface ColumnCipher {
  decrypt(keyring: Cipher, row: BackupRow): BackupRow;
  encrypt(keyring: Cipher, row: BackupRow): BackupRow;
  /** Removes the value, for a backup without secrets. */
  remove(row: BackupRow): BackupRow;
}

export function toColumnCipher({ column, kind, context }: EncryptedColumn): ColumnCipher {
  switch (kind) {
    case 'bytes':
      return bytesCipher(column, (row) => context(row, ''));
    case 'secret':
      return secretCipher((row) => context(row, ''));
    case 'files':
      return filesCipher(context);
  }
}

/** For a bytea column: hex in the JSON of PostgreSQL, base64 in the backup. */
function bytesCipher(column: string, contextOf: (row: BackupRow) => string): ColumnCipher {
  return {
    decrypt: (keyring, row) => {
      const sealed = row[column];
      if (sealed === null) return row;
      const bytes = Buffer.from(String(sealed).slice('\\x'.length), 'hex');
      return { ...row, [column]: keyring.decrypt(bytes, contextOf(row)).toString('base64') };
    },
    encrypt: (keyring, row) => {
      const open = row[column];
      if (open === null || open === undefined) return row;
      const sealed = keyring.encrypt(Buffer.from(String(open), 'base64'), contextOf(row));
      return { ...row, [column]: `\\x${sealed.toString('hex')}` };
    },
    remove: (row) => ({ ...row, [column]: null }),
  };
}

interface EncryptedValue {
  readonly sealed?: string;
  readonly open?: string;
}

/** For the member `sealed` of the JSON column `value`. Rows without it do not change. */
function secretCipher(contextOf: (row: BackupRow) => string): ColumnCipher {
  return {
    decrypt: (keyring, row) => {
      const { sealed, ...rest } = (row.value ?? {}) as EncryptedValue;
      if (sealed === undefined) return row;
      const open = keyring.decrypt(Buffer.from(sealed, 'base64'), contextOf(row)).toString('base64');
      return { ...row, value: { ...rest, open } };
    },
    encrypt: (keyring, row) => {
      const { open, ...rest } = (row.value ?? {}) as EncryptedValue;
      if (open === undefined) return row;
      const sealed = keyring.encrypt(Buffer.from(open, 'base64'), contextOf(row)).toString('base64');
      return { ...row, value: { ...rest, sealed } };
    },
    remove: (row) => ({ ...row, value: {} }),
  };
}

interface PolicyFile {
  readonly path: string;
  readonly sealed_base64?: string;
  readonly open_base64?: string;
}

/** For the secret files of a policy. */
function filesCipher(contextOf: (row: BackupRow, path: string) => string): ColumnCipher {
  const map = (row: BackupRow, change: (file: PolicyFile) => PolicyFile): BackupRow => ({
    ...row,
    files: (row.files as readonly PolicyFile[]).map(change),
  });
  return {
    decrypt: (keyring, row) =>
      map(row, ({ sealed_base64, ...file }) => {
        if (sealed_base64 === undefined) return file;
        const open = keyring.decrypt(Buffer.from(sealed_base64, 'base64'), contextOf(row, file.path));
        return { ...file, open_base64: open.toString('base64') };
      }),
    encrypt: (keyring, row) =>
      map(row, ({ open_base64, ...file }) => {
        if (open_base64 === undefined) return file;
        const sealed = keyring.encrypt(Buffer.from(open_base64, 'base64'), contextOf(row, file.path));
        return { ...file, sealed_base64: sealed.toString('base64') };
      }),
    remove: (row) => ({
      ...row,
      files: (row.files as readonly PolicyFile[]).filter((file) => file.sealed_base64 === undefined),
    }),
  };
}
