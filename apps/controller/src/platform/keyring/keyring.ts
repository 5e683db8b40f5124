import type { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { failKeys } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import type { Cipher } from './cipher.ts';
import { masterKeyContext } from './encryption-contexts.ts';
import { keepSecret } from './installation-store.ts';
import {
  endMasterKeys,
  forgetOldMasters,
  insertDataKey,
  insertMasterKey,
  insertWrap,
  lockKeys,
  readKeys,
  type StoredKeys,
} from './key-store.ts';
import { takeNextFile, writeNextFile } from './master-file.ts';
import { chooseDerivation, deriveKey, type MasterKey } from './master-key.ts';
import { type DataKey, decrypt, encrypt, keyIdOf } from './model.ts';
import { type OpenMaster, unwrapKeys, wrapKeys } from './open-master.ts';

/**
 * Envelope encryption. The master key (SVC_MASTER_KEY, or a file outside the database) wraps the data keys, which are
 * stored wrapped in the database and encrypt every secret at rest. The database alone, without the master key, reveals
 * nothing.
 */
export interface Keyring extends Cipher {
  /** Returns a secret of the installation, which is created at first use and then never changes. */
  installationSecret(name: string, create: () => Buffer): Promise<Buffer>;
}

export type MasterSource =
  | { readonly kind: 'given'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string };

export interface NewMaster {
  /** undefined: generate a key for the key file. */
  readonly given: MasterKey | undefined;
  readonly overlapS: number;
  /** The transaction will be rolled back. */
  readonly isTrial: boolean;
}

/** Other controllers receive a new master key for at least this time, even if the previous one ends at once. */
const HAND_OVER_MIN_S = 300;

/**
 * The keys of a running controller. They change while it runs: a rotation writes to the database, and every controller
 * reads the new key from there (`refresh`, see KeyWatch). A new data key starts to encrypt at a time that the database
 * defines, so that no controller meets a value whose key it has not read. Deleted keys stay in memory until the process
 * ends: a value that was read before may be decrypted later.
 */
export class InstallationKeyring implements Keyring {
  readonly source: MasterSource;
  readonly #db: Db;
  readonly #keys = new Map<number, DataKey>();
  #master: OpenMaster;
  #current: DataKey | undefined;
  #reading: Promise<void> | undefined;

  constructor({ db, source, master }: { db: Db; source: MasterSource; master: OpenMaster }) {
    this.#db = db;
    this.source = source;
    this.#master = master;
  }

  /** Id of the data key that encrypts new values. */
  get encryptsWith(): number {
    return this.#requireCurrentKey().id;
  }

  encrypt(plaintext: Buffer, context: string): Buffer {
    return encrypt(this.#requireCurrentKey(), plaintext, context);
  }

  decrypt(sealed: Buffer, context: string): Buffer {
    const id = keyIdOf(sealed);
    const dataKey = this.#keys.get(id);
    if (!dataKey) {
      // A retry will find the key. A failure is reported by the next refresh.
      this.refresh().catch(() => undefined);
      throw failKeys('keys.not_read');
    }
    return decrypt(dataKey.key, sealed, context);
  }

  installationSecret(name: string, create: () => Buffer): Promise<Buffer> {
    return keepSecret(this.#db, this, `secret/${name}`, create);
  }

  /** Reads the keys again. Concurrent calls share one read. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Runs in the caller's transaction and returns the id. The key starts to encrypt values after `usedAfterMs`. */
  async addDataKey(tx: Tx, usedAfterMs: number): Promise<number> {
    await lockKeys(tx);
    const { keys, masters } = await readKeys(tx);
    const ending = masters.find(({ expires_at, is_over }) => expires_at !== null && !is_over)?.expires_at;
    if (ending) throw failKeys('keys.master_changing', { until: ending.toISOString() });
    this.#requireMaster(masters);
    const id = (keys.at(-1)?.id ?? 0) + 1;
    await insertDataKey(tx, id, usedAfterMs);
    for (const [keyId, wrapped] of wrapKeys([{ id, key: randomBytes(32) }], this.#master.key))
      await insertWrap(tx, { key_id: keyId, master_id: this.#master.id, wrapped });
    return id;
  }

  /**
   * Runs in the caller's transaction: wraps all data keys with a new master key, which is generated if the master key
   * is in a file. The previous one stays valid for `overlapS`. The caller calls `takeMaster` after the commit.
   */
  async addMasterKey(tx: Tx, { given, overlapS, isTrial }: NewMaster): Promise<void> {
    await lockKeys(tx);
    const { keys, masters } = await readKeys(tx);
    this.#requireMaster(masters);
    const id = createId();
    const derivation = given && chooseDerivation(given);
    const key = given ? await deriveKey(given, derivation) : randomBytes(32);
    // The file is written before the database changes: wherever this is interrupted, one of the two files opens the
    // database.
    if (this.source.kind === 'file' && !isTrial) await writeNextFile(this.source.path, key);
    await endMasterKeys(tx, overlapS);
    const wraps = wrapKeys(
      keys.map((row) => this.#requireKey(row.id)),
      key,
    );
    const sealed = { key: this.encrypt(key, masterKeyContext(id)), forS: Math.max(overlapS, HAND_OVER_MIN_S) };
    await insertMasterKey(tx, { id, derivation, wraps, sealed });
  }

  /** Called after the commit of a new master key. */
  async takeMaster(): Promise<void> {
    if (this.source.kind === 'file') await takeNextFile(this.source.path);
    await this.refresh();
  }

  async #read(): Promise<void> {
    const stored = await readKeys(this.#db);
    this.#learn(stored);
    await this.#takeHandedOver(stored);
    this.#learn(stored);
    const ready = stored.keys.findLast(({ id, is_ready }) => is_ready && this.#keys.has(id));
    if (ready) this.#current = this.#keys.get(ready.id);
    const [current] = stored.masters;
    if (stored.masters.some(({ is_over }) => is_over) || (current?.sealed_key && current.is_handed_over))
      await forgetOldMasters(this.#db);
  }

  #learn(stored: StoredKeys): void {
    if (stored.keys.every(({ id }) => this.#keys.has(id))) return;
    for (const dataKey of unwrapKeys(stored, this.#master, this.#master.key) ?? []) this.#keys.set(dataKey.id, dataKey);
  }

  /** Another controller has changed the master key, which wraps keys from now on. */
  async #takeHandedOver({ masters }: StoredKeys): Promise<void> {
    const current = masters.find(({ expires_at }) => expires_at === null);
    if (!current?.sealed_key || current.id === this.#master.id) return;
    const { id, derivation } = current;
    const key = this.decrypt(current.sealed_key, masterKeyContext(id));
    if (this.source.kind === 'file') {
      await writeNextFile(this.source.path, key);
      await takeNextFile(this.source.path);
    }
    this.#master = { id, key, derivation };
  }

  #requireCurrentKey(): DataKey {
    if (!this.#current) throw new Error('the keyring has read no data key that may encrypt');
    return this.#current;
  }

  #requireKey(id: number): DataKey {
    const dataKey = this.#keys.get(id);
    if (!dataKey) throw failKeys('keys.not_read');
    return dataKey;
  }

  #requireMaster(masters: StoredKeys['masters']): void {
    if (!masters.some(({ id, expires_at }) => id === this.#master.id && expires_at === null))
      throw failKeys('keys.not_read');
  }
}
