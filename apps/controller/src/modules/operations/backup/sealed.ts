import { Buffer } from 'node:buffer';
import type { EncryptedColumn } from '../../../platform/features/index.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';

export type BackupRow = Readonly<Record<string, unknown>>;
type Seal = Pick<Keyring, 'seal' | 'unseal'>;

/**
 * Where a row holds what is sealed by the keys of its installation. In a backup it lies open, within the encryption of the
 * backup itself, and is sealed anew where it is restored.
 */
export interface SealedPlace {
  open(keyring: Seal, row: BackupRow): BackupRow;
  close(keyring: Seal, row: BackupRow): BackupRow;
  /** For a backup without secrets. */
  drop(row: BackupRow): BackupRow;
}

export function toSealedPlace({ column, kind, context }: EncryptedColumn): SealedPlace {
  switch (kind) {
    case 'bytes':
      return sealedColumn(column, (row) => context(row, ''));
    case 'secret':
      return inValue((row) => context(row, ''));
    case 'files':
      return inFiles(context);
  }
}

/** A bytea column, as PostgreSQL writes it in JSON; in the backup base64. */
function sealedColumn(column: string, contextOf: (row: BackupRow) => string): SealedPlace {
  return {
    open: (keyring, row) => {
      const sealed = row[column];
      if (sealed === null) return row;
      const bytes = Buffer.from(String(sealed).slice('\\x'.length), 'hex');
      return { ...row, [column]: keyring.unseal(bytes, contextOf(row)).toString('base64') };
    },
    close: (keyring, row) => {
      const open = row[column];
      if (open === null || open === undefined) return row;
      const sealed = keyring.seal(Buffer.from(String(open), 'base64'), contextOf(row));
      return { ...row, [column]: `\\x${sealed.toString('hex')}` };
    },
    drop: (row) => ({ ...row, [column]: null }),
  };
}

interface SealedValue {
  readonly sealed?: string;
  readonly open?: string;
}

/** The member `sealed` of the JSON column `value`; rows without one stay as they are. */
function inValue(contextOf: (row: BackupRow) => string): SealedPlace {
  return {
    open: (keyring, row) => {
      const { sealed, ...rest } = (row.value ?? {}) as SealedValue;
      if (sealed === undefined) return row;
      const open = keyring.unseal(Buffer.from(sealed, 'base64'), contextOf(row)).toString('base64');
      return { ...row, value: { ...rest, open } };
    },
    close: (keyring, row) => {
      const { open, ...rest } = (row.value ?? {}) as SealedValue;
      if (open === undefined) return row;
      const sealed = keyring.seal(Buffer.from(open, 'base64'), contextOf(row)).toString('base64');
      return { ...row, value: { ...rest, sealed } };
    },
    drop: (row) => ({ ...row, value: {} }),
  };
}

interface PolicyFile {
  readonly path: string;
  readonly sealed_base64?: string;
  readonly open_base64?: string;
}

/** Files of a policy that are secrets. */
function inFiles(contextOf: (row: BackupRow, path: string) => string): SealedPlace {
  const map = (row: BackupRow, change: (file: PolicyFile) => PolicyFile): BackupRow => ({
    ...row,
    files: (row.files as readonly PolicyFile[]).map(change),
  });
  return {
    open: (keyring, row) =>
      map(row, ({ sealed_base64, ...file }) => {
        if (sealed_base64 === undefined) return file;
        const open = keyring.unseal(Buffer.from(sealed_base64, 'base64'), contextOf(row, file.path));
        return { ...file, open_base64: open.toString('base64') };
      }),
    close: (keyring, row) =>
      map(row, ({ open_base64, ...file }) => {
        if (open_base64 === undefined) return file;
        const sealed = keyring.seal(Buffer.from(open_base64, 'base64'), contextOf(row, file.path));
        return { ...file, sealed_base64: sealed.toString('base64') };
      }),
    drop: (row) => ({
      ...row,
      files: (row.files as readonly PolicyFile[]).filter((file) => file.sealed_base64 === undefined),
    }),
  };
}
