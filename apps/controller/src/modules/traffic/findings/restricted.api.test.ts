import { createId, systemClock } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { createRestrictedWorld, type RestrictedWorld } from '../../identity/permissions/testing/listed-world.ts';
import { applyRestricted } from '../inventory/testing/index.ts';
import { runPass } from './pass.ts';
import { PATH } from './testing/finding-world.ts';

let w: RestrictedWorld;
const ids: Record<string, string> = {};

beforeAll(async () => {
  w = await createRestrictedWorld();
  const atMs = Date.now() - 60_000;
  await applyRestricted(w, { atMs, flags: { missing_hsts: atMs } });
  await pass();
  for (const { id, operation } of (await call(w.admin, 'GET', '')).body.items) ids[operation.host.split('.')[0]] = id;
}, 120_000);
afterAll(() => w?.t.close());

const pass = () => {
  const { db } = w.t.database;
  return runPass({ db, clock: systemClock, write: (work) => db.transaction().execute(work) });
};
const call = (by: TestCaller, method: string, path: string, body?: unknown) =>
  by.call(method, `${PATH}${path}?project=${w.t.project}`, body);

describe('a member of a restricted project', () => {
  it('sees and counts only the findings of operations that they may see', async () => {
    expect((await call(w.editor, 'GET', '')).body.items.map(({ id }: { id: string }) => id)).toEqual([ids.shown]);
    expect((await call(w.editor, 'GET', '/summary')).body).toMatchObject({ open: 1 });
    for (const path of ['', '/history'])
      expect((await call(w.editor, 'GET', `/${ids.hidden}${path}`)).body.code).toBe('record.not_found');
  });

  it('changes only those, one by one and many at once', async () => {
    for (const [path, body] of [
      ['state', { state: 'acknowledged' }],
      ['owner', { owner_id: null }],
      ['comments', { text: 'x' }],
    ] as const)
      expect((await call(w.editor, 'POST', `/${ids.hidden}/${path}`, body)).body.code).toBe('record.not_found');
    const change = { state: 'acknowledged' };
    const byIds = { select: { ids: [ids.hidden, ids.shown] }, change };
    expect((await call(w.editor, 'POST', '/change', byIds)).body).toMatchObject({ matched: 1, changed: 1 });
    const all = { select: { filter: {} }, change: { state: 'fix_claimed' } };
    expect((await call(w.editor, 'POST', '/change', all)).body).toMatchObject({ matched: 1, changed: 1 });
    expect((await call(w.admin, 'GET', `/${ids.hidden}`)).body).toMatchObject({ state: 'new', revision: 1 });
  });

  it('is an owner only of those, and no longer when the access ends', async () => {
    const assign = (id: string | undefined) => call(w.admin, 'POST', `/${id}/owner`, { owner_id: w.editor.userId });
    expect((await assign(ids.hidden)).body.code).toBe('finding.owner_access');
    expect((await assign(ids.shown)).body.owner.id).toBe(w.editor.userId);
    await pass();
    expect((await call(w.admin, 'GET', `/${ids.shown}`)).body.owner.id).toBe(w.editor.userId);
    await sql`delete from permissions where user_id = ${w.editor.userId} and resource_kind = 'service'`.execute(
      w.t.database.db,
    );
    await pass();
    expect((await call(w.admin, 'GET', `/${ids.shown}`)).body.owner).toBeNull();
  });

  it('sees no alert about a finding that they may not see', async () => {
    const rows = ['hidden', 'shown'].map((name) => ({ id: createId(), subject: ids[name], name }));
    await sql`
      insert into alerts (id, project_id, rule_name, condition, severity, fingerprint, state, subject_kind, subject_id,
        subject_name, summary, since)
      select id, ${w.t.project}, 'r', 'finding', 'warning', name, 'firing', 'finding', subject, name, '', now()
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(id uuid, subject uuid, name text)`.execute(
      w.t.database.db,
    );
    const names = async (by: TestCaller) =>
      (await by.call('GET', `/api/v3/alerts?project=${w.t.project}`)).body.items
        .filter(({ condition }: { condition: string }) => condition === 'finding')
        .map(({ subject }: { subject: { name: string } }) => subject.name)
        .toSorted();
    expect(await names(w.admin)).toEqual(['hidden', 'shown']);
    expect(await names(w.editor)).not.toContain('hidden');
  });
});
