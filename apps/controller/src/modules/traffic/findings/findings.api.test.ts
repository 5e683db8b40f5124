import { createId } from '@flotilla/kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, type FindingProject, PATH, useFindingWorld } from './testing/finding-world.ts';

const world = useFindingWorld();
let p: FindingProject;
beforeEach(async () => {
  p = await world.openProject();
});

const hsts = () => ({ flags: { missing_hsts: p.clock.now() }, exposureMax: 7 });
/** A hundred pages without the flag, some days later. */
const useFor = async (days: number, name = 'GET shop.example/') => {
  p.clock.advance(days * DAY_MS);
  await p.see(name, { seen: 100, statuses: { 200: 100 } });
  await p.pass();
};
const open = async () => {
  await p.see('GET shop.example/', hsts());
  await p.pass();
  return p.only();
};
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

describe('a finding', () => {
  it('is made of a flag of a confirmed operation, with its texts, evidence and events', async () => {
    const found = await open();
    expect(found).toMatchObject({
      operation: { method: 'GET', host: 'shop.example', normalized_path: '/' },
      flag: 'missing_hsts',
      severity: 'high',
      state: 'new',
      state_by: null,
      owner: null,
      sightings: 1,
      revision: 1,
      remedy: 'filter',
      title: 'No Strict-Transport-Security',
      evidence: { counts: 'success', requests: 0, requests_needed: 50, used_s_needed: 86_400, is_met: false },
      events: { operation_id: [found.operation.id], risk_flag: 'missing_hsts' },
    });
    expect(found.texts.steps.length).toBeGreaterThan(0);
    const at = Date.parse(found.last_seen);
    expect(Date.parse(found.events.from)).toBeLessThanOrEqual(at);
    expect(Date.parse(found.events.to)).toBeGreaterThan(at);
    expect(await p.history(found.id)).toMatchObject([{ kind: 'opened', by: null }]);
  });

  it('is made neither of informational flags, nor of operations that only scanners asked for', async () => {
    const now = p.clock.now();
    await p.see('GET shop.example/', { flags: { legacy_protocol: now, geo_change: now } });
    await p.see('GET shop.example/.env', { confirmed: false, flags: { vuln_probe_path: now } });
    await p.pass();
    expect(await p.list()).toEqual([]);
  });

  it('goes from new to acknowledged, claimed, fixed by traffic, and comes back', async () => {
    const { id } = await open();
    expect((await p.decide(id, { state: 'acknowledged', note: 'mine' })).body).toMatchObject({
      state: 'acknowledged',
      state_by: p.editor.username,
      reason: 'mine',
      revision: 2,
    });
    expect((await p.decide(id, { state: 'fix_claimed' })).body.state).toBe('fix_claimed');
    await useFor(0.5);
    expect((await p.only()).state).toBe('fix_claimed');
    await useFor(0.6);
    expect(await p.only()).toMatchObject({ state: 'fixed', state_by: null, evidence: { is_met: true } });
    await p.see('GET shop.example/', hsts());
    await p.pass();
    expect(await p.only()).toMatchObject({ state: 'came_back', state_by: null, reason: 'The flag was seen again.' });
    const entries = (await p.history(id)).filter(({ kind }) => kind === 'state');
    expect(entries.map(({ from, to, by }) => [from, to, by])).toEqual([
      ['fixed', 'came_back', null],
      ['fix_claimed', 'fixed', null],
      ['acknowledged', 'fix_claimed', p.editor.username],
      ['new', 'acknowledged', p.editor.username],
    ]);
  });

  it('comes back at once if the flag is seen after somebody said that it is fixed', async () => {
    const { id } = await open();
    await p.decide(id, { state: 'fix_claimed' });
    p.clock.advance(60_000);
    await p.see('GET shop.example/', hsts());
    await p.pass();
    expect((await p.only()).state).toBe('came_back');
  });

  it('stays open while the operation has no traffic, and says since when', async () => {
    const { id, last_seen } = await open();
    await p.decide(id, { state: 'fix_claimed' });
    p.clock.advance(300 * DAY_MS);
    await p.pass();
    expect(await p.only()).toMatchObject({ state: 'fix_claimed', evidence: { no_traffic_since: last_seen } });
  });

  it('cannot be said to be fixed by a person', async () => {
    const { id } = await open();
    for (const state of ['fixed', 'came_back', 'operation_gone'])
      expect((await p.decide(id, { state })).body.code).toBe('request.invalid');
  });
});

