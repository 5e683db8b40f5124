import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { idsOf, resolveMerges } from '../inventory/index.ts';
import { count, idOf, learn, sumSeen } from './testing/world.ts';

const ROOT = '/api/v3/inventory';
const WAIT = { interval: 50 };
const HOST = 'shop.example';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t?.close());

const db = () => t.database.db;
const newProject = () => t.createProject(`project-${createId().slice(-8)}`);
const ORDERS = ['/orders/1', '/orders/2', '/orders/3', '/health'];

async function call(method: string, path: string, project: string, body?: unknown) {
  const url = `${path}${path.includes('?') ? '&' : '?'}project=${project}`;
  return t.owner.call(method, url, body);
}

/** Runs the job and returns what it did. */
async function rewrite(project: string, apply = true) {
  const started = await call('POST', `${ROOT}/rewrites`, project, { apply });
  expect(started.status, JSON.stringify(started.body)).toBe(202);
  const url = `/api/v3/jobs/${started.body.job.id}`;
  await expect
    .poll(async () => (await call('GET', url, project)).body.status, WAIT)
    .not.toMatch(/pending|running|retry/);
  expect((await call('GET', url, project)).body).toMatchObject({ status: 'done' });
  const { body } = await call('GET', `${ROOT}/rewrites`, project);
  return body.items[0];
}

async function list(project: string) {
  const { body } = await call('GET', `${ROOT}?limit=1000&sort=normalized_path`, project);
  return body.items.map(
    (item: { normalized_path: string; seen_count: number }) => `${item.normalized_path} ${item.seen_count}`,
  );
}

async function counts(project: string) {
  return db()
    .selectFrom('inventory_projects')
    .select(['confirmed', 'attack_surface'])
    .where('project_id', '=', project)
    .executeTakeFirst();
}

