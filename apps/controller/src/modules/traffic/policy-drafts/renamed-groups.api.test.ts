import { type OperationDelta, toOperationId } from '@flotilla/inventory';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { createRestrictedWorld, type RestrictedWorld } from '../../identity/permissions/testing/listed-world.ts';
import { renameOperations } from '../inventory/index.ts';
import { applyBatches, createDelta } from '../inventory/testing/index.ts';

const HOST = 'shop.example';
let w: RestrictedWorld;
let other: string;
let sequence = 0;
beforeAll(async () => {
  w = await createRestrictedWorld();
  other = await w.t.createProject('elsewhere');
}, 120_000);
afterAll(() => w?.t.close());

const newProject = () => w.t.createProject(`project-${createId().slice(-8)}`);

/** Counts requests without credentials, which ask for a rule. */
async function count(project: string, names: readonly string[], more: Parameters<typeof createDelta>[1] = {}) {
  sequence += 1;
  const atMs = Date.now() - 60_000;
  const open = { seen: 20, anonymousMs: atMs, flags: { unauthenticated: atMs }, schemes: { none: atMs }, ...more };
  const deltas = names.map((name): OperationDelta => createDelta(name, open));
  const batch = { projectId: project, clientId: w.shown.client, serviceId: w.shown.service, epoch: 'one', sequence };
  await applyBatches(w.t.database.db, [{ ...batch, now: new Date(), deltas }]);
}

/** Gives the operations of a path another one, as learning does. */
async function rename(project: string, from: string, to: string): Promise<void> {
  const { db } = w.t.database;
  const rows = await db
    .selectFrom('inventory_operations')
    .select('id')
    .where('project_id', '=', project)
    .where('path', '=', from)
    .execute();
  const renames = rows.map(({ id }) => ({ id, path: to }));
  await db.transaction().execute((tx) => renameOperations(tx, project, { renames, now: new Date() }));
}

const suggest = (project: string, paths: readonly string[], more: object = {}, by: TestCaller = w.t.owner) =>
  by.call('POST', `/api/v3/inventory/suggest-policy?project=${project}`, {
    groups: paths.map((path) => ({ host: HOST, normalized_path: path })),
    ...more,
  });
const routesOf = ({ body }: { body: { routes: { normalized_path: string; methods: string[] }[] } }) =>
  body.routes.map(({ normalized_path: path, methods }) => `${methods.join(' ')} ${path}`);
const reason = (path: string) => ({
  path: 'groups',
  rule: 'unknown',
  message: `${HOST}${path} is left out: no confirmed operation has this path, and none is known that had it.`,
});

describe('a group whose path was renamed after the list was read', () => {
  it('stands for what its operations are called now', async () => {
    const project = await newProject();
    await count(project, [`GET ${HOST}/orders/1`, `DELETE ${HOST}/orders/1`, `POST ${HOST}/carts/1`]);
    await rename(project, '/orders/1', '/orders/{id}');
    await rename(project, '/carts/1', '/carts/{id}');
    const found = await suggest(project, ['/orders/1']);
    expect(found.status, JSON.stringify(found.body)).toBe(200);
    expect(routesOf(found)).toEqual(['DELETE GET /orders/{id}']);
    expect(found.body.notes.join()).not.toContain('left out');
    expect((await suggest(project, ['/orders/1'], { min_seen: 21 })).status).toBe(404);
  });

  it('has only the operations that it had itself, not all that have the name now', async () => {
    const project = await newProject();
    await count(project, [`GET ${HOST}/orders/1`, `PUT ${HOST}/orders/2`]);
    await rename(project, '/orders/1', '/orders/{id}');
    await rename(project, '/orders/2', '/orders/{id}');
    expect(routesOf(await suggest(project, ['/orders/1']))).toEqual(['GET /orders/{id}']);
    expect(routesOf(await suggest(project, ['/orders/1', '/orders/2']))).toEqual(['GET PUT /orders/{id}']);
  });

  it('is followed through two merges', async () => {
    const project = await newProject();
    await count(project, [`GET ${HOST}/v1/orders/1`, `GET ${HOST}/v1/orders/{id}`, `GET ${HOST}/v1/{kind}/{id}`]);
    await rename(project, '/v1/orders/1', '/v1/orders/{id}');
    await rename(project, '/v1/orders/{id}', '/v1/{kind}/{id}');
    for (const path of ['/v1/orders/1', '/v1/orders/{id}'])
      expect(routesOf(await suggest(project, [path])), path).toEqual(['GET /v1/{kind}/{id}']);
  });

  it('is found if its operations are those of a protocol', async () => {
    const project = await newProject();
    const { key, ...rest } = createDelta(`POST ${HOST}/graphql/1`, { seen: 20, anonymousMs: Date.now() - 60_000 });
    sequence += 1;
    const batch = { projectId: project, clientId: createId(), serviceId: createId(), epoch: 'one', sequence };
    const deltas = [{ ...rest, key: { ...key, operation: 'query Orders' } }];
    await applyBatches(w.t.database.db, [{ ...batch, now: new Date(), deltas }]);
    await rename(project, '/graphql/1', '/graphql/{id}');
    expect(routesOf(await suggest(project, ['/graphql/1'], { parts: ['rate_limits'] }))).toEqual([
      'POST /graphql/{id}',
    ]);
  });

  it('stands for the operations that have its name again, and for these alone', async () => {
    const project = await newProject();
    await count(project, [`GET ${HOST}/orders/1`, `PUT ${HOST}/orders/1`]);
    await rename(project, '/orders/1', '/orders/{id}');
    await w.t.database.db
      .updateTable('inventory_merges')
      .set({ merged_at: new Date(Date.now() - 3_600_000) })
      .where('project_id', '=', project)
      .execute();
    await count(project, [`GET ${HOST}/orders/1`]);
    expect(routesOf(await suggest(project, ['/orders/1']))).toEqual(['GET /orders/1']);
  });

  it('narrows ids of the same selection', async () => {
    const project = await newProject();
    await count(project, [`GET ${HOST}/orders/1`, `PUT ${HOST}/orders/1`]);
    const [get = '', put = ''] = (['GET', 'PUT'] as const).map((method) =>
      toOperationId(project, { method, host: HOST, normalizedPath: '/orders/1', operation: '' }),
    );
    await rename(project, '/orders/1', '/orders/{id}');
    expect(routesOf(await suggest(project, ['/orders/1'], { operation_ids: [get] }))).toEqual(['GET /orders/{id}']);
    expect((await suggest(project, ['/carts/1'], { operation_ids: [put] })).status).toBe(404);
  });
});

