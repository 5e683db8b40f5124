import * as contract from '@flotilla/contract';
import { defineRoute, EDITORS, idSchema, type RouteContract } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ReachCache } from '../../../platform/auth/reach-cache.ts';
import { implement } from '../../../platform/http/route.ts';
import { TEST_VERSION } from '../../../testing/fleet.ts';
import { addHeldRows, bodyThatKeeps, HELD, readHeld } from './testing/held-rows.ts';
import { addressOf, createRestrictedWorld, HIDDEN, type RestrictedWorld } from './testing/listed-world.ts';

const WAIT = { interval: 20 };

/** Even if a route forgets its checks, the database refuses changes that the editor has no permission for. */
let w: RestrictedWorld;
/** A client without a service. */
let spare: string;
/** A command of the hidden service for the visible client. */
let mixedCommand: string;

/** A route without any check, which runs what the test passes to it. */
const works = new Map<string, (tx: Tx) => Promise<unknown>>();
const FORGETFUL = '/api/v3/forgetful';
const forgetful = implement(
  defineRoute({
    id: 'forgetToAsk',
    method: 'POST',
    path: FORGETFUL,
    summary: 'Forgets to ask',
    tag: 'Jobs',
    family: 'jobs',
    audit: null,
    access: { kind: 'roles', roles: EDITORS },
    project: 'query',
    query: z.strictObject({ project: idSchema, work: z.string() }),
    body: z.strictObject({}),
    status: 200,
    response: z.unknown(),
  }),
  (ctx, { query }) =>
    ctx.write(async (tx) => {
      await works.get(query.work)?.(tx);
      return { reply: { body: {} }, audit: { type: 'nothing' } };
    }),
);

beforeAll(async () => {
  w = await createRestrictedWorld({ moreRoutes: [forgetful] });
  spare = await w.t.createClient(`${HIDDEN}-spare`);
  mixedCommand = await addHeldRows(w);
  // Creates a second revision, so that the first can be restored.
  const item = `/api/v3/xds/clusters/${HIDDEN}-cluster?project=${w.t.project}&version=${TEST_VERSION}`;
  const changed = await w.admin.call('PATCH', item, { resource: { type: 'STATIC', connect_timeout: '1s' } });
  expect(changed.status, JSON.stringify(changed.body)).toBe(200);
}, 120_000);
afterAll(() => w?.t.close());

