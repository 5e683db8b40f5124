import type { StoredKeys, StoredMasterKey } from './key-store.ts';
import { type Derivation, deriveKey, type MasterKey, parseMasterKey } from './master-key.ts';
import { type DataKey, FIRST_KEY_ID, unseal, wrap } from './model.ts';

/** A master key that opens the database: which one of its, and the 32 bytes. */
export interface OpenMaster {
  readonly id: string;
  readonly key: Buffer;
  readonly derivation: Derivation | undefined;
}

/** What a data key is wrapped for. The first one was wrapped when there was one. */
export function contextOfKey(id: number): string {
  return id === FIRST_KEY_ID ? 'installation/data_key' : `data_keys/${id}`;
}

/** Undefined where the text opens nothing of what is stored. */
export async function openMaster(
  stored: StoredKeys,
  text: string,
): Promise<{ master: OpenMaster; given: MasterKey } | undefined> {
  const given = parseMasterKey(text);
  for (const row of stored.masters) {
    const key = await deriveKey(given, row.derivation);
    // One that wraps nothing would be opened by every key.
    if (unwrapKeys(stored, row, key)?.length) return { master: { id: row.id, key, derivation: row.derivation }, given };
  }
  return undefined;
}

/** All data keys that this master key wraps; undefined where it is another key. */
export function unwrapKeys(
  { wraps }: StoredKeys,
  { id }: Pick<StoredMasterKey, 'id'>,
  masterKey: Buffer,
): DataKey[] | undefined {
  try {
    return wraps
      .filter(({ master_id }) => master_id === id)
      .map((row) => ({ id: row.key_id, key: unseal(masterKey, row.wrapped, contextOfKey(row.key_id)) }));
  } catch {
    // It says no more than that this is not the key.
    return undefined;
  }
}

/** Each data key wrapped by a master key, by its number. */
export function wrapKeys(keys: Iterable<DataKey>, masterKey: Buffer): Map<number, Buffer> {
  return new Map([...keys].map(({ id, key }) => [id, wrap(masterKey, key, contextOfKey(id))]));
}
