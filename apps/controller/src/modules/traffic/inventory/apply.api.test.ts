import { randomBytes } from 'node:crypto';
import { createId } from '@flotilla/kit';
import { afterEach, describe, expect, it } from 'vitest';
import { applyBatches, type BatchDeltas } from './apply-store.ts';
import { CLIENT, createDelta, daysAgo, SERVICE } from './testing/deltas.ts';
import { ROOT, useInventoryWorld } from './testing/inventory-world.ts';
import { forgetOldInventory, refreshActivity } from './upkeep-store.ts';

const world = useInventoryWorld();

function createBatch(projectId: string, sequence: number, more: Partial<BatchDeltas> = {}): BatchDeltas {
  const deltas = [createDelta('GET shop.example/orders')];
  return { projectId, clientId: CLIENT, serviceId: SERVICE, epoch: 'e', sequence, deltas, now: new Date(), ...more };
}

const readCounts = (projectId: string) =>
  world.t.database.db
    .selectFrom('inventory_projects')
    .select(['confirmed', 'attack_surface'])
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();

const readGaps = (projectId: string) =>
  world.t.database.db
    .selectFrom('inventory_gaps')
    .select(['client_id', 'service_id', 'batches'])
    .where('project_id', '=', projectId)
    .execute();

afterEach(async () => {
  await world.t.database.db.deleteFrom('inventory_marks').execute();
});

describe('a batch of a sender', () => {
  it('that arrives again, or after a later one, adds nothing', async () => {
    const project = await world.createProject();
    const { db } = world.t.database;
    const send = (sequence: number, more?: Partial<BatchDeltas>) =>
      applyBatches(db, [createBatch(project, sequence, more)]);
    expect(await send(1)).toEqual(['applied']);
    expect(await send(1)).toEqual(['duplicate']);
    expect(await send(3)).toEqual(['applied']);
    expect(await send(2)).toEqual(['duplicate']);
    expect(await send(1, { epoch: 'f' })).toEqual(['applied']);
    expect(await send(1, { serviceId: createId() })).toEqual(['applied']);
    expect((await world.read('', project)).items).toMatchObject([{ seen_count: 4 }]);
  });

  it('is applied once if the same call has it twice', async () => {
    const project = await world.createProject();
    const batch = createBatch(project, 1);
    expect(await applyBatches(world.t.database.db, [batch, { ...batch }])).toEqual(['applied', 'duplicate']);
    expect((await world.read('', project)).items).toMatchObject([{ seen_count: 1 }]);
  });

  it('is applied, however many listeners with however long names it is from', async () => {
    const project = await world.createProject();
    const listeners = Array.from({ length: 50 }, () => randomBytes(100).toString('hex'));
    const deltas = [createDelta('GET shop.example/orders', { listeners })];
    const send = (sequence: number) => applyBatches(world.t.database.db, [createBatch(project, sequence, { deltas })]);
    expect([await send(1), await send(2)]).toEqual([['applied'], ['applied']]);
    expect((await world.read('?with_total=true', project)).total).toBe(1);
  });

  it('is applied, however long its hosts and paths are', async () => {
    const project = await world.createProject();
    const long = (bytes: number) => randomBytes(bytes).toString('hex');
    const names = [`${long(2000)}.example/${long(2000)}`, `shop.example/${'\u{1F6A2}'.repeat(1000)}${long(1000)}`];
    const deltas = names.map((name) => createDelta(`GET ${name}`));
    const send = (sequence: number) => applyBatches(world.t.database.db, [createBatch(project, sequence, { deltas })]);
    expect([await send(1), await send(2)]).toEqual([['applied'], ['applied']]);
    const { items } = await world.read('', project);
    expect(items.map(({ seen_count: seen }: { seen_count: number }) => seen)).toEqual([2, 2]);
  });

  it('shows by its number how many batches before it were dropped', async () => {
    const project = await world.createProject();
    const inputs = [1, 4, 5].map((sequence) => createBatch(project, sequence));
    await applyBatches(world.t.database.db, inputs);
    await applyBatches(world.t.database.db, [createBatch(project, 9)]);
    const gaps = await readGaps(project);
    expect(gaps.reduce((sum, { batches }) => sum + batches, 0)).toBe(5);
    expect(gaps).toContainEqual(expect.objectContaining({ client_id: CLIENT, service_id: SERVICE }));
  });

  it('of a deleted project is answered as a repeated one, and others of the call are applied', async () => {
    const project = await world.createProject();
    const batches = [createBatch(createId(), 1, { epoch: 'gone' }), createBatch(project, 1)];
    expect(await applyBatches(world.t.database.db, batches)).toEqual(['duplicate', 'applied']);
  });

  it('is applied as a whole or not at all', async () => {
    const project = await world.createProject();
    const broken = createDelta('GET shop.example/broken', { latencyMaxMs: 'fast' as never });
    const batch = createBatch(project, 1, { deltas: [createDelta('GET shop.example/fine'), broken] });
    await expect(applyBatches(world.t.database.db, [batch])).rejects.toThrow();
    expect(await world.names('', project)).toEqual([]);
    expect(await applyBatches(world.t.database.db, [createBatch(project, 1)])).toEqual(['applied']);
  });
});

