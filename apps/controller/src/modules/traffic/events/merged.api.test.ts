import { RISK_FLAGS } from '@flotilla/inventory';
import { createId, systemClock } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runPass } from '../findings/pass.ts';
import { applyBatches, createDelta } from '../inventory/testing/index.ts';
import { createEventWorld, type EventWorld } from './testing/event-world.ts';

const OLD = ['00000000000000b1', '00000000000000b2'] as const;
let w: EventWorld;
let target = '';

beforeAll(async () => {
  w = await createEventWorld();
  const { db, owner } = w.t.database;
  const atMs = w.nowMs;
  const delta = createDelta('GET shop.example/users/{id}', { atMs, flags: { missing_hsts: atMs }, exposureMax: 7 });
  const batch = { projectId: w.t.project, clientId: createId(), serviceId: createId(), epoch: 'e', sequence: 1 };
  await applyBatches(db, [{ ...batch, deltas: [delta], now: new Date() }]);
  const { rows } = await sql<{
    id: string;
  }>`select id from inventory_operations where project_id = ${w.t.project}`.execute(owner);
  target = rows[0]?.id ?? '';
  for (const id of OLD)
    await sql`insert into inventory_merges (project_id, operation_id, target_id, merged_at)
      values (${w.t.project}, ${id}, ${target}, now())`.execute(owner);
  const flags = [RISK_FLAGS.missing_hsts.bit];
  const named = { method: 'GET', host: 'shop.example', flags } as const;
  await w.append([
    w.event({ ...named, operationId: OLD[0], path: '/users/1', status: 500 }),
    w.event({ ...named, operationId: OLD[1], path: '/users/2' }),
    w.event({ ...named, operationId: target, path: '/users/{id}' }),
    w.event({ ...named, operationId: '00000000000000c1', path: '/other' }),
    w.event({ ...named, operationId: '00000000000000c1', path: '/other' }),
  ]);
  await runPass({ db, clock: systemClock, write: (work) => db.transaction().execute(work) });
}, 120_000);
afterAll(() => w?.close());

describe('operations that are part of another one', () => {
  it('have one row with it in a ranking, in the place of their sum', async () => {
    const { items, totals } = await w.get('/top', { by: 'operation' });
    expect(items.map(({ value, label, requests }: Record<string, unknown>) => [value, label, requests])).toEqual([
      [target, 'GET shop.example/users/{id}', 3],
      ['00000000000000c1', 'GET shop.example/other', 2],
    ]);
    expect(totals.requests).toBe(5);
  });

  it('have one row with it among the operations with errors', async () => {
    const { items } = await w.get('/errors');
    expect(items).toMatchObject([
      { operation_id: target, normalized_path: '/users/{id}', requests: 3, server_errors: 1 },
    ]);
  });

  it('keep the name of their time while their target is not in the catalogue', async () => {
    const project = await w.t.createProject('elsewhere');
    await w.append([w.event({ operationId: OLD[0], method: 'GET', host: 'shop.example', path: '/users/1' })], project);
    const { items } = await w.get('/top', { by: 'operation' }, { project });
    expect(items).toMatchObject([{ value: OLD[0], label: 'GET shop.example/users/1' }]);
  });

  it('are found by the link of a finding to its requests', async () => {
    const { items } = await w.get('/findings');
    const finding = await w.get(`/findings/${items[0].id}`);
    const { operation_id, risk_flag, from, to } = finding.events;
    expect(operation_id).toEqual([target]);
    const found = await w.get('/events', { operation_id, risk_flag, from, to });
    expect(found.items.map((event: { operation_id: string }) => event.operation_id).toSorted()).toEqual(
      [...OLD, target].toSorted(),
    );
  });
});
