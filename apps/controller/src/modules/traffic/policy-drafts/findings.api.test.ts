import { systemClock } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { createRestrictedWorld, type RestrictedWorld } from '../../identity/permissions/testing/listed-world.ts';
import { runPass } from '../findings/pass.ts';
import {
  copyOperations,
  deleteOperation,
  type FindingProject,
  useFindingWorld,
} from '../findings/testing/finding-world.ts';
import { applyRestricted } from '../inventory/testing/index.ts';

const PATH = '/api/v3/inventory/suggest-policy';
const world = useFindingWorld();
const ORDERS = 'GET shop.test/orders/{id}';
const LOGIN = 'POST shop.test/login';

/** A project whose findings are of these flags, with their ids by flag. */
async function openProject() {
  const project = await world.openProject();
  const atMs = project.clock.now();
  await project.see(ORDERS, { flags: { unauthenticated: atMs, missing_hsts: atMs }, anonymousMs: atMs, seen: 20 });
  await project.see(LOGIN, { flags: { brute_force_suspect: atMs, unauthenticated: atMs }, anonymousMs: atMs });
  await project.pass();
  const findings = await project.list();
  const idOf = (flag: string, path: string) =>
    findings.find((one) => one.flag === flag && one.operation.normalized_path === path)?.id ?? '';
  return { project, findings, idOf };
}
const suggest = ({ id, editor }: FindingProject, body: object) => editor.call('POST', `${PATH}?project=${id}`, body);

describe('a draft from findings', () => {
  it('is about the flags of the selected findings alone, and says which route is for which', async () => {
    const { project, idOf } = await openProject();
    const anonymous = idOf('unauthenticated', '/orders/{id}');
    const guessing = idOf('brute_force_suspect', '/login');
    const { status, body } = await suggest(project, { finding_ids: [anonymous, guessing, guessing] });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.routes).toMatchObject([
      {
        normalized_path: '/login',
        flags: ['brute_force_suspect'],
        finding_ids: [guessing],
        engines: [{ engine: 'rate_limit' }],
      },
      {
        normalized_path: '/orders/{id}',
        flags: ['unauthenticated'],
        finding_ids: [anonymous],
        engines: [{ engine: 'jwt' }],
        notes: [],
      },
    ]);
    expect(body).toMatchObject({ skipped: [], skipped_findings: [], operations: 2 });
  });

  it('says where to fix a finding that no engine of the filter fixes', async () => {
    const { project, idOf } = await openProject();
    const { body } = await suggest(project, { finding_ids: [idOf('missing_hsts', '/orders/{id}')] });
    expect(body.routes).toMatchObject([{ engines: [], notes: [{ flag: 'missing_hsts' }] }]);
  });

  it('is also about a finding whose flag was not seen lately', async () => {
    const { project, idOf } = await openProject();
    await world.t.database.db.updateTable('inventory_operations').set({ active_flags: 0 }).execute();
    const { body } = await suggest(project, { finding_ids: [idOf('unauthenticated', '/orders/{id}')] });
    expect(body.routes).toMatchObject([{ engines: [{ engine: 'jwt' }] }]);
  });

  it('narrows findings by the other fields of the selection', async () => {
    const { project, idOf, findings } = await openProject();
    const wanted = idOf('unauthenticated', '/orders/{id}');
    const operation = findings.find(({ id }) => id === wanted)?.operation.id;
    const all = [wanted, idOf('brute_force_suspect', '/login')];
    const { body } = await suggest(project, { finding_ids: all, operation_ids: [operation] });
    expect(body.routes).toMatchObject([{ normalized_path: '/orders/{id}' }]);
    expect(body.skipped_findings).toEqual([{ finding_id: all[1], reason: 'gone' }]);
  });
});