describe('people who look at the inventory', () => {
  it('are notified of batches now and then, and of each reset', async () => {
    const project = await world.createProject();
    const { db } = world.t.database;
    const count = async () => {
      const rows = await db.selectFrom('outbox').select('payload').where('topic', '=', 'live.changed').execute();
      return rows.filter(({ payload }) => {
        const change = payload as { readonly topic?: string; readonly project?: string };
        return change.topic === 'inventory' && change.project === project;
      }).length;
    };
    const now = new Date();
    const later = new Date(now.getTime() + 6000);
    for (const sequence of [1, 2, 3]) await applyBatches(db, [createBatch(project, sequence, { now })]);
    expect(await count()).toBe(1);
    await applyBatches(db, [createBatch(project, 4, { now: later })]);
    expect(await count()).toBe(2);
    const admin = await world.t.createMember('admin', project);
    await admin.call('POST', `${ROOT}/reset?project=${project}`, { operations: 'all' });
    expect(await count()).toBe(3);
  });
});

describe('many collectors', () => {
  it('that apply batches of the same operations at the same time lose no request', async () => {
    const [one, two] = [await world.createProject(), await world.createProject()];
    const { db } = world.t.database;
    await Promise.all(
      Array.from({ length: 24 }, (_, i) => {
        const projects = i % 2 === 0 ? [one, two] : [two, one];
        const deltas = [createDelta('GET a.example/x'), createDelta(`GET a.example/${i % 5}`)];
        return applyBatches(
          db,
          projects.map((projectId, at) => createBatch(projectId, 1, { epoch: `${i}-${at}-${projectId}`, deltas })),
        );
      }),
    );
    for (const project of [one, two]) {
      const { items } = await world.read('', project);
      expect(items).toHaveLength(6);
      expect(items.find((item: { normalized_path: string }) => item.normalized_path === '/x').seen_count).toBe(24);
      expect(await readCounts(project)).toEqual({ confirmed: 6, attack_surface: 0 });
    }
  });

  it('and people who reset and delete at the same time leave whole rows and right counts', async () => {
    const project = await world.createProject();
    const { db } = world.t.database;
    const admin = await world.t.createMember('admin', project);
    const names = ['GET a.example/1', 'GET a.example/2', 'GET a.example/3'];
    const round = async (i: number) => {
      const deltas = names.map((name) => createDelta(name));
      await applyBatches(db, [createBatch(project, 1, { epoch: `race-${i}`, deltas })]);
    };
    await round(0);
    const ids = await Promise.all(names.map((name) => world.idOf(name, project)));
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        const id = ids[i % 3];
        if (i % 3 === 0) return admin.call('POST', `${ROOT}/${id}/reset?project=${project}`);
        if (i % 5 === 0) return admin.call('DELETE', `${ROOT}/${id}?project=${project}`);
        return round(i + 1);
      }),
    );
    for (const answer of answers) if (answer) expect([200, 204, 404]).toContain(answer.status);
    await round(99);
    const details = await db
      .selectFrom('inventory_details')
      .select('state')
      .where('project_id', '=', project)
      .execute();
    const rows = await db.selectFrom('inventory_operations').select('seen').where('project_id', '=', project).execute();
    expect(details.map(({ state }) => state.seen).toSorted()).toEqual(rows.map(({ seen }) => seen).toSorted());
    expect(await readCounts(project)).toEqual({ confirmed: 3, attack_surface: 0 });
  });
});

