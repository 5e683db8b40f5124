import type { SettingsType } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import type * as z from 'zod';
import type { Keyring } from '../keyring/index.ts';
import { withSecrets } from './check.ts';
import { openSecrets } from './secrets.ts';
import { canInherit, findSetting, listNamed, type SettingPlace, type SettingRow } from './store.ts';
import { type Refusal, readAcceptable, readStored } from './stored-value.ts';
import { toView } from './views.ts';

export interface ReadSetting<S extends z.ZodObject> {
  /** The value with decrypted secrets: for use, never for an answer. */
  readonly value: z.output<S>;
  /** Changes with every write. */
  readonly version: string;
  /** The revision in answers; 0 if nothing was written. */
  readonly revision: number;
}

export interface AcceptableSetting<S extends z.ZodObject> extends ReadSetting<S> {
  readonly refused: readonly Refusal[];
  /** The stored value without secrets. */
  readonly stored: JsonObject;
}

export class SettingReader {
  readonly #db: Db;
  readonly #keyring: Keyring;

  /** `db` must have the scope of everything. */
  constructor(db: Db, keyring: Keyring) {
    this.#db = db;
    this.#keyring = keyring;
  }

  /** Names of the documents of a kind with many documents: of the project, or without one of the installation. */
  async names(type: SettingsType, project?: string): Promise<string[]> {
    const rows = await listNamed(this.#db, { type, project: project ?? null });
    return rows.map(({ name }) => name);
  }

  /** Ignores unknown members. Throws a ZodError if the schema refuses the value. */
  async get<S extends z.ZodObject>(
    type: SettingsType<S>,
    at: { readonly project?: string; readonly name?: string } = {},
  ): Promise<ReadSetting<S>> {
    const place: SettingPlace = { type, project: at.project ?? null, name: at.name ?? '' };
    const { stored, row, ...of } = await this.#find(place);
    return { value: readStored(type, withSecrets(stored, openSecrets(this.#keyring, place, row))), ...of };
  }

  /**
   * Also works if the schema refuses the stored value or a secret cannot be decrypted: see readAcceptable. A named
   * document that does not exist is read as if everything in it were refused.
   */
  async getAcceptable<S extends z.ZodObject>(
    type: SettingsType<S>,
    at: { readonly project?: string; readonly name?: string } = {},
  ): Promise<AcceptableSetting<S>> {
    const place: SettingPlace = { type, project: at.project ?? null, name: at.name ?? '' };
    const { stored, row, ...of } = await this.#find(place);
    if (type.named && !row) return { value: readAcceptable(type, {}).value, refused: [], stored, ...of };
    const secrets = openIfPossible(this.#keyring, place, row);
    if (secrets) return { ...readAcceptable(type, withSecrets(stored, secrets)), stored, ...of };
    const closed = Object.keys(row?.secrets ?? {}).map((path) => ({ path, rule: 'does_not_open' }));
    const { value, refused } = readAcceptable(type, type.refusedWhole ? {} : stored);
    return { value, refused: [...closed, ...refused], stored, ...of };
  }

  async #find(place: SettingPlace) {
    const own = await findSetting(this.#db, place);
    const row = own ?? (canInherit(place) ? await findSetting(this.#db, { ...place, project: null }) : undefined);
    const { value, revision } = toView(place, row);
    return { row, stored: value as JsonObject, version: row ? `${row.id}/${row.revision}` : 'unset', revision };
  }
}

function openIfPossible(
  keyring: Keyring,
  place: SettingPlace,
  row: SettingRow | undefined,
): ReadonlyMap<string, string> | undefined {
  try {
    return openSecrets(keyring, place, row);
  } catch {
    return undefined;
  }
}
