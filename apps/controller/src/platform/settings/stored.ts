import type { SettingsType } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import { holdSetting, listNamed } from './store.ts';

/** A stored document of the installation without secrets, even if this version's schema refuses it. */
interface StoredSetting {
  /** Empty for kinds with a single document. */
  readonly name: string;
  readonly value: JsonObject;
}

/** `db` must have the scope of everything. */
export async function listStored(db: Db, type: SettingsType): Promise<StoredSetting[]> {
  const rows = await listNamed(db, { type, project: null });
  return rows.map(({ name, value }) => ({ name, value: value as JsonObject }));
}

/** Locks the document against changes until the transaction ends. undefined if it was never written or was deleted. */
export async function holdStored(tx: Tx, type: SettingsType, name: string): Promise<JsonObject | undefined> {
  const row = await holdSetting(tx, { type, project: null, name });
  return row && (row.value as JsonObject);
}