describe('a selection of findings', () => {
  it('names those that are closed, unknown or without an operation', async () => {
    const { project, idOf, findings } = await openProject();
    const [closed, kept] = [idOf('unauthenticated', '/orders/{id}'), idOf('brute_force_suspect', '/login')];
    const gone = idOf('missing_hsts', '/orders/{id}');
    const operation = findings.find(({ id }) => id === gone)?.operation.id ?? '';
    const { db } = world.t.database;
    await db.updateTable('inventory_findings').set({ state: 'fixed' }).where('id', '=', closed).execute();
    const unknown = '01a224e5-7a63-7e7b-ae70-000000000000';
    await deleteOperation(world.t, project.id, operation);
    const { body } = await suggest(project, { finding_ids: [closed, kept, gone, unknown] });
    expect(body.routes).toMatchObject([{ normalized_path: '/login' }]);
    expect(body.skipped_findings).toEqual([
      { finding_id: unknown, reason: 'unknown' },
      { finding_id: closed, reason: 'closed' },
      { finding_id: gone, reason: 'gone' },
    ]);
    const none = await suggest(project, { finding_ids: [closed, gone] });
    expect(none).toMatchObject({ status: 422, body: { code: 'policy_draft.nothing_to_do' } });
    expect(none.body.message).toContain('1 finding (closed)');
    expect((await suggest(project, { finding_ids: [unknown] })).status).toBe(404);
  });

  it('follows the operation of a finding to the one that it is part of now', async () => {
    const { project, findings, idOf } = await openProject();
    const [from, to] = [idOf('unauthenticated', '/orders/{id}'), idOf('unauthenticated', '/login')];
    const operationOf = (wanted: string) => findings.find(({ id }) => id === wanted)?.operation.id ?? '';
    await world.t.database.db
      .insertInto('inventory_merges')
      .values({
        project_id: project.id,
        operation_id: operationOf(from),
        target_id: operationOf(to),
        merged_at: new Date(),
      })
      .execute();
    const { body } = await suggest(project, { finding_ids: [from, idOf('brute_force_suspect', '/login')] });
    expect(body.routes).toMatchObject([{ normalized_path: '/login' }]);
    expect(body.routes[0].finding_ids).toContain(from);
  });

  it('of another project is unknown', async () => {
    const [one, other] = [await openProject(), await openProject()];
    const foreign = one.idOf('unauthenticated', '/orders/{id}');
    expect((await suggest(other.project, { finding_ids: [foreign] })).status).toBe(404);
    const own = other.idOf('unauthenticated', '/orders/{id}');
    const { body } = await suggest(other.project, { finding_ids: [foreign, own] });
    expect(body.skipped_findings).toEqual([{ finding_id: foreign, reason: 'unknown' }]);
    expect(body.routes).toHaveLength(1);
  });

  it('has at most 500 ids, all of which one draft can name', async () => {
    const project = await world.openProject();
    const atMs = project.clock.now();
    await project.see('GET many.test/first', { flags: { unauthenticated: atMs }, anonymousMs: atMs });
    await copyOperations(world.t.database.db, project.id, 500);
    await project.pass();
    const { rows } = {
      rows: await world.t.database.db
        .selectFrom('inventory_findings')
        .select('id')
        .where('project_id', '=', project.id)
        .execute(),
    };
    const ids = rows.map(({ id }) => id);
    expect(ids).toHaveLength(501);
    const refused = await suggest(project, { finding_ids: ids });
    expect(refused).toMatchObject({ status: 400, body: { code: 'request.invalid' } });
    expect(JSON.stringify(refused.body.details)).toContain('finding_ids');
    expect(refused.body.message).toContain('500');
    const { status, body } = await suggest(project, { finding_ids: ids.slice(0, 500) });
    expect(status).toBe(200);
    expect(body.routes).toHaveLength(500);
  });
});

describe('a member of a restricted project', () => {
  let w: RestrictedWorld;
  const ids: Record<string, string> = {};
  const call = (by: TestCaller, method: string, path: string, body?: unknown) =>
    by.call(method, `/api/v3/inventory/${path}?project=${w.t.project}`, body);

  beforeAll(async () => {
    w = await createRestrictedWorld();
    const { db } = w.t.database;
    const atMs = Date.now() - 60_000;
    await applyRestricted(w, { anonymousMs: atMs, flags: { unauthenticated: atMs } });
    await runPass({ db, clock: systemClock, write: (work) => db.transaction().execute(work) });
    for (const { id, operation } of (await call(w.admin, 'GET', 'findings')).body.items)
      ids[operation.host.split('.')[0]] = id;
  }, 120_000);
  afterAll(() => w?.t.close());

  it('drafts for findings of operations that they may see: others are unknown', async () => {
    const { status, body } = await call(w.editor, 'POST', 'suggest-policy', { finding_ids: [ids.hidden, ids.shown] });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.routes).toMatchObject([{ host: 'shown.test', finding_ids: [ids.shown] }]);
    expect(body.skipped_findings).toEqual([{ finding_id: ids.hidden, reason: 'unknown' }]);
    expect(JSON.stringify(body)).not.toContain('hidden.test');
    expect((await call(w.editor, 'POST', 'suggest-policy', { finding_ids: [ids.hidden] })).status).toBe(404);
  });
});