describe('an acceptance', () => {
  it('needs a reason and an end in the future, within a year', async () => {
    const { id } = await open();
    const accept = (more: object) => p.decide(id, { state: 'accepted', note: 'legacy', until: inDays(5), ...more });
    for (const until of [inDays(-1), new Date().toISOString(), inDays(367)])
      expect((await accept({ until })).body.code).toBe('finding.until_range');
    expect((await accept({ note: undefined })).body.code).toBe('request.invalid');
    expect((await accept({ note: '  ' })).body.code).toBe('request.invalid');
    expect((await accept({ until: 'tomorrow' })).body.code).toBe('request.invalid');
    expect((await accept({})).body).toMatchObject({ state: 'accepted', reason: 'legacy' });
    expect((await p.decide(id, { state: 'acknowledged' })).body).toMatchObject({ accepted_until: null });
  });

  it('holds while the flag is seen, and comes back after its end, also without traffic', async () => {
    const { id } = await open();
    await p.decide(id, { state: 'accepted', note: 'legacy', until: inDays(5) });
    p.clock.advance(2 * DAY_MS);
    await p.see('GET shop.example/', hsts());
    await p.pass();
    expect((await p.only()).state).toBe('accepted');
    p.clock.advance(4 * DAY_MS);
    await p.pass();
    expect(await p.only()).toMatchObject({ state: 'came_back', accepted_until: null, state_by: null });
    expect((await p.history(id))[0]).toMatchObject({
      from: 'accepted',
      to: 'came_back',
      note: 'The acceptance has ended.',
    });
  });

  it('ends when the traffic shows that it is fixed', async () => {
    const { id } = await open();
    await p.decide(id, { state: 'accepted', note: 'legacy', until: inDays(300) });
    await useFor(2);
    expect(await p.only()).toMatchObject({ state: 'fixed', accepted_until: null });
  });
});

