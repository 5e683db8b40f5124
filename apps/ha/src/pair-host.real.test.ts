import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '@flotilla/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PATIENT, PairStage } from './testing/pair-stage.ts';
import type { StageMember } from './testing/stage-member.ts';

const FAKETIME = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
];

let stage: PairStage;
let first: StageMember;
let second: StageMember;
let clock: string;
/** The wall clock of a daemon is what the file says; its other clocks go on. */
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  stage = await PairStage.open();
  [first, second] = stage.members;
  clock = join(stage.dir, 'clock');
  writeFileSync(clock, '+0');
  env = {
    LD_PRELOAD: FAKETIME.find((file) => existsSync(file)),
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
  for (const { data } of stage.members) {
    mkdirSync(data);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', data]);
  }
});
afterAll(async () => {
  for (const member of stage.members) await member.stop('SIGKILL');
  for (const { data } of stage.members) execFileSync('umount', [data]);
  await stage.close();
});
beforeEach(async () => {
  for (const member of stage.members) await member.stop('SIGKILL');
  first.start(PATIENT, env);
  second.start(PATIENT);
  await stage.untilServing(first);
  await stage.untilCalm();
});

describe('a member of a pair', () => {
  it('decides nothing by the wall clock, which jumps by hours', async () => {
    const changes = (await second.state())?.changes.length;
    for (const hours of [5, -7]) {
      writeFileSync(clock, `${hours > 0 ? '+' : ''}${hours}h`);
      await stage.until(async () => {
        const skew = (await second.state())?.clock_skew_ms ?? 0;
        return Math.abs(skew - hours * 3_600_000) < 60_000;
      }, `the clocks differ by ${hours} h`);
      await sleep(800);
      expect(await first.state()).toMatchObject({ role: 'active', epoch: expect.any(Number) });
      expect(await second.state()).toMatchObject({
        role: 'standby',
        peer_ok: true,
        alarms: [expect.objectContaining({ code: 'clock_skew' })],
      });
      expect(first.isHolding).toBe(true);
    }
    writeFileSync(clock, '+0');
    expect((await second.state())?.changes).toHaveLength(changes ?? -1);
  });

  it('takes over and writes its term while its disk is full, and says that its history is not kept', async () => {
    const filler = join(second.data, 'filler');
    try {
      writeFileSync(filler, Buffer.alloc(1_000_000));
    } catch {
      // The disk is full.
    }
    await first.stop('SIGKILL');
    await stage.untilServing(second);
    await stage.until(
      async () => (await second.state())?.alarms.some(({ code }) => code === 'history_failed') === true,
      'the alarm',
    );
    const { epoch = 0 } = (await second.state()) ?? {};
    await second.stop('SIGKILL');
    second.start();
    await stage.untilServing(second);
    expect((await second.state())?.epoch).toBeGreaterThan(epoch);
    rmSync(filler);
  });

  it('keeps its history over a restart, with the times at which it had the addresses', async () => {
    await first.order('failover');
    await stage.untilServing(second);
    await stage.until(async () => (await first.state())?.terms.at(-1)?.released_at !== null, 'the term has ended');
    const { changes = [], terms = [] } = (await first.state()) ?? {};
    expect(changes.at(-1)).toMatchObject({ from: 'demoting', role: 'standby', silent_ms: expect.any(Number) });
    const { raised_at = '', released_at } = terms.at(-1) ?? {};
    expect(Date.parse(released_at ?? '')).toBeGreaterThan(Date.parse(raised_at));
    await first.stop('SIGTERM');
    first.start();
    await stage.untilCalm();
    const state = await first.state();
    expect(state?.changes.slice(0, changes.length)).toEqual(changes);
    expect(state?.terms.slice(0, terms.length)).toEqual(terms);
    expect(state).toMatchObject({ lease_ms: 2000, bound_ms: 2600 });
  });

  it('stands by again after its host has started again', async () => {
    first.signal('SIGKILL');
    await first.stop('SIGKILL');
    await stage.network.reboot('m0');
    stage.runEcho(0);
    await stage.untilServing(second);
    first.start();
    await stage.untilCalm();
    expect(second.isHolding).toBe(true);
  });

  it('is heard again after it has lost its disk', async () => {
    await first.stop('SIGKILL');
    for (const name of ['term', 'history.json']) rmSync(join(first.data, name));
    await stage.untilServing(second);
    first.start();
    await stage.untilCalm();
    expect(await first.state()).toMatchObject({ role: 'standby' });
  });
});
