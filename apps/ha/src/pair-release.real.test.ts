import { once } from 'node:events';
import { HEARTBEAT_PORT } from '@flotilla/ha';
import { sleep } from '@flotilla/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PATIENT, PairStage, SHARED, SHARED_6 } from './testing/pair-stage.ts';
import type { StageMember } from './testing/stage-member.ts';

/** The kernel deletes an address whose lifetime has ended in a work queue, which waits for a busy processor (ADR 49). */
const BUSY_MS = 500;

let stage: PairStage;
let first: StageMember;
let second: StageMember;

beforeAll(async () => {
  const addresses = [SHARED, SHARED_6].map((address) => ({ address, interface: 'eth0' }));
  const hb = { port: HEARTBEAT_PORT, interval_ms: 200, misses: 5 } as const;
  stage = await PairStage.open({ config: { addresses, hb } });
  [first, second] = stage.members;
});
afterAll(() => stage?.close());
beforeEach(async () => {
  for (const member of stage.members) {
    member.signal('SIGCONT');
    await member.stop('SIGKILL');
  }
  await stage.begin();
});

describe('a holder', () => {
  it.each([
    ['killed', 'SIGKILL'],
    ['frozen', 'SIGSTOP'],
  ] as const)('that is %s loses the address within the bound, and reports when', async (_, signal) => {
    const capture = await stage.capture();
    const probe = await stage.probe();
    // Otherwise nobody asks the earlier holder after the announcement of the next one.
    const asking = setInterval(() => stage.network.forgetNeighbours('client'), 50);
    first.signal(signal);
    await stage.untilServing(second);
    await sleep(1000);
    clearInterval(asking);
    await probe.stop();
    await capture.stop();
    const takenAt = capture.firstAt('m1', 'announcement', 0) ?? Number.NaN;
    const lastAt = capture.lastAt('m0') ?? Number.NaN;
    const { bound_ms: boundMs = 0, terms = [] } = (await second.state()) ?? {};
    expect(lastAt - takenAt).toBeLessThanOrEqual(boundMs + BUSY_MS);

    if (signal === 'SIGSTOP') first.signal('SIGCONT');
    else first.start(PATIENT);
    await stage.untilCalm();
    await stage.until(async () => (await first.state())?.terms.at(-1)?.released_at !== null, 'the term has ended');
    const releasedAt = Date.parse((await first.state())?.terms.at(-1)?.released_at ?? '');
    // The record is not earlier than the truth, and good enough to prove the bound.
    expect(releasedAt).toBeGreaterThanOrEqual(Math.floor(lastAt));
    expect(releasedAt - Date.parse(terms.at(-1)?.raised_at ?? '')).toBeLessThanOrEqual(boundMs);
  });
});

describe('a planned failover', () => {
  it.each([
    ['IPv4', SHARED, `http://${SHARED}:9000/slow`],
    ['IPv6', SHARED_6, `http://[${SHARED_6}]:9000/slow`],
  ])('ends a request over %s that was not answered, instead of letting it hang', async (_, address, url) => {
    const client = stage.network.run('client', ['curl', '--silent', '--max-time', '20', url]);
    const ended = once(client, 'close');
    await stage.until(() => first.isConnected(address), 'the first member has the request');
    expect((await first.order('failover')).status).toBe(200);
    await stage.untilServing(second);
    // The code of a connection that was reset; 28 is the limit of the client.
    expect(await ended).toEqual([56, null]);
    expect(first.isConnected(address)).toBe(false);
    expect((await first.state())?.alarms).toEqual([]);
  });

  it('loses at most one of many short requests, and goes on to listen', async () => {
    const rounds = 6;
    const traffic = await stage.client();
    for (let round = 0; round < rounds; round += 1) {
      const [from, to] = round % 2 === 0 ? [first, second] : [second, first];
      await stage.untilCalm();
      expect((await from.order('failover')).status).toBe(200);
      await stage.untilServing(to);
      await sleep(1000);
    }
    const { answered, failed, members } = await traffic.stop();
    expect(members).toHaveLength(rounds + 1);
    expect(answered).toBeGreaterThan(rounds * 10);
    expect(failed).toBeLessThanOrEqual(rounds);
  });
});
