import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { runPass } from './pass.ts';
import {
  copyOperations,
  DAY_MS,
  deleteOperation,
  type FindingProject,
  useFindingWorld,
} from './testing/finding-world.ts';

const world = useFindingWorld();
let p: FindingProject;
beforeEach(async () => {
  p = await world.openProject();
});

const db = () => world.t.database.db;
const hsts = () => ({ flags: { missing_hsts: p.clock.now() }, exposureMax: 7 });
const open = async (name = 'GET shop.example/') => {
  await p.see(name, hsts());
  await p.pass();
};
const sweep = async () => {
  p.clock.advance(16 * 60_000);
  await p.pass();
};
const merge = (from: string, to: string) =>
  sql`insert into inventory_merges (project_id, operation_id, target_id, merged_at) values (${p.id}, ${from}, ${to}, now())`.execute(
    db(),
  );

describe('the pass', () => {
  it('repeated, or run by two leaders at the same time, makes each finding once', async () => {
    for (let i = 0; i < 20; i += 1) await p.see(`GET shop.example/p${i}`, hsts());
    await Promise.all([p.pass(), p.pass(), p.pass()]);
    const found = await p.list('?limit=1000');
    expect(found).toHaveLength(20);
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from inventory_finding_history where project_id = ${p.id}`.execute(db());
    expect(rows).toEqual([{ count: 20 }]);
    await p.pass();
    expect((await p.list('?limit=1000')).every(({ sightings, revision }) => sightings === 1 && revision === 1)).toBe(
      true,
    );
  });

  it('that is interrupted continues where it was, in a later one', async () => {
    const count = 1100;
    const now = p.clock.now();
    await fillOperations(count, now);
    let transactions = 0;
    const interrupted = runPass({
      db: db(),
      clock: p.clock,
      write: (work) => {
        transactions += 1;
        if (transactions > 3) throw new Error('killed');
        return db().transaction().execute(work);
      },
    });
    await expect(interrupted).rejects.toThrow('killed');
    await p.pass();
    await p.pass();
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from inventory_findings where project_id = ${p.id}`.execute(db());
    expect(rows).toEqual([{ count }]);
  });

  it('leaves a finding alone that somebody changes at this moment, and compares it in the next one', async () => {
    await open();
    p.clock.advance(2 * DAY_MS);
    await p.see('GET shop.example/', { seen: 100, statuses: { 200: 100 } });
    const { id } = await p.only();
    await db()
      .transaction()
      .execute(async (tx) => {
        await sql`select from inventory_findings where id = ${id} for update`.execute(tx);
        await p.pass();
      });
    expect((await p.only()).state).toBe('new');
    await sweep();
    expect((await p.only()).state).toBe('fixed');
  });

  it('reads reports that are a day late', async () => {
    await open();
    const late = p.clock.now() - DAY_MS;
    await p.see('GET shop.example/', { flags: { missing_csp: late }, firstMs: late, lastMs: late });
    await sweep();
    expect((await p.list()).map(({ flag }) => flag)).toEqual(['missing_hsts', 'missing_csp']);
  });
});

