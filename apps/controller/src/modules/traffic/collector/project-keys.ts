import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { type HashedKind, KeyedHash } from '@flotilla/collector';
import { API_DISCOVERY_SETTINGS } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import type { Keyring } from '../../../platform/keyring/index.ts';
import type { Settings } from '../../../platform/settings/index.ts';
import { collectorKeyContext } from './encryption-context.ts';
import { type KeyRow, listKeys, lockKeys, placeKey } from './key-store.ts';

export interface ProjectKeysDeps {
  readonly db: Db;
  readonly keyring: Keyring;
  readonly settings: Pick<Settings, 'getAcceptable'>;
  readonly now: () => Date;
}

const KEY_BYTES = 32;
const DAY_MS = 86_400_000;

/** The keys of the hashes of projects: encrypted at rest, replaced at an interval, and kept as long as events of theirs may exist. */
export class ProjectKeys {
  readonly #deps: ProjectKeysDeps;

  constructor(deps: ProjectKeysDeps) {
    this.#deps = deps;
  }

  /** The key for new events, which is created or replaced if it is time. Undefined: the project does not exist. */
  async current(project: string): Promise<{ readonly id: string; readonly key: Uint8Array } | undefined> {
    const { db, settings, now } = this.#deps;
    const { value } = await settings.getAcceptable(API_DISCOVERY_SETTINGS, { project });
    const lifeMs = value.policy.hash_key_days * DAY_MS;
    const isFresh = ({ created_at, retired_at }: KeyRow) =>
      retired_at === null && now().getTime() - created_at.getTime() < lifeMs;
    const found = (await listKeys(db, project)).find(isFresh);
    if (found !== undefined) return this.#open(found);
    const created = await db.transaction().execute(async (tx) => {
      if (!(await lockKeys(tx, project))) return undefined;
      // Another controller was faster.
      const present = (await listKeys(tx, project)).find(isFresh);
      if (present !== undefined) return present;
      const key = randomBytes(KEY_BYTES);
      const at = now();
      const id = createId(at.getTime());
      const sealed = this.#deps.keyring.encrypt(key, collectorKeyContext(id));
      const installation = await settings.getAcceptable(API_DISCOVERY_SETTINGS);
      const retiredUntil = new Date(at.getTime() + (installation.value.store.event_days + 1) * DAY_MS);
      await placeKey(tx, { id, project, sealed, at, retiredUntil });
      return { id, sealed_key: sealed, created_at: at, retired_at: null };
    });
    return created && this.#open(created);
  }

  /** The hashes that a value has in stored events: of the current key, and of those before it. For searches. */
  async hashesOf(project: string, kind: HashedKind, value: string): Promise<{ keyId: string; hash: string }[]> {
    const rows = await listKeys(this.#deps.db, project);
    return rows.map((row) => ({ keyId: row.id, hash: new KeyedHash(this.#open(row).key).of(kind, value).text }));
  }

  #open({ id, sealed_key }: KeyRow) {
    return { id, key: new Uint8Array(this.#deps.keyring.decrypt(Buffer.from(sealed_key), collectorKeyContext(id))) };
  }
}