describe('if the guard wrongly lets a member pass', () => {
  beforeEach(() => {
    vi.spyOn(ReachCache.prototype, 'find').mockResolvedValue('enough');
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Every route that names a resource and lets editors change it, from the route table. */
  const CHANGES: readonly RouteContract[] = Object.entries(contract)
    .flatMap(([name, routes]) =>
      name.endsWith('Routes') ? Object.values(routes as Record<string, RouteContract>) : [],
    )
    .filter(({ needs }) => needs?.level === 'change')
    .filter(({ access }) => access.kind === 'roles' && access.roles.includes('editor'));

  it('the database refuses every route that changes a named resource, and nothing changes', async () => {
    const bodies: Readonly<Record<string, object>> = {
      PUT: { resource: { type: 'STATIC', connect_timeout: '9s' } },
      PATCH: { description: 'mine' },
      POST: { revision: 1 },
    };
    const before = await readHeld(w);
    const refusedBy = new Map<string, unknown>();
    for (const route of CHANGES) {
      const url = addressOf(w.t.project, route, { named: HIDDEN });
      const answer = await w.editor.call(route.method, url, bodies[route.method]);
      expect([403, 404], `${route.id} ${JSON.stringify(answer.body)}`).toContain(answer.status);
      refusedBy.set(route.id, answer.body.code);
    }
    expect(await readHeld(w)).toEqual(before);
    // The other addresses belong to resources of another type.
    for (const id of ['replaceDocument', 'patchDocument', 'restoreDocument', 'deleteDocument'])
      expect(refusedBy.get(id), id).toBe('permission.missing');
  });

  const urlOf = (route: RouteContract) => {
    const ids = { service_id: w.hidden.service, client_id: w.hidden.client };
    return addressOf(w.t.project, route, { ids, named: HIDDEN });
  };
  it('it refuses a write that changes nothing, a dry run and one that fails anyway in the same way', async () => {
    // Documents at the other addresses do not exist.
    const routes = CHANGES.filter(({ path }) => !path.startsWith('/api/v3/eo'));
    const before = await readHeld(w);
    for (const route of routes) {
      const url =
        urlOf(route).replace(/&ids=[^&]*/, '') + (route.id === 'clearServiceErrors' ? `&ids=${createId()}` : '');
      const body = await bodyThatKeeps(w, route, url);
      const known = await w.admin.call(route.method, `${url}&dry_run=true`, body);
      expect([200, 409], `${route.id} ${JSON.stringify(known.body)}`).toContain(known.status);
      for (const [suffix, headers] of [['&dry_run=true'], [''], ['', { 'if-match': '"99"' }]] as const) {
        const answer = await w.editor.call(route.method, url + suffix, body, headers);
        const label = `${route.id}${suffix} ${JSON.stringify(answer.body)}`;
        expect([answer.status, answer.body.code, answer.body.kind], label).toEqual([
          403,
          'permission.missing',
          route.needs?.kind,
        ]);
      }
    }
    expect(await readHeld(w)).toEqual(before);
  });

  it('it reports missing resources as usual', async () => {
    const never = `/api/v3/xds/clusters/never?project=${w.t.project}&version=${TEST_VERSION}`;
    const answer = await w.editor.call('PATCH', never, { labels: {} });
    expect([answer.status, answer.body.code]).toEqual([404, 'record.not_found']);
  });
});

it('it stops a waiting command whose permission was revoked in the meantime', async () => {
  const { db } = w.t.database;
  const by = await w.member('editor');
  const service = { kind: 'service', id: w.shown.service } as const;
  const deploy = () =>
    by.call('POST', `/api/op/clients?project=${w.t.project}&wait_ms=0`, {
      type: 'DEPLOY',
      clients: [{ client_id: w.shown.client }],
      command: { name: 'shown-service' },
    });
  await w.grant({ kind: 'user', id: by.userId }, service, 'change');
  expect((await deploy()).body.results).toMatchObject([{ outcome: 'pending' }]);
  const before = await readHeld(w);
  const waiting = await db.transaction().execute(async (tx) => {
    const { rows: own } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
    await tx.selectFrom('services').select('id').where('id', '=', w.shown.service).forUpdate().execute();
    const answer = deploy();
    await vi.waitFor(async () => {
      const { rows } = await sql`select from pg_stat_activity
        where ${own[0]?.pid}::int = any(pg_blocking_pids(pid))`.execute(w.t.database.owner);
      expect(rows).not.toEqual([]);
    }, WAIT);
    await db.deleteFrom('permissions').where('user_id', '=', by.userId).execute();
    return { answer };
  });
  const refused = await waiting.answer;
  expect([refused.status, refused.body.code], JSON.stringify(refused.body)).toEqual([403, 'permission.missing']);
  const after = await readHeld(w);
  for (const table of HELD.filter((name) => name !== 'permissions')) expect(after[table], table).toEqual(before[table]);
});

/** Each statement would change something that the editor may not change. */
const FORGOTTEN: Readonly<Record<string, () => ReturnType<typeof sql>>> = {
  'delete permissions': () => sql`delete from permissions`,
  'give themselves a permission': () => sql`
    insert into permissions (id, project_id, resource_kind, resource_id, user_id, level, granted_at)
    values (gen_random_uuid(), ${w.t.project}, 'policy', ${w.hidden.policy}, ${w.editor.userId}, 'change', now())`,
  'raise a permission': () => sql`update permissions set resource_id = null where user_id = ${w.editor.userId}`,
  'raise their role': () => sql`update memberships set role = 'admin' where user_id = ${w.editor.userId}`,
  'end the membership of another': () => sql`delete from memberships where user_id = ${w.admin.userId}`,
  'make a group': () => sql`insert into groups (id, project_id, name, created_at, updated_at)
    values (gen_random_uuid(), ${w.t.project}, 'planted', now(), now())`,
  'open the project': () => sql`update projects set resource_access = 'open'`,
  'take clients out of a service': () => sql`delete from service_targets where service_id = ${w.hidden.service}`,
  'stop a service': () => sql`update service_targets set run_state = 'stopped' where service_id = ${w.hidden.service}`,
  'add a client to a service': () => sql`
    insert into service_targets (service_id, client_id, position, addresses, generation)
    values (${w.hidden.service}, ${spare}, 9, '{}', 1)`,
  'take a target over': () => sql`
    update service_targets set service_id = ${w.shown.service}
    where service_id = ${w.hidden.service} and client_id = ${w.hidden.client}`,
  'hand over what their own service refers to': () => sql`
    update document_references set from_id = ${w.hidden.service} where from_id = ${w.shown.service}`,
  'forget what a service refers to': () => sql`delete from document_references where from_id = ${w.hidden.service}`,
  'have a service refer to something': () => sql`
    insert into document_references (from_id, from_collection, from_name, project_id, version, to_collection, to_name, kind, path)
    values (${w.hidden.service}, 'services', 'x', ${w.t.project}, '', 'policies', 'shown-policy', 'service', 'x')`,
  'free the name of a document': () => sql`delete from document_names where document_id = ${w.hidden.document}`,
  'forget the history of a document': () =>
    sql`delete from document_revisions where document_id = ${w.hidden.document}`,
  'rewrite the history of a policy': () =>
    sql`update policy_revisions set text = 'x' where policy_id = ${w.hidden.policy}`,
  'forget the history of a service': () => sql`delete from service_revisions where service_id = ${w.hidden.service}`,
  'free the port of a service': () => sql`delete from admin_ports where service_id = ${w.hidden.service}`,
  'forget a node': () => sql`delete from node_states where service_id = ${w.hidden.service}`,
  'settle errors': () => sql`update config_errors set status = 'resolved' where service_id = ${w.hidden.service}`,
  'rename a client': () => sql`update clients set name = 'x' where id = ${w.hidden.client}`,
  'rename a client in passing': () =>
    sql`update clients set name = 'x', desired_revision = 9 where id = ${w.hidden.client}`,
  'remove a client': () => sql`delete from clients where id = ${spare}`,
  'revoke a certificate': () =>
    sql`update client_certificates set revoked_at = now() where client_id = ${w.hidden.client}`,
  'end a command': () => sql`update commands set status = 'failed' where id = ${w.hiddenCommand}`,
  'ask their own client for something of a service': () => sql`
    insert into commands select (jsonb_populate_record(commands, jsonb_build_object('id', gen_random_uuid()))).*
    from commands where id = ${mixedCommand}`,
  'end what their own client was asked of a service': () =>
    sql`update commands set status = 'failed' where id = ${mixedCommand}`,
  'hand it over to their own service': () =>
    sql`update commands set service_id = ${w.shown.service} where id = ${mixedCommand}`,
  'forget what their own client was asked of a service': () => sql`delete from commands where id = ${mixedCommand}`,
  'forget a command': () => sql`delete from commands where id = ${w.hiddenCommand}`,
  'delete the events of a filter': () => sql`delete from shield_events where service_id = ${w.hidden.service}`,
  'forget what a filter has counted': () => sql`delete from shield_counts where service_id = ${w.hidden.service}`,
  'delete the reported minutes of a filter': () =>
    sql`delete from shield_reports where service_id = ${w.hidden.service}`,
  'forget what was counted without a minute': () =>
    sql`delete from shield_count_faults where service_id = ${w.hidden.service}`,
  'forget what is not known': () => sql`delete from shield_event_drops where service_id = ${w.hidden.service}`,
};

describe('a route without any check cannot', () => {
  const run = (statement: ReturnType<typeof sql>) => {
    const work = createId();
    works.set(work, (tx) => statement.execute(tx));
    return w.editor.call('POST', `${FORGETFUL}?project=${w.t.project}&work=${work}`, {});
  };

  it.each(Object.keys(FORGOTTEN))('%s', async (name) => {
    const statement = FORGOTTEN[name]?.() ?? sql`select 1`;
    const before = await readHeld(w);
    const answer = await run(statement);
    expect([answer.status, answer.body.code], JSON.stringify(answer.body)).toEqual([403, 'permission.missing']);
    expect(await readHeld(w)).toEqual(before);
    // The same statement has an effect in the scope of everything.
    const rolledBack = w.t.database.db.transaction().execute(async (tx) => {
      const { numAffectedRows } = await statement.execute(tx);
      throw new Error(`${numAffectedRows} rows`);
    });
    await expect(rolledBack).rejects.toThrow(/^[1-9]\d* rows$/);
  });

  it('prevent permitted changes, or implicit ones of other rows', async () => {
    const passing = await run(sql`update clients set desired_revision = desired_revision + 1`);
    expect(passing.status, JSON.stringify(passing.body)).toBe(200);
    const own = await run(
      sql`update service_targets set addresses = '{10.0.0.9}' where service_id = ${w.shown.service}`,
    );
    expect(own.status, JSON.stringify(own.body)).toBe(200);
    const { rows } = await sql<{ addresses: string[] }>`
      select addresses from service_targets where service_id = ${w.shown.service}`.execute(w.t.database.owner);
    expect(rows).toEqual([{ addresses: ['10.0.0.9'] }]);
  });
});

/** Tables of resource data that are not restricted, with the reason. */
const NOT_HELD: Readonly<Record<string, string>> = {
  client_stats: 'reported by agents every few seconds',
  client_samples: 'reported by agents',
  ha_reports: 'reported by agents every few seconds',
  shield_marks: 'the progress of reports by agents',
  shield_event_marks: 'the progress of reports by agents',
  traffic_marks: 'the progress of reports by agents',
  inventory_operations: 'counted from traffic; only owners and admins, who are not restricted, change it',
  inventory_counts: 'triggers of the operations write it',
  inventory_details: 'counted from traffic; only owners and admins, who are not restricted, change it',
  inventory_gaps: 'counted from the reports of agents',
  inventory_snapshot_operations: 'the program copies them; nobody changes a snapshot',
  inventory_findings: 'the pass writes them; to decide about one changes nothing about its service',
  inventory_finding_history: 'entries are added, never changed',
  alerts: 'the watch writes them; to acknowledge one changes nothing about its object',
  cleaned_documents: 'rows that are no documents any more',
  cleaned_revisions: 'rows that are no documents any more',
};

it('every table with data of a resource is protected, or listed with a reason', async () => {
  const { rows } = await sql<{ name: string; held: boolean }>`
    select tablename::text as name, exists (select from pg_trigger where tgrelid = tablename::text::regclass
      and (tgname = 'held' or tgname like '%\\_held')) as held
    from (
      select tablename from pg_policies where policyname = 'listed'
      union
      select tablename from pg_policies where policyname = 'in_scope' and qual like '%parent%'
        and qual ~ ' (documents|policies|services|clients) parent'
    ) listed`.execute(w.t.database.owner);
  expect(rows.flatMap(({ name, held }) => (held ? [] : [name])).toSorted()).toEqual(Object.keys(NOT_HELD).toSorted());
  expect(rows.flatMap(({ name, held }) => (held ? [name] : []))).toEqual(
    expect.arrayContaining(['documents', 'policies', 'services', 'clients', 'service_targets', 'document_references']),
  );
});