describe('the job that names stored operations again', () => {
  it('merges the paths that came before their template was learned, and adds their counts', async () => {
    const project = await newProject();
    await count(
      db(),
      project,
      ORDERS.map((path) => `GET ${HOST}${path}`),
      { seen: 5, consumers: ['a'], flags: { unauthenticated: Date.now() - 1000 } },
    );
    await count(db(), project, [`GET ${HOST}/orders/{id}`], { seen: 100, consumers: ['b'] });
    await learn(db(), project, { host: HOST, paths: ORDERS });
    const run = await rewrite(project);
    expect(run).toMatchObject({
      applies: true,
      scanned: 5,
      moved: 3,
      merged: 3,
      split: 0,
      ended_at: expect.any(String),
    });
    expect(await list(project)).toEqual(['/health 5', '/orders/{id} 115']);
    expect(await counts(project)).toEqual({ confirmed: 2, attack_surface: 0 });
    const id = idOf(project, HOST, '/orders/{id}');
    const { body } = await call('GET', `${ROOT}/${id}`, project);
    expect(body).toMatchObject({ seen_count: 115, status_codes: { 200: 115 }, consumers: ['a', 'b'] });
    expect(body.exposure_flags.map(({ flag }: { flag: string }) => flag)).toEqual(['unauthenticated']);
  });

  it('changes nothing the second time', async () => {
    const project = await newProject();
    await count(
      db(),
      project,
      ORDERS.map((path) => `GET ${HOST}${path}`),
    );
    await learn(db(), project, { host: HOST, paths: ORDERS });
    await rewrite(project);
    const before = await list(project);
    expect(await rewrite(project)).toMatchObject({ moved: 0, merged: 0, split: 0 });
    expect(await list(project)).toEqual(before);
  });

  it('changes nothing in a dry run, and says what it would do', async () => {
    const project = await newProject();
    await count(
      db(),
      project,
      ORDERS.map((path) => `GET ${HOST}${path}`),
      { seen: 2 },
    );
    await learn(db(), project, { host: HOST, paths: ORDERS });
    const before = await list(project);
    const run = await rewrite(project, false);
    expect(run).toMatchObject({ applies: false, scanned: 4, moved: 3, merged: 2, split: 0 });
    expect(run.renamings).toHaveLength(3);
    expect(run.renamings[0]).toMatchObject({ kind: 'moves', to: ['/orders/{id}'], seen_count: 2 });
    expect(await list(project)).toEqual(before);
  });

  it('answers for a merged operation with the one that it is part of, and its events are found', async () => {
    const project = await newProject();
    await count(
      db(),
      project,
      ORDERS.map((path) => `GET ${HOST}${path}`),
    );
    await learn(db(), project, { host: HOST, paths: ORDERS });
    await rewrite(project);
    const [old, target] = [idOf(project, HOST, '/orders/1'), idOf(project, HOST, '/orders/{id}')];
    const gone = await call('GET', `${ROOT}/${old}`, project);
    expect(gone.status).toBe(410);
    expect(JSON.stringify(gone.body)).toContain(target);
    expect(await resolveMerges(db(), project, [old, target])).toEqual(new Map([[old, target]]));
    const ids = ['/orders/{id}', '/orders/1', '/orders/2', '/orders/3'].map((path) => idOf(project, HOST, path));
    expect(new Set(await idsOf(db(), project, target))).toEqual(new Set(ids));
    expect((await idsOf(db(), project, old))[0]).toBe(target);
  });

  it('applies rules of operators, and moves on what a rule moved before', async () => {
    const project = await newProject();
    await count(
      db(),
      project,
      ['/o/ord-a/x', '/o/ord-b/x'].map((path) => `GET ${HOST}${path}`),
      { seen: 3 },
    );
    const setRules = async (rules: readonly object[]) => {
      const url = '/api/v3/setting/documents/api_discovery';
      const answer = await call('PATCH', url, project, { policy: { path_normalize_patterns: rules } });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    };
    await setRules([{ regex: 'ord-[a-z]', placeholder: 'id' }]);
    expect(await rewrite(project)).toMatchObject({ moved: 2, merged: 1 });
    expect(await list(project)).toEqual(['/o/{id}/x 6']);
    // The routes give the same paths another name: a chain of merges has one end.
    await learn(db(), project, { host: HOST, paths: ['/o/{id}/x', '/o/{uuid}/x'].map((path) => path) });
    await rewrite(project);
    const [end] = await list(project);
    const path = String(end).split(' ')[0] ?? '';
    const first = idOf(project, HOST, '/o/ord-a/x');
    expect((await resolveMerges(db(), project, [first])).get(first)).toBe(idOf(project, HOST, path));
    expect(await sumSeen(db(), project)).toEqual({ seen: 6, rows: 1 });
  });

  it('leaves operations of other projects alone, also with the same hosts', async () => {
    const [mine, other] = [await newProject(), await newProject()];
    for (const project of [mine, other])
      await count(
        db(),
        project,
        ORDERS.map((path) => `GET ${HOST}${path}`),
      );
    await learn(db(), mine, { host: HOST, paths: ORDERS });
    await rewrite(mine);
    expect(await list(other)).toEqual(['/health 1', '/orders/1 1', '/orders/2 1', '/orders/3 1']);
    expect(await rewrite(other)).toMatchObject({ moved: 0 });
    const { rows } = await sumSeen(db(), mine);
    expect(rows).toBe(2);
    expect(await resolveMerges(db(), other, [idOf(mine, HOST, '/orders/1')])).toEqual(new Map());
  });

  it('makes an operation of the attack surface a part of a confirmed one without losing count of the halves', async () => {
    const project = await newProject();
    await count(db(), project, [`GET ${HOST}/orders/9`], { confirmed: false });
    await count(db(), project, [`GET ${HOST}/orders/{id}`]);
    expect(await counts(project)).toEqual({ confirmed: 1, attack_surface: 1 });
    await learn(db(), project, { host: HOST, paths: ORDERS });
    await rewrite(project);
    expect(await counts(project)).toEqual({ confirmed: 1, attack_surface: 0 });
    const hidden = await newProject();
    await count(db(), hidden, [`GET ${HOST}/orders/{id}`], { confirmed: false });
    await count(db(), hidden, [`GET ${HOST}/orders/9`]);
    await learn(db(), hidden, { host: HOST, paths: ORDERS });
    await rewrite(hidden);
    expect(await counts(hidden)).toEqual({ confirmed: 1, attack_surface: 0 });
  });
});

