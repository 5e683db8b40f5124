import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { History } from './history.ts';

const PAIR = createId();
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ha-history-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const change = {
  at: '2026-11-28T12:00:00.000Z',
  from: 'standby',
  role: 'active',
  epoch: 3,
  reason: 'peer_dead',
  peer_role: null,
  peer_epoch: null,
  gateway_reachable: true,
  silent_ms: 1003,
} as const;

async function open(name: string, pair = PAIR) {
  const problems: (string | undefined)[] = [];
  const history = await History.open(join(dir, name), pair, (problem) => problems.push(problem));
  return { history, problems };
}

describe('the history of a member', () => {
  it('is kept over restarts, but not for another pair', async () => {
    const { history } = await open('kept');
    history.noteChange(change);
    history.noteRaised(3);
    history.noteReleased({ renewedAt: performance.now(), leaseMs: 2000 });
    await history.close();
    const again = (await open('kept')).history;
    expect(again.changes).toEqual([change]);
    expect(again.terms).toEqual(history.terms);
    expect(again.terms).toMatchObject([{ epoch: 3, released_at: expect.any(String) }]);
    expect((await open('kept', createId())).history.changes).toEqual([]);
  });

  it('ends a term with its lease if the release came later', async () => {
    const { history } = await open('slept');
    history.noteRaised(1);
    history.noteReleased({ renewedAt: performance.now() - 60_000, leaseMs: 2000 });
    await history.close();
    const [term] = history.terms;
    expect(Date.now() - Date.parse(term?.released_at ?? '')).toBeGreaterThanOrEqual(57_500);
  });

  it.each([
    ['at the end of the lease', 60_000, 59_500],
    ['now, if the lease goes on', -1500, 0],
  ])('ends the term of a killed process %s', async (_, endedMsAgo, expectedMs) => {
    const raised = new Date(Date.now() - 3_600_000).toISOString();
    const file = { pair_id: PAIR, changes: [], terms: [{ epoch: 3, raised_at: raised, released_at: null }] };
    await writeFile(join(dir, 'killed'), JSON.stringify(file));
    const next = (await open('killed')).history;
    const before = Date.now();
    next.noteKilled(endedMsAgo);
    const released = Date.parse(next.terms[0]?.released_at ?? '');
    expect(released).toBeGreaterThanOrEqual(before - expectedMs);
    expect(released).toBeLessThanOrEqual(Date.now() - expectedMs);
    await next.close();
  });

  it.each([
    ['nobody knows when the lease has ended', undefined],
    ['the lease is that of an earlier term', 7_200_000],
  ])('leaves the term of a killed process open if %s', async (_, endedMsAgo) => {
    const raised = new Date(Date.now() - 3_600_000).toISOString();
    const file = { pair_id: PAIR, changes: [], terms: [{ epoch: 3, raised_at: raised, released_at: null }] };
    await writeFile(join(dir, 'open'), JSON.stringify(file));
    const { history } = await open('open');
    history.noteKilled(endedMsAgo);
    expect(history.terms).toEqual(file.terms);
  });

  it('does not change the end of a term that a member has released before it was killed', async () => {
    const { history } = await open('ended');
    history.noteRaised(3);
    history.noteReleased({ renewedAt: performance.now(), leaseMs: 2000 });
    const { terms } = history;
    history.noteKilled(-1000);
    expect(history.terms).toEqual(terms);
    await history.close();
  });

  it('has a bound', async () => {
    const { history } = await open('bound');
    for (let epoch = 0; epoch < 250; epoch += 1) {
      history.noteChange({ ...change, epoch });
      history.noteRaised(epoch);
    }
    await history.close();
    const { changes, terms } = (await open('bound')).history;
    expect([changes.length, terms.length]).toEqual([200, 200]);
    expect([changes.at(-1)?.epoch, terms.at(-1)?.epoch]).toEqual([249, 249]);
  });

  it.each(['', '{', '[]', '{"pair_id": 1}'])('begins again if its file is %j', async (text) => {
    await writeFile(join(dir, 'damaged'), text);
    const { history } = await open('damaged');
    expect([history.changes, history.terms]).toEqual([[], []]);
  });

  it('says why it cannot be written, and goes on', async () => {
    await mkdir(join(dir, 'folder', 'inside'), { recursive: true });
    const { history, problems } = await open('folder');
    history.noteChange(change);
    await history.close();
    expect(problems.at(-1)).toEqual(expect.any(String));
    expect(history.changes).toEqual([change]);
  });
});
