import type { SettingsType } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import type { z } from 'zod';
import type { Keyring } from '../keyring/index.ts';
import { withSecrets } from './check.ts';
import { openSecrets } from './sealed.ts';
import { findSetting, listNamed, type SettingPlace } from './store.ts';
import { toView } from './views.ts';

export interface ReadSetting<S extends z.ZodObject> {
  /** With its secrets opened: for use, never for an answer. */
  readonly value: z.output<S>;
  /** Another one for every write. */
  readonly version: string;
  /** As answers tell it; 0 where nothing was written. */
  readonly revision: number;
}

export class SettingReader {
  readonly #db: Db;
  readonly #keyring: Keyring;

  /** `db` in the scope of everything. */
  constructor(db: Db, keyring: Keyring) {
    this.#db = db;
    this.#keyring = keyring;
  }

  /** Names of all documents of the installation of a kind that has many. */
  async names(type: SettingsType): Promise<string[]> {
    const rows = await listNamed(this.#db, { type, project: null });
    return rows.map(({ name }) => name);
  }

  async get<S extends z.ZodObject>(
    type: SettingsType<S>,
    at: { readonly project?: string; readonly name?: string } = {},
  ): Promise<ReadSetting<S>> {
    const place: SettingPlace = { type, project: at.project ?? null, name: at.name ?? '' };
    const row = await findSetting(this.#db, place);
    const { value, revision } = toView(place, row);
    return {
      value: type.schema.parse(withSecrets(value as JsonObject, openSecrets(this.#keyring, place, row))),
      version: row ? `${row.id}/${row.revision}` : 'unset',
      revision,
    };
  }
}
