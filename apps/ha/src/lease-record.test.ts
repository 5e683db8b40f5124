import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LeaseRecord } from './lease-record.ts';

let dir: string;
let file: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ha-lease-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Writes leases, and returns what the next process reads. */
async function readAfter(...leases: readonly number[]): Promise<number | undefined> {
  const record = await LeaseRecord.open(file);
  for (const leaseMs of leases) await record.write(leaseMs);
  await record.close();
  const next = await LeaseRecord.open(file);
  await next.close();
  return next.earlierEndedMsAgo;
}

describe('the record of the lease', () => {
  it('gives the next process the end of the newest lease, also if its text is shorter', async () => {
    file = join(dir, 'newest');
    expect(await readAfter(123_456_789_000.123, 60_000)).toBeLessThanOrEqual(0);
    expect(await readAfter(-60_000)).toBeGreaterThanOrEqual(60_000);
  });

  it('does not change what this process has found', async () => {
    file = join(dir, 'found');
    await readAfter(-60_000);
    const record = await LeaseRecord.open(file);
    await record.write(2000);
    expect(record.earlierEndedMsAgo).toBeGreaterThanOrEqual(60_000);
    await record.close();
  });

  it('counts for nothing after the host has started again, because the disk may have an old one', async () => {
    file = join(dir, 'rebooted');
    await readAfter(-60_000);
    const { endsAt } = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ boot: 'another', endsAt }));
    expect(await readAfter()).toBeUndefined();
  });

  it.each(['', '{', '[]', '{"boot":1,"endsAt":2}', 'x'.repeat(5000)])(
    'counts for nothing if it is %j',
    async (text) => {
      file = join(dir, 'damaged');
      await writeFile(file, text);
      expect(await readAfter()).toBeUndefined();
      expect(await readAfter(-60_000)).toBeGreaterThanOrEqual(60_000);
    },
  );
});
