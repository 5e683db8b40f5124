import { failHa } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import type { Cipher } from '../../../platform/keyring/cipher.ts';
import { lockCandidates } from './candidate-store.ts';
import type { PairKey } from './events.ts';
import { giveMembers } from './give.ts';
import { acceptNext, createKeys, dropOld, type Keys, openKeys, replaceKeys, sealKeys, signWithNext } from './keys.ts';
import type { Member } from './model.ts';
import { lockPair, type PairRow, raiseRevision, storeKeys } from './pair-store.ts';
import { listAppliedRevisions } from './report-store.ts';
import type { Rotation } from './tables.ts';

/**
 * Replaces the key of the heartbeats while the pair serves. Each step begins with a revision, and the next one when every
 * member has applied it. The step is in the row of the pair, so that it survives the controller.
 * accept: the members accept the next key and sign with the old one
 * sign:   they sign with the next one, and accept the old one, with which a member that is behind still signs
 * null:   only the next one is left
 */
export class Rotations {
  readonly #db: Db;
  readonly #cipher: Cipher;

  constructor({ db, cipher }: { db: Db; cipher: Cipher }) {
    this.#db = db;
    this.#cipher = cipher;
  }

  /** Begins with the current revision. Throws ha.rotating or ha.member_offline. */
  async start(tx: Tx, { row, members }: { row: PairRow; members: readonly Member[] }): Promise<void> {
    if (row.rotation !== null) throw failHa('ha.rotating');
    const ids = members.map(({ clientId }) => clientId);
    const clients = await lockCandidates(tx, row.project_id, ids);
    if (ids.some((id) => clients.get(id)?.connected !== true)) throw failHa('ha.member_offline');
    await this.#write(tx, row, { keys: acceptNext(this.#open(row)), rotation: 'accept' });
  }

  /** Replaces the key at once, without steps: whoever fills a slot has none, and a member that left it must not be heard again. */
  replace(tx: Tx, row: PairRow): Promise<void> {
    return this.#write(tx, row, { keys: replaceKeys(this.#open(row)), rotation: null });
  }

  /** Begins the next step if every member has applied the one before. */
  async advance(key: PairKey, now: Date): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      const row = await lockPair(tx, key);
      if (!row || row.rotation === null || row.rotation_rev === null) return;
      const applied = await listAppliedRevisions(tx, row.id);
      if (applied.some(({ revision }) => revision < (row.rotation_rev ?? 0))) return;
      await raiseRevision(tx, row.id);
      await this.#write(tx, row, nextStep(row.rotation, this.#open(row)));
      await giveMembers(tx, key, { clientIds: applied.map(({ clientId }) => clientId), now });
    });
  }

  #open({ id, sealed_keys: sealed }: PairRow): Keys {
    return sealed === null ? createKeys() : openKeys(this.#cipher, id, sealed);
  }

  #write(tx: Tx, { id }: PairRow, { keys, rotation }: Step): Promise<void> {
    return storeKeys(tx, id, { sealedKeys: sealKeys(this.#cipher, id, keys), rotation });
  }
}

interface Step {
  readonly keys: Keys;
  readonly rotation: Rotation | null;
}

function nextStep(rotation: Rotation, keys: Keys): Step {
  switch (rotation) {
    case 'accept':
      return { keys: signWithNext(keys), rotation: 'sign' };
    case 'sign':
      return { keys: dropOld(keys), rotation: null };
  }
}
