import { Buffer } from 'node:buffer';
import { type EncryptedColumn, type Feature, listTables, type TableRow } from '../../../platform/features/index.ts';
import type { StoredPolicyFile } from '../../configuration/public.ts';

/** Encrypts a value again, in the context that it was encrypted in. */
export type Reencrypt = (sealed: Buffer, context: string) => Buffer;

/** An encrypted column of any feature. */
export interface EncryptedPlace extends Required<Omit<EncryptedColumn, 'context'>> {
  readonly table: string;
  /** Returns the value of the column after all its parts are encrypted again. */
  reencrypted(row: TableRow, reencrypt: Reencrypt): Buffer | string;
}

export function listEncryptedPlaces(features: readonly Feature[]): EncryptedPlace[] {
  return listTables(features).flatMap(({ table, encrypted = [] }) =>
    encrypted.map((place) => ({
      needs: [],
      ...place,
      table,
      reencrypted: (row, reencrypt) => reencryptValue(place, row, reencrypt),
    })),
  );
}

function reencryptValue(
  { column, kind, context }: EncryptedColumn,
  row: TableRow,
  reencrypt: Reencrypt,
): Buffer | string {
  switch (kind) {
    case 'bytes':
      return reencrypt(row[column] as Buffer, context(row, ''));
    case 'secret': {
      const value = row[column] as { readonly sealed: string };
      const sealed = reencrypt(Buffer.from(value.sealed, 'base64'), context(row, ''));
      return JSON.stringify({ ...value, sealed: sealed.toString('base64') });
    }
    case 'files':
      return JSON.stringify(
        (row[column] as StoredPolicyFile[]).map((file) => {
          if (!('sealed_base64' in file)) return file;
          const sealed = Buffer.from(file.sealed_base64, 'base64');
          return { ...file, sealed_base64: reencrypt(sealed, context(row, file.path)).toString('base64') };
        }),
      );
  }
}
