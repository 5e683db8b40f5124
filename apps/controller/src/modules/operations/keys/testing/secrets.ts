import { Buffer } from 'node:buffer';
import type { Db } from '@flotilla/db';
import { vi } from 'vitest';
import { FEATURES } from '../../../../features.ts';
import { type InstallationKeyring, openKeyring } from '../../../../platform/keyring/index.ts';
import type { TestCaller } from '../../../../testing/controller.ts';
import { listEncryptedPlaces, type Reencrypt } from '../encrypted-places.ts';

export const WAIT = { interval: 50 };

/** Decrypts every encrypted value of the database and counts the values by key. */
export async function openEverything(
  db: Db,
  keyring: Pick<InstallationKeyring, 'decrypt'>,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  const open: Reencrypt = (sealed, context) => {
    keyring.decrypt(sealed, context);
    const id = sealed[0] === 1 ? 1 : sealed.readUInt32BE(1);
    counts.set(id, (counts.get(id) ?? 0) + 1);
    return sealed;
  };
  for (const place of listEncryptedPlaces(FEATURES)) {
    const rows = (await db
      .selectFrom(place.table as 'settings')
      .selectAll()
      .execute()) as Record<string, unknown>[];
    for (const row of rows) {
      const value = row[place.column];
      const isEncrypted =
        Buffer.isBuffer(value) || (place.kind !== 'bytes' && JSON.stringify(value).includes('"sealed'));
      if (isEncrypted) place.reencrypted(row, open);
    }
  }
  return counts;
}

/** Opens a keyring with the current master key, like a starting controller. */
export function openAnew(db: Db, from: { masterKey?: string; keyFile?: string }): Promise<InstallationKeyring> {
  return openKeyring({ db, masterKey: from.masterKey, keyFile: from.keyFile ?? '/nonexistent/key' });
}

/** Rotates the data key and resolves when the previous keys are deleted. */
export async function rotateDataKey(owner: TestCaller): Promise<number> {
  const begun = await owner.call('POST', '/api/v3/setting/keys/rotate', { which: 'data' });
  if (begun.status !== 202) throw new Error(JSON.stringify(begun.body));
  await vi.waitFor(async () => {
    const { body } = await owner.call('GET', `/api/v3/jobs/${begun.body.job.id}`);
    if (body.status !== 'done') throw new Error(JSON.stringify(body));
  }, WAIT);
  return begun.body.data_key;
}
