import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HaConfig } from '@flotilla/ha';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaseSecondsOf, paceOf, readConfig, slowerPace, toMember } from './config.ts';

const SECRET = Buffer.alloc(32, 7).toString('base64');
const config: HaConfig = {
  pair_id: '0190f5a2-0000-7000-8000-0123456789ab',
  config_rev: 1,
  slot: 0,
  priority: 200,
  has_peer: true,
  preempt: false,
  hb: { port: 8650, interval_ms: 200, misses: 5 },
  paths: [{ network: 'data', local: '192.0.2.1', peer: '192.0.2.2' }],
  keys: [{ id: 1, secret: SECRET }],
  send_key: 1,
  fence_targets: [],
  next_hops: [],
  addresses: [{ address: '192.0.2.10', interface: 'eth0' }],
};

let dir: string;
let file: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ha-config-'));
  file = join(dir, 'pair.json');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function read(content: unknown, mode = 0o600) {
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  await chmod(file, mode);
  return readConfig(file);
}

describe('the configuration of the daemon', () => {
  it('is read, with a boot wait of 30 s and fencing only with targets', async () => {
    expect(await read(config)).toEqual({ ok: true, value: config });
    expect(toMember(config)).toMatchObject({ isFencing: false, timing: { deadMs: 1000, bootWaitMs: 30_000 } });
    expect(toMember({ ...config, fence_targets: ['192.0.2.254'] }).isFencing).toBe(true);
  });

  it('has a lease of whole seconds that is longer than the dead time', () => {
    for (const [interval_ms, misses, seconds] of [
      [100, 2, 2],
      [200, 5, 2],
      [500, 3, 3],
      [1000, 10, 20],
    ] as const)
      expect(leaseSecondsOf(paceOf({ ...config, hb: { port: 8650, interval_ms, misses } }))).toBe(seconds);
  });

  it.each([
    ['hb.port', { hb: { ...config.hb, port: 8651 } }],
    ['hb.interval_ms', { hb: { ...config.hb, interval_ms: 99 } }],
    ['hb.misses', { hb: { ...config.hb, misses: 11 } }],
    ['priority', { priority: 1001 }],
    ['keys.0.secret', { keys: [{ id: 1, secret: 'c2hvcnQ=' }] }],
    ['send_key', { send_key: 2 }],
    ['addresses.0.interface', { addresses: [{ address: '192.0.2.10', interface: 'eth0\naddr flush' }] }],
    ['addresses.0.address', { addresses: [{ address: '192.0.2.10/24', interface: 'eth0' }] }],
    ['fence_targets.0', { fence_targets: ['-w'] }],
    ['the document', { more: true }],
  ])('is refused for %s, with the place and without the secret', async (place, change) => {
    const read_ = await read({ ...config, ...change });
    expect(read_).toMatchObject({ ok: false, error: expect.stringContaining(`${file}: ${place}: `) });
    expect(JSON.stringify(read_)).not.toContain(SECRET);
  });

  it('is refused if others may read it or if it is no JSON, and may be absent', async () => {
    expect(await read(config, 0o640)).toMatchObject({ ok: false, error: expect.stringContaining('chmod 600') });
    expect(await read(`{"keys": "${SECRET}`)).toEqual({ ok: false, error: `${file} is not JSON` });
    expect(await readConfig(join(dir, 'nowhere'))).toEqual({ ok: true, value: undefined });
  });

  it('has the pace that suits both files while two members have different ones', () => {
    expect(slowerPace({ intervalMs: 100, deadMs: 200 }, { intervalMs: 1000, deadMs: 3000 })).toEqual({
      intervalMs: 100,
      deadMs: 3000,
    });
  });
});
