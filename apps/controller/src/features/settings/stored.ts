import type { SettingsType } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import { holdSetting, listNamed } from './store.ts';

/** A document of the installation as it lies there, also where this version's schema refuses it; without its secrets. */
interface StoredSetting {
  /** Empty where there is one of the kind. */
  readonly name: string;
  readonly value: JsonObject;
}

/** `db` in the scope of everything. */
export async function listStored(db: Db, type: SettingsType): Promise<StoredSetting[]> {
  const rows = await listNamed(db, { type, project: null });
  return rows.map(({ name, value }) => ({ name, value: value as JsonObject }));
}

/** Nobody changes it until the transaction ends. Undefined where nothing was ever written, or it was deleted. */
export async function holdStored(tx: Tx, type: SettingsType, name: string): Promise<JsonObject | undefined> {
  const row = await holdSetting(tx, { type, project: null, name });
  return row && (row.value as JsonObject);
}
