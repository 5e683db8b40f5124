import type { StoredKeys, StoredMasterKey } from './key-store.ts';
import { type Derivation, deriveKey, type MasterKey, parseMasterKey } from './master-key.ts';
import { type DataKey, decrypt, FIRST_KEY_ID, wrap } from './model.ts';

/** A master key that opens the database. */
export interface OpenMaster {
  readonly id: string;
  readonly key: Buffer;
  readonly derivation: Derivation | undefined;
}

/** The first data key has the context from the time when there was only one. */
export function contextOfKey(id: number): string {
  return id === FIRST_KEY_ID ? 'installation/data_key' : `data_keys/${id}`;
}

/** undefined if the text opens no stored master key. */
export async function openMaster(
  stored: StoredKeys,
  text: string,
): Promise<{ master: OpenMaster; given: MasterKey } | undefined> {
  const given = parseMasterKey(text);
  for (const row of stored.masters) {
    const key = await deriveKey(given, row.derivation);
    // A master key that wraps nothing would accept any key.
    if (unwrapKeys(stored, row, key)?.length) return { master: { id: row.id, key, derivation: row.derivation }, given };
  }
  return undefined;
}

/** Unwraps all data keys of this master key; undefined if the key is wrong. */
export function unwrapKeys(
  { wraps }: StoredKeys,
  { id }: Pick<StoredMasterKey, 'id'>,
  masterKey: Buffer,
): DataKey[] | undefined {
  try {
    return wraps
      .filter(({ master_id }) => master_id === id)
      .map((row) => ({ id: row.key_id, key: decrypt(masterKey, row.wrapped, contextOfKey(row.key_id)) }));
  } catch {
    // The error only says that the key is wrong.
    return undefined;
  }
}

/** Wraps each data key; returns the wraps by data key id. */
export function wrapKeys(keys: Iterable<DataKey>, masterKey: Buffer): Map<number, Buffer> {
  return new Map([...keys].map(({ id, key }) => [id, wrap(masterKey, key, contextOfKey(id))]));
}