describe('two people', () => {
  it('who decide at the same time do not overwrite each other with If-Match', async () => {
    const { id, revision } = await open();
    const match = { 'if-match': `"${revision}"` };
    const answers = await Promise.all(
      ['acknowledged', 'fix_claimed'].map((state) => p.call('POST', `/${id}/state`, { state }, match)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    expect((await p.history(id)).filter(({ kind }) => kind === 'state')).toHaveLength(1);
  });

  it('who do the same leave one entry', async () => {
    const { id } = await open();
    const answers = await Promise.all([1, 2, 3, 4].map(() => p.decide(id, { state: 'acknowledged' })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await p.history(id)).filter(({ kind }) => kind === 'state')).toHaveLength(1);
  });

  it('cannot decide about a fixed finding', async () => {
    const { id } = await open();
    await useFor(2);
    expect((await p.decide(id, { state: 'acknowledged' })).body.code).toBe('finding.closed');
  });
});

describe('an owner', () => {
  const assign = (id: string, owner_id: string | null) => p.call('POST', `/${id}/owner`, { owner_id });

  it('is an active member of the project', async () => {
    const { id } = await open();
    const member = await p.addMember();
    const stranger = await world.t.createMember('editor');
    expect((await assign(id, member.userId)).body.owner).toEqual({ id: member.userId, name: member.username });
    expect((await assign(id, stranger.userId)).body.code).toBe('finding.unknown_owner');
    expect((await assign(id, createId())).body.code).toBe('finding.unknown_owner');
    expect(await p.list(`?owner_id=${member.userId}`)).toHaveLength(1);
    expect(await p.list('?unassigned=true')).toEqual([]);
    expect((await assign(id, null)).body.owner).toBeNull();
    expect(await p.list('?unassigned=true')).toHaveLength(1);
    const names = (await p.history(id)).filter(({ kind }) => kind === 'owner').map(({ from, to }) => [from, to]);
    expect(names).toEqual([
      [member.username, null],
      [null, member.username],
    ]);
  });

  it('who leaves the project loses the finding, and the history says so', async () => {
    const { id } = await open();
    const member = await p.addMember();
    await assign(id, member.userId);
    const left = await world.t.owner.call('DELETE', `/api/v3/setting/users/${member.userId}/memberships/${p.id}`);
    expect(left.status, JSON.stringify(left.body)).toBeLessThan(300);
    expect((await p.only()).owner).toBeNull();
    p.clock.advance(600_000);
    await p.pass();
    expect((await p.history(id))[0]).toMatchObject({ kind: 'owner', from: member.username, to: null, by: null });
    expect(await p.list('?unassigned=true')).toHaveLength(1);
  });
});

it('comments are kept in the history with their author', async () => {
  const { id } = await open();
  const text = '<script>alert(1)</script> \u202e';
  const made = await p.call('POST', `/${id}/comments`, { text });
  expect([made.status, made.body]).toMatchObject([200, { kind: 'comment', note: text.trim(), by: p.editor.username }]);
  expect((await p.history(id))[0]).toEqual(made.body);
  expect((await p.call('POST', `/${id}/comments`, { text: 'x'.repeat(2001) })).body.code).toBe('request.invalid');
});

describe('a change of many', () => {
  const fill = async () => {
    const now = p.clock.now();
    for (const path of ['a', 'b', 'c'])
      await p.see(`GET shop.example/${path}`, { flags: { missing_hsts: now, missing_csp: now } });
    await p.see('GET other.example/', { flags: { missing_csp: now } });
    await p.pass();
  };
  const many = (select: object, change: object, query = '') => p.call('POST', `/change${query}`, { select, change });

  it('counts in a dry run, and then changes the same ones', async () => {
    await fill();
    const select = { filter: { host: 'shop.', risk_flag: ['missing_csp'] } };
    const counts = { matched: 3, changed: 3, unchanged: 0, refused: 0, remaining: 0 };
    const dry = await many(select, { state: 'acknowledged' }, '?dry_run=true');
    expect([dry.status, dry.body]).toEqual([200, { ...counts, dry_run: true }]);
    expect(await p.list('?state=acknowledged')).toEqual([]);
    expect((await many(select, { state: 'acknowledged' })).body).toEqual(counts);
    expect((await many(select, { state: 'acknowledged' })).body).toMatchObject({ changed: 0, unchanged: 3 });
    expect(await p.list('?state=acknowledged')).toHaveLength(3);
    expect((await p.call('GET', '/summary')).body).toMatchObject({ open: 7, states: { acknowledged: 3, new: 4 } });
  });

  it('accepts and assigns by ids, and leaves out those of another project', async () => {
    await fill();
    const other = await world.openProject();
    await other.see('GET foreign.example/', { flags: { missing_hsts: other.clock.now() } });
    await other.pass();
    const foreign = await other.only();
    const [mine] = await p.list('?limit=1');
    const ids = [mine?.id, foreign.id, createId()];
    const change = { state: 'accepted', note: 'ok', until: inDays(9) };
    expect((await many({ ids }, change)).body).toMatchObject({ matched: 1, changed: 1 });
    expect((await many({ ids }, { owner_id: p.editor.userId })).body).toMatchObject({ matched: 1, changed: 1 });
    expect((await many({ ids }, { ...change, until: inDays(-9) })).body.code).toBe('finding.until_range');
    expect((await other.only()).state).toBe('new');
  });
});

it('of another project nothing is found or changed', async () => {
  const { id } = await open();
  const other = await world.openProject();
  for (const [method, path, body] of [
    ['GET', `/${id}`, undefined],
    ['GET', `/${id}/history`, undefined],
    ['POST', `/${id}/state`, { state: 'acknowledged' }],
    ['POST', `/${id}/owner`, { owner_id: null }],
    ['POST', `/${id}/comments`, { text: 'x' }],
  ] as const)
    expect((await other.call(method, path, body)).body.code, path).toBe('record.not_found');
  expect(await other.list()).toEqual([]);
});

it('viewers read, and change nothing', async () => {
  const { id } = await open();
  const viewer = await p.addMember();
  expect((await viewer.call('GET', `${PATH}/${id}?project=${p.id}`)).status).toBe(200);
  for (const path of [`${id}/state`, `${id}/owner`, `${id}/comments`, 'change'])
    expect((await viewer.call('POST', `${PATH}/${path}?project=${p.id}`, {})).body.code).toBe('role.forbidden');
});

it('the list is filtered, sorted worst first, and paged', async () => {
  const now = p.clock.now();
  await p.see('GET b.example/', { flags: { missing_hsts: now, missing_csp: now, weak_tls_version: now } });
  await p.see('POST a.example/%', { flags: { unauthenticated: now } });
  await p.pass();
  const flags = async (query: string) => (await p.list(query)).map(({ flag }) => flag);
  expect(await flags('')).toEqual(['weak_tls_version', 'missing_hsts', 'unauthenticated', 'missing_csp']);
  expect(await flags('?severity=high&severity=low')).toEqual(['missing_hsts', 'missing_csp']);
  expect(await flags('?host=a.')).toEqual(['unauthenticated']);
  expect(await flags('?q=%25')).toEqual(['unauthenticated']);
  expect(await flags('?q=strict-TRANSPORT')).toEqual(['missing_hsts']);
  expect(await flags('?state=fixed')).toEqual([]);
  const page = (await p.call('GET', '?limit=3&with_total=true')).body;
  expect([page.items.length, page.total]).toEqual([3, 4]);
  expect(await flags(`?limit=3&cursor=${page.next_cursor}`)).toEqual(['missing_csp']);
});