describe('requests after a merge', () => {
  const setUp = async () => {
    const project = await newProject();
    await count(
      db(),
      project,
      ORDERS.map((path) => `GET ${HOST}${path}`),
    );
    await learn(db(), project, { host: HOST, paths: ORDERS });
    await rewrite(project);
    return project;
  };

  it('that were named before it count for the target', async () => {
    const project = await setUp();
    await count(db(), project, [`GET ${HOST}/orders/1`, `GET ${HOST}/orders/2`, `GET ${HOST}/carts`], { seen: 10 });
    expect(await list(project)).toEqual(['/carts 10', '/health 1', '/orders/{id} 23']);
    expect(await counts(project)).toEqual({ confirmed: 3, attack_surface: 0 });
  });

  it('that keep their name make it an operation of its own again', async () => {
    const project = await setUp();
    await db()
      .updateTable('inventory_merges')
      .set({ merged_at: new Date(Date.now() - 3_600_000) })
      .where('project_id', '=', project)
      .execute();
    await count(db(), project, [`GET ${HOST}/orders/1`], { seen: 10 });
    expect(await list(project)).toEqual(['/health 1', '/orders/1 10', '/orders/{id} 3']);
    const id = idOf(project, HOST, '/orders/1');
    expect(await idsOf(db(), project, id)).toEqual([id]);
  });

  it('return under their own name if the target was deleted', async () => {
    const project = await setUp();
    const target = idOf(project, HOST, '/orders/{id}');
    expect((await call('DELETE', `${ROOT}/${target}`, project)).status).toBe(204);
    await count(db(), project, [`GET ${HOST}/orders/1`]);
    expect(await list(project)).toEqual(['/health 1', '/orders/1 1']);
  });
});

describe('changes since a snapshot', () => {
  it('name an operation once that was merged by its template, not as removed and new ones', async () => {
    const project = await newProject();
    await count(
      db(),
      project,
      ORDERS.map((path) => `GET ${HOST}${path}`),
      { statuses: { 200: 1, 404: 1 } },
    );
    await call('POST', `${ROOT}/snapshots`, project);
    await learn(db(), project, { host: HOST, paths: ORDERS });
    await rewrite(project);
    const since = new Date().toISOString();
    const { body } = await call('GET', `${ROOT}/changes?since=${since}`, project);
    expect(
      body.items.map(({ type, normalized_path: path, detail }: Record<string, unknown>) => [type, path, detail]),
    ).toEqual([['templated', '/orders/{id}', ['3']]]);
  });
});

describe('a preview of rules', () => {
  const preview = (project: string, rules: readonly object[]) =>
    call('POST', `${ROOT}/path-rules/preview`, project, { rules });

  it('says what rules would change, and changes nothing', async () => {
    const project = await newProject();
    await count(
      db(),
      project,
      ['/o/ord-a', '/o/ord-b', '/o/{id}', '/users'].map((path) => `GET ${HOST}${path}`),
      { seen: 4 },
    );
    const before = await list(project);
    const { status, body } = await preview(project, [
      { regex: 'never', placeholder: 'id' },
      { regex: 'ord-[a-z]', placeholder: 'id' },
    ]);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      problems: [],
      scanned: 4,
      truncated: false,
      moves: 2,
      merges: 2,
      unforeseen: 1,
      paths_recorded: false,
    });
    expect(body.renamings[0]).toMatchObject({ to: ['/o/{id}'], seen_count: 4 });
    expect(body.matches).toEqual([
      { index: 0, segments: [], count: 0 },
      { index: 1, segments: expect.arrayContaining(['ord-a', 'ord-b']), count: 2 },
    ]);
    expect(await list(project)).toEqual(before);
  });

  it('says how many operations a rule might divide, and does not claim to know the parts', async () => {
    const project = await newProject();
    const paths = ['/o/{id}', '/o/{id}/parts/{part}', '/o/all', '/health'];
    await count(
      db(),
      project,
      paths.map((path) => `GET ${HOST}${path}`),
    );
    const { body } = await preview(project, [{ regex: 'ord-[a-z]', placeholder: 'id' }]);
    expect(body).toMatchObject({ moves: 0, unforeseen: 2 });
    expect(body).not.toHaveProperty('splits');
    expect((await preview(project, [])).body).toMatchObject({ unforeseen: 0 });
  });

  it('names the rules that cannot be used, by index', async () => {
    const project = await newProject();
    const { body } = await preview(project, [
      { regex: 'ok-[a-z]', placeholder: 'id' },
      { regex: '(', placeholder: 'id' },
      { regex: '[a-z]+', placeholder: 'id' },
      { regex: 'x-[0-9]', placeholder: 'secret' },
    ]);
    expect(body.problems.map(({ index }: { index: number }) => index)).toEqual([1, 2, 3]);
    expect(body).toMatchObject({ scanned: 0, moves: 0 });
    const many = await preview(
      project,
      Array.from({ length: 65 }, () => ({ regex: 'a-b', placeholder: 'id' })),
    );
    expect(many.body.problems).toEqual([{ index: 64, message: expect.stringContaining('64') }]);
  });
});
