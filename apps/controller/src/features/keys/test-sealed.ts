import { Buffer } from 'node:buffer';
import type { Db } from '@flotilla/db';
import { vi } from 'vitest';
import type { TestCaller } from '../../test-controller.ts';
import { type InstallationKeyring, openKeyring } from '../keyring/index.ts';
import { type Reseal, SEALED_PLACES } from './sealed-places.ts';

export const WAIT = { timeout: 30_000, interval: 50 };

/** Opens every sealed value of the database, and counts them by the key that they are sealed with. */
export async function openEverything(
  db: Db,
  keyring: Pick<InstallationKeyring, 'unseal'>,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  const open: Reseal = (sealed, context) => {
    keyring.unseal(sealed, context);
    const id = sealed[0] === 1 ? 1 : sealed.readUInt32BE(1);
    counts.set(id, (counts.get(id) ?? 0) + 1);
    return sealed;
  };
  for (const place of SEALED_PLACES) {
    const rows = (await db
      .selectFrom(place.table as 'settings')
      .selectAll()
      .execute()) as Record<string, unknown>[];
    for (const row of rows) {
      const value = row[place.column];
      const isSealed = Buffer.isBuffer(value) || (place.kind !== 'bytes' && JSON.stringify(value).includes('"sealed'));
      if (isSealed) place.resealed(row, open);
    }
  }
  return counts;
}

/** With the master key as it is now, like a controller that starts. */
export function openAnew(db: Db, from: { masterKey?: string; keyFile?: string }): Promise<InstallationKeyring> {
  return openKeyring({ db, masterKey: from.masterKey, keyFile: from.keyFile ?? '/nonexistent/key' });
}

/** Rotates the data key, and resolves when the keys of before are gone. */
export async function rotateDataKey(owner: TestCaller): Promise<number> {
  const begun = await owner.call('POST', '/api/v3/setting/keys/rotate', { which: 'data' });
  if (begun.status !== 202) throw new Error(JSON.stringify(begun.body));
  await vi.waitFor(async () => {
    const { body } = await owner.call('GET', `/api/v3/jobs/${begun.body.job.id}`);
    if (body.status !== 'done') throw new Error(JSON.stringify(body));
  }, WAIT);
  return begun.body.data_key;
}
