import type { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { failKeys } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
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
import { type DataKey, keyIdOf, seal, unseal } from './model.ts';
import { type OpenMaster, unwrapKeys, wrapKeys } from './open-master.ts';
import { sealContexts } from './seal-contexts.ts';

/**
 * Envelope encryption. The master key (SVC_MASTER_KEY, or a file outside the database) wraps the data keys, which are
 * kept wrapped in the database and seal every secret at rest. A database alone, without the master key, gives nothing.
 */
export interface Keyring {
  /** `context` says what the value belongs to, e.g. `documents/<id>`: a sealed value cannot be moved elsewhere. */
  seal(plaintext: Buffer, context: string): Buffer;
  /** Throws keys.not_read for a value sealed with a key that this controller is about to read. */
  unseal(sealed: Buffer, context: string): Buffer;
  /** A secret of the installation, made at first use and then always the same. */
  installationSecret(name: string, create: () => Buffer): Promise<Buffer>;
}

export type MasterSource =
  | { readonly kind: 'given'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string };

export interface NewMaster {
  /** Undefined: made here, for the key file. */
  readonly given: MasterKey | undefined;
  readonly overlapS: number;
  /** The transaction will be taken back. */
  readonly isTrial: boolean;
}

/** Other controllers read a new master key within this time even where that of before ends at once. */
const HAND_OVER_MIN_S = 300;

/**
 * The keys of a running controller. They change under it: whoever rotates one writes it to the database, and every
 * controller reads it there (`refresh`, see KeyWatch). A new data key is only read at first; it seals from the moment
 * that the database says, so that no controller meets a value whose key it does not have. Keys that were taken away stay
 * in memory until the process ends: a value that was read before may be opened after.
 */
export class InstallationKeyring implements Keyring {
  readonly source: MasterSource;
  readonly #db: Db;
  readonly #keys = new Map<number, DataKey>();
  #master: OpenMaster;
  #sealing: DataKey | undefined;
  #reading: Promise<void> | undefined;

  constructor({ db, source, master }: { db: Db; source: MasterSource; master: OpenMaster }) {
    this.#db = db;
    this.source = source;
    this.#master = master;
  }

  /** Number of the data key that values are sealed with now. */
  get sealsWith(): number {
    return this.#requireSealing().id;
  }

  seal(plaintext: Buffer, context: string): Buffer {
    return seal(this.#requireSealing(), plaintext, context);
  }

  unseal(sealed: Buffer, context: string): Buffer {
    const id = keyIdOf(sealed);
    const dataKey = this.#keys.get(id);
    if (!dataKey) {
      // Whoever asks again finds it. A failure shows at the next look.
      this.refresh().catch(() => undefined);
      throw failKeys('keys.not_read');
    }
    return unseal(dataKey.key, sealed, context);
  }

  installationSecret(name: string, create: () => Buffer): Promise<Buffer> {
    return keepSecret(this.#db, this, `secret/${name}`, create);
  }

  /** Reads the keys anew; calls at the same time share one reading. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** In the caller's transaction. Returns its number; values are sealed with it `sealsAfterMs` from now. */
  async addDataKey(tx: Tx, sealsAfterMs: number): Promise<number> {
    await lockKeys(tx);
    const { keys, masters } = await readKeys(tx);
    const ending = masters.find(({ expires_at, is_over }) => expires_at !== null && !is_over)?.expires_at;
    if (ending) throw failKeys('keys.master_changing', { until: ending.toISOString() });
    this.#requireMaster(masters);
    const id = (keys.at(-1)?.id ?? 0) + 1;
    await insertDataKey(tx, id, sealsAfterMs);
    for (const [keyId, wrapped] of wrapKeys([{ id, key: randomBytes(32) }], this.#master.key))
      await insertWrap(tx, { key_id: keyId, master_id: this.#master.id, wrapped });
    return id;
  }

  /**
   * In the caller's transaction: wraps all data keys by a new master key, made here where it lies in a file. The one of
   * before opens the database for `overlapS` more. After the commit the caller calls `takeMaster`.
   */
  async addMasterKey(tx: Tx, { given, overlapS, isTrial }: NewMaster): Promise<void> {
    await lockKeys(tx);
    const { keys, masters } = await readKeys(tx);
    this.#requireMaster(masters);
    const id = createId();
    const derivation = given && chooseDerivation(given);
    const key = given ? await deriveKey(given, derivation) : randomBytes(32);
    // On the disk before the database knows it: whatever cuts this off, the one file or the other opens the database.
    if (this.source.kind === 'file' && !isTrial) await writeNextFile(this.source.path, key);
    await endMasterKeys(tx, overlapS);
    const wraps = wrapKeys(
      keys.map((row) => this.#requireKey(row.id)),
      key,
    );
    const sealed = { key: this.seal(key, sealContexts.masterKey(id)), forS: Math.max(overlapS, HAND_OVER_MIN_S) };
    await insertMasterKey(tx, { id, derivation, wraps, sealed });
  }

  /** After the commit of a new master key. */
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
    if (ready) this.#sealing = this.#keys.get(ready.id);
    const [current] = stored.masters;
    if (stored.masters.some(({ is_over }) => is_over) || (current?.sealed_key && current.is_handed_over))
      await forgetOldMasters(this.#db);
  }

  #learn(stored: StoredKeys): void {
    if (stored.keys.every(({ id }) => this.#keys.has(id))) return;
    for (const dataKey of unwrapKeys(stored, this.#master, this.#master.key) ?? []) this.#keys.set(dataKey.id, dataKey);
  }

  /** Another controller has changed the master key: it wraps what comes from now on. */
  async #takeHandedOver({ masters }: StoredKeys): Promise<void> {
    const current = masters.find(({ expires_at }) => expires_at === null);
    if (!current?.sealed_key || current.id === this.#master.id) return;
    const { id, derivation } = current;
    const key = this.unseal(current.sealed_key, sealContexts.masterKey(id));
    if (this.source.kind === 'file') {
      await writeNextFile(this.source.path, key);
      await takeNextFile(this.source.path);
    }
    this.#master = { id, key, derivation };
  }

  #requireSealing(): DataKey {
    if (!this.#sealing) throw new Error('the keyring has read no data key that seals');
    return this.#sealing;
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