describe('the limits of operations', () => {
  const limits = { confirmed: 3, attackSurface: 2 } as never;
  const probes = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => createDelta(`GET a.example/probe-${from + i}`, { confirmed: false }));

  it('count probes beyond them in one row, and leave room for operations that exist', async () => {
    const project = await world.createProject();
    const { db } = world.t.database;
    const apply = (epoch: string, deltas: BatchDeltas['deltas']) =>
      applyBatches(db, [createBatch(project, 1, { epoch, deltas })], limits);
    for (let i = 0; i < 4; i += 1) await apply(`p${i}`, probes(i * 500, 500));
    expect(await readCounts(project)).toEqual({ confirmed: 0, attack_surface: 2 });
    const { items } = await world.read('/attack-surface?sort=-seen_count', project);
    expect(items).toHaveLength(3);
    expect(items[0]).toMatchObject({ other: true, host: '{other}', seen_count: 1998, confirmed: false });

    await apply(
      'q',
      ['1', '2', '3', '4'].map((name) => createDelta(`GET a.example/${name}`)),
    );
    // Known operations still count, whatever is full.
    await apply('r', [createDelta('GET a.example/1'), ...probes(0, 1)]);
    const confirmed = (await world.read('?sort=-seen_count', project)).items;
    expect(confirmed.map((item: { other: boolean; seen_count: number }) => [item.other, item.seen_count])).toEqual(
      expect.arrayContaining([
        [false, 2],
        [false, 1],
        [true, 1],
      ]),
    );
    expect(confirmed).toHaveLength(4);
    expect(await readCounts(project)).toEqual({ confirmed: 3, attack_surface: 2 });
  });

  it('say in every list which half is full', async () => {
    const project = await world.createProject();
    await applyBatches(world.t.database.db, [createBatch(project, 1)]);
    const full = { confirmed: 100_000, attack_surface: 3 };
    const { db } = world.t.database;
    await db.updateTable('inventory_projects').set(full).where('project_id', '=', project).execute();
    for (const path of ['', '/operations', '/listeners', '/pii'])
      expect((await world.read(path, project)).saturated).toEqual({ confirmed: true, attack_surface: false });
    await forgetOldInventory(db, new Date());
    expect(await readCounts(project)).toEqual({ confirmed: 1, attack_surface: 0 });
  });

  it('are kept by a probe that turns out to be an operation', async () => {
    const project = await world.createProject();
    const apply = (epoch: string, deltas: BatchDeltas['deltas']) =>
      applyBatches(world.t.database.db, [createBatch(project, 1, { epoch, deltas })], limits);
    await apply('a', [...probes(0, 2), ...['1', '2', '3'].map((name) => createDelta(`GET a.example/${name}`))]);
    await apply('b', [createDelta('GET a.example/probe-0')]);
    expect(await readCounts(project)).toEqual({ confirmed: 3, attack_surface: 2 });
    const { items } = await world.read('', project);
    expect(items.filter((item: { other: boolean }) => item.other)).toMatchObject([{ seen_count: 1 }]);
  });
});

describe('the upkeep of the inventory', () => {
  it('lets scores expire without traffic', async () => {
    const project = await world.createProject();
    const atMs = Date.now() - 1000;
    const delta = createDelta('GET a.example/x', {
      atMs,
      flags: { brute_force_suspect: atMs },
      threatMax: 10,
      anonymousMs: atMs,
    });
    await applyBatches(world.t.database.db, [createBatch(project, 1, { deltas: [delta] })]);
    expect(await world.names('?min_active_risk_score=1', project)).toHaveLength(1);
    await refreshActivity(world.t.database.db, new Date(daysAgo(-8)));
    expect(await world.names('?min_active_risk_score=1', project)).toEqual([]);
    expect(await world.names('?min_risk_score=10', project)).toHaveLength(1);
    expect(await world.names('?auth_posture=unknown', project)).toHaveLength(1);
  });

  it('deletes probes that stopped, and keeps confirmed operations', async () => {
    const project = await world.createProject();
    const deltas = [createDelta('GET a.example/old'), createDelta('GET a.example/.env', { confirmed: false })].map(
      (delta) => ({ ...delta, firstMs: daysAgo(40), lastMs: daysAgo(31) }),
    );
    await applyBatches(world.t.database.db, [createBatch(project, 1, { deltas })]);
    await forgetOldInventory(world.t.database.db, new Date());
    expect(await world.names('', project)).toEqual(['GET a.example/old']);
    expect(await world.names('/attack-surface', project)).toEqual([]);
    expect(await readCounts(project)).toEqual({ confirmed: 1, attack_surface: 0 });
  });
});
