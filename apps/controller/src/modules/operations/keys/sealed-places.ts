import { Buffer } from 'node:buffer';
import type { StoredPolicyFile } from '@flotilla/db';
import { type EncryptedColumn, type Feature, listTables, type TableRow } from '../../../platform/features/index.ts';

/** Encrypts a value again, in the context that it was encrypted in. */
export type Reseal = (sealed: Buffer, context: string) => Buffer;

/** An encrypted column of any feature. */
export interface SealedPlace extends Required<Omit<EncryptedColumn, 'context'>> {
  readonly table: string;
  /** Returns the value of the column after all its parts are encrypted again. */
  resealed(row: TableRow, reseal: Reseal): Buffer | string;
}

export function listSealedPlaces(features: readonly Feature[]): SealedPlace[] {
  return listTables(features).flatMap(({ table, encrypted = [] }) =>
    encrypted.map((place) => ({
      needs: [],
      ...place,
      table,
      resealed: (row, reseal) => resealValue(place, row, reseal),
    })),
  );
}

function resealValue({ column, kind, context }: EncryptedColumn, row: TableRow, reseal: Reseal): Buffer | string {
  switch (kind) {
    case 'bytes':
      return reseal(row[column] as Buffer, context(row, ''));
    case 'secret': {
      const value = row[column] as { readonly sealed: string };
      const sealed = reseal(Buffer.from(value.sealed, 'base64'), context(row, ''));
      return JSON.stringify({ ...value, sealed: sealed.toString('base64') });
    }
    case 'files':
      return JSON.stringify(
        (row[column] as StoredPolicyFile[]).map((file) => {
          if (!('sealed_base64' in file)) return file;
          const sealed = Buffer.from(file.sealed_base64, 'base64');
          return { ...file, sealed_base64: reseal(sealed, context(row, file.path)).toString('base64') };
        }),
      );
  }
}