describe('an operation that is gone', () => {
  it('ends its findings without saying that they are fixed, and brings them back with its traffic', async () => {
    await open();
    const { id, operation } = await p.only();
    await deleteOperation(world.t, p.id, operation.id);
    await sweep();
    expect(await p.only()).toMatchObject({ id, state: 'operation_gone', evidence: null, operation });
    expect((await p.decide(id, { state: 'acknowledged' })).body.code).toBe('finding.closed');
    p.clock.advance(60_000);
    await open();
    expect(await p.only()).toMatchObject({ id, state: 'came_back' });
  });

  it('because it is part of another one moves its findings there, with their history', async () => {
    await open('GET shop.example/users/1');
    const { id, operation } = await p.only();
    await p.decide(id, { state: 'acknowledged' });
    await p.see('GET shop.example/users/{id}', { seen: 500, statuses: { 200: 500 } });
    const target = await targetId('/users/{id}');
    await deleteOperation(world.t, p.id, operation.id);
    await merge(operation.id, 'aaaaaaaaaaaaaaaa');
    await merge('aaaaaaaaaaaaaaaa', target);
    await sweep();
    const moved = await p.only();
    expect(moved).toMatchObject({
      id,
      state: 'acknowledged',
      operation: { id: target, normalized_path: '/users/{id}' },
      evidence: { starts_with: 'merge', requests: 0 },
    });
    expect((await p.history(id))[0]).toMatchObject({ kind: 'moved', from: operation.id, to: target });
  });

  it('hands what people decided to the finding that the other operation has already', async () => {
    await open('GET shop.example/users/1');
    const lost = await p.only();
    const until = new Date(Date.now() + 5 * DAY_MS).toISOString();
    await p.decide(lost.id, { state: 'accepted', note: 'old client', until });
    await p.call('POST', `/${lost.id}/owner`, { owner_id: p.editor.userId });
    await p.see('GET shop.example/users/{id}', hsts());
    await p.pass();
    await deleteOperation(world.t, p.id, lost.operation.id);
    await merge(lost.operation.id, await targetId('/users/{id}'));
    await sweep();
    const [kept] = await p.list('?state=accepted');
    expect(kept).toMatchObject({
      reason: 'old client',
      accepted_until: until,
      owner: { id: p.editor.userId },
      sightings: 2,
    });
    expect(await p.list('?state=operation_gone')).toMatchObject([{ id: lost.id }]);
  });

  it('with a thousand others, of which many become part of one, ends all of their findings in one sweep', async () => {
    const count = 1200;
    await fillOperations(count, p.clock.now());
    await p.pass();
    await p.see('GET shop.example/p/{id}', hsts());
    const target = await targetId('/p/{id}');
    await sql`insert into inventory_merges (project_id, operation_id, target_id, merged_at)
      select project_id, id, ${target}, now() from inventory_operations
      where project_id = ${p.id} and id <> ${target} and right(id, 1) < '8'`.execute(db());
    await sql`delete from inventory_operations where project_id = ${p.id} and id <> ${target}`.execute(db());
    await sweep();
    const { rows } = await sql<{ state: string; operation_id: string | null; count: number }>`
      select state, case when operation_id = ${target} then operation_id end as operation_id, count(*)::int as count
      from inventory_findings where project_id = ${p.id} group by 1, 2 order by 1`.execute(db());
    expect(rows).toEqual([
      { state: 'new', operation_id: target, count: 1 },
      { state: 'operation_gone', operation_id: null, count },
    ]);
  });

  it('in a circle of merges ends its findings', async () => {
    await open();
    const { operation } = await p.only();
    await deleteOperation(world.t, p.id, operation.id);
    await merge(operation.id, 'bbbbbbbbbbbbbbbb');
    await merge('bbbbbbbbbbbbbbbb', operation.id);
    await sweep();
    expect((await p.only()).state).toBe('operation_gone');
  });
});

it('a reset is no evidence', async () => {
  await open();
  const { operation } = await p.only();
  const admin = await p.addMember('admin');
  p.clock.advance(DAY_MS);
  const reset = await admin.call('POST', `/api/v3/inventory/${operation.id}/reset?project=${p.id}`);
  expect(reset.status).toBe(200);
  await sweep();
  expect(await p.only()).toMatchObject({ state: 'new', evidence: { starts_with: 'reset', requests: 0 } });
  p.clock.advance(DAY_MS);
  await p.see('GET shop.example/', { seen: 60, statuses: { 200: 60 } });
  await p.pass();
  expect((await p.only()).state).toBe('fixed');
});

it('hosts with markup, controls and wildcards are stored as they are', async () => {
  const host = '<img src=x onerror=alert(1)>%_"\u202e';
  await open(`GET ${host}/a'b`);
  expect((await p.only()).operation).toMatchObject({ host: expect.stringContaining('<img') });
});

async function targetId(path: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select id from inventory_operations where project_id = ${p.id} and path = ${path}`.execute(db());
  return rows[0]?.id ?? '';
}

/** Copies of one operation with the flag. */
async function fillOperations(count: number, atMs: number): Promise<void> {
  await p.see('GET shop.example/first', { flags: { missing_hsts: atMs } });
  await copyOperations(db(), p.id, count - 1);
}