describe('a group that nothing is known of', () => {
  it('is named in the error, and in the draft of others', async () => {
    const project = await newProject();
    await count(project, [`GET ${HOST}/orders/1`]);
    await rename(project, '/orders/1', '/orders/{id}');
    const none = await suggest(project, ['/never', '/never', '/orders']);
    expect(none).toMatchObject({
      status: 404,
      body: { code: 'record.not_found', details: [reason('/never'), reason('/orders')] },
    });
    const some = await suggest(project, ['/never', '/orders/1']);
    expect(routesOf(some)).toEqual(['GET /orders/{id}']);
    expect(some.body.notes).toContain(reason('/never').message);
    const many = await suggest(
      project,
      Array.from({ length: 12 }, (_, index) => `/x${index}`),
    );
    expect(many.body.details).toHaveLength(11);
    expect(many.body.details[10].message).toBe('2 more paths are left out for the same reason.');
  });

  it('is one whose operation was deleted after the merge', async () => {
    const project = await newProject();
    await count(project, [`GET ${HOST}/orders/1`, `GET ${HOST}/carts/1`]);
    await rename(project, '/orders/1', '/orders/{id}');
    await rename(project, '/carts/1', '/carts/{id}');
    const target = toOperationId(project, { method: 'GET', host: HOST, normalizedPath: '/orders/{id}', operation: '' });
    expect((await w.t.owner.call('DELETE', `/api/v3/inventory/${target}?project=${project}`)).status).toBe(204);
    expect(await suggest(project, ['/orders/1'])).toMatchObject({
      status: 404,
      body: { details: [reason('/orders/1')] },
    });
  });

  it('is one of another project, whatever was renamed there', async () => {
    const project = await newProject();
    await count(project, [`GET ${HOST}/orders/1`, `GET ${HOST}/health`]);
    await count(other, [`GET ${HOST}/orders/1`]);
    await rename(other, '/orders/1', '/orders/{secret}');
    await rename(project, '/health', '/health/{id}');
    expect(routesOf(await suggest(project, ['/orders/1']))).toEqual(['GET /orders/1']);
    await rename(project, '/orders/1', '/orders/{id}');
    expect(routesOf(await suggest(project, ['/orders/1']))).toEqual(['GET /orders/{id}']);
    await count(other, [`GET ${HOST}/secret`]);
    await rename(other, '/secret', '/secret/{id}');
    const foreign = await suggest(project, ['/secret']);
    expect(foreign).toMatchObject({ status: 404, body: { details: [reason('/secret')] } });
    const stranger = await w.t.createMember('viewer', other);
    expect([403, 404]).toContain((await suggest(project, ['/orders/1'], {}, stranger)).status);
  });

  it('is one of services that the caller may not see', async () => {
    const project = w.t.project;
    await count(project, [`GET ${HOST}/orders/1`], { services: [w.hidden.service], clients: [w.hidden.client] });
    await count(project, [`GET ${HOST}/carts/1`], { services: [w.shown.service], clients: [w.shown.client] });
    await rename(project, '/orders/1', '/orders/{id}');
    await rename(project, '/carts/1', '/carts/{id}');
    expect(routesOf(await suggest(project, ['/orders/1'], {}, w.admin))).toEqual(['GET /orders/{id}']);
    expect(routesOf(await suggest(project, ['/carts/1'], {}, w.editor))).toEqual(['GET /carts/{id}']);
    expect(await suggest(project, ['/orders/1'], {}, w.editor)).toMatchObject({
      status: 404,
      body: { details: [reason('/orders/1')] },
    });
  });
});
