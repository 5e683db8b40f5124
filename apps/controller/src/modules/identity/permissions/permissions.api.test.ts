import * as contract from '@flotilla/contract';
import { READERS, RESOURCE_KINDS, type RouteContract } from '@flotilla/contract';
import { createId, systemClock } from '@flotilla/kit';
import { formatNodeId } from '@flotilla/proto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { TEST_VERSION } from '../../../testing/fleet.ts';
import { createEventWorld, type EventWorld } from '../../traffic/events/testing/event-world.ts';
import { runPass } from '../../traffic/findings/testing/index.ts';
import { takeSnapshot } from '../../traffic/inventory/snapshot-store.ts';
import { applyBatches, createDelta } from '../../traffic/inventory/testing/index.ts';
import { addressOf, createRestrictedWorld, HIDDEN, type RestrictedWorld } from './testing/listed-world.ts';

let w: RestrictedWorld;
let requests: EventWorld;
beforeAll(async () => {
  requests = await createEventWorld(async (options) => {
    w = await createRestrictedWorld(options);
    return w.t;
  });
  const before = new Date(Date.now() - 25 * 3_600_000);
  await w.t.database.db
    .transaction()
    .execute((tx) => takeSnapshot(tx, { projectId: w.t.project, kind: 'daily', by: 'controller', now: before }));
  for (const [name, { service, client }] of [
    [HIDDEN, w.hidden],
    ['shown', w.shown],
  ] as const) {
    const host = `${name}.test`;
    await requests.append([requests.event({ service, client, host, cluster: `${name}-cluster` })]);
    const places = { services: [service], clients: [client], listeners: [name] };
    const deltas = [createDelta(`GET ${host}/orders`, { ...places, flags: { missing_hsts: before.getTime() } })];
    const batch = { projectId: w.t.project, clientId: client, serviceId: service, epoch: '1', sequence: 1 };
    await applyBatches(w.t.database.db, [{ ...batch, deltas, now: new Date() }]);
  }
  const { db } = w.t.database;
  await runPass({ db, clock: systemClock, write: (work) => db.transaction().execute(work) });
});
afterAll(() => requests.close());

/** Every route that members may read in a project, from the route table, so that new ones are included. */
const READS: readonly RouteContract[] = Object.entries(contract)
  .flatMap(([name, routes]) => (name.endsWith('Routes') ? Object.values(routes as Record<string, RouteContract>) : []))
  .filter(({ method, media, access }) => method === 'GET' && media === undefined && access.kind === 'roles')
  .filter(({ access }) => access.kind === 'roles' && READERS.every((role) => access.roles.includes(role)));

const idsOf = (of: RestrictedWorld['hidden'], command: string) => ({
  service_id: of.service,
  client_id: of.client,
  command_id: command,
  nodeID: formatNodeId({ service: `${HIDDEN}-service`, project: w.t.project, clientId: of.client }),
});

const tells = (answer: { body: unknown }): boolean => {
  const text = JSON.stringify(answer.body ?? null);
  return text.includes(HIDDEN) || Object.values(w.hidden).some((id) => text.includes(id));
};

describe('in a restricted project', () => {
  it('no read reveals what the caller may not see: lists, counts, search, statistics, references', async () => {
    const revealing: string[] = [];
    const toldAdmin: string[] = [];
    for (const route of READS.filter(({ path }) => !/:(?!collection|type)/.test(path))) {
      const url = addressOf(w.t.project, route, { named: 'shown' });
      const answer = await w.editor.call('GET', url);
      expect(answer.status, `${route.id} ${JSON.stringify(answer.body)}`).toBe(200);
      if (tells(answer)) revealing.push(route.id);
      if (tells(await w.admin.call('GET', url))) toldAdmin.push(route.id);
    }
    expect(revealing).toEqual([]);
    const found = ['listDocument', 'listPolicies', 'listCommands', 'listShieldEvents', 'searchNames', 'readOverview'];
    found.push('listInventory', 'listTrafficEvents', 'listInventoryChanges', 'listFindings');
    expect(toldAdmin).toEqual(expect.arrayContaining(found));
  });

  it('counts only cover what the caller may see', async () => {
    const read = async (by: TestCaller, path: string) =>
      (await by.call('GET', `/api/v3/${path}${path.includes('?') ? '&' : '?'}project=${w.t.project}`)).body;
    const documents = `custom/count/all?version=${TEST_VERSION}`;
    expect(JSON.stringify(await read(w.editor, documents))).not.toBe(JSON.stringify(await read(w.admin, documents)));
    const commands = async (by: TestCaller) => (await read(by, 'overview')).running_commands;
    expect([await commands(w.admin), await commands(w.editor)]).toEqual([2, 1]);
    const counted = async (by: TestCaller) => (await read(by, 'shield/counters')).totals.blocked;
    expect([await counted(w.admin), await counted(w.editor)]).toEqual([14, 7]);
  });

  it('a hidden resource looks like one that never existed, on every route that names it', async () => {
    const naming = READS.filter(({ path }) => /:(?!collection|type)/.test(path));
    expect(naming.length).toBeGreaterThan(8);
    for (const route of naming) {
      const hidden = await w.editor.call(
        'GET',
        addressOf(w.t.project, route, { ids: idsOf(w.hidden, w.hiddenCommand), named: HIDDEN }),
      );
      const never = {
        service_id: createId(),
        client_id: createId(),
        command_id: createId(),
        nodeID: formatNodeId({ service: 'never', project: w.t.project, clientId: createId() }),
      };
      const nothing = await w.editor.call('GET', addressOf(w.t.project, route, { ids: never, named: 'never' }));
      expect([hidden.status, hidden.body.code], route.id).toEqual([nothing.status, nothing.body.code]);
      if (hidden.status === 200) expect(hidden.body.nodes?.length ?? 0, route.id).toBeLessThanOrEqual(1);
      else expect([hidden.status, hidden.body.code], route.id).toEqual([404, 'record.not_found']);
    }
  });

  it('a write of a hidden resource looks like one of an unknown resource', async () => {
    const item = (name: string) => `/api/v3/xds/clusters/${name}?project=${w.t.project}&version=${TEST_VERSION}`;
    const body = { resource: { type: 'STATIC' } };
    const writes = [
      ['PUT', '', body],
      ['PATCH', '', { description: 'mine' }],
      ['DELETE', '', undefined],
      ['POST', '/restore', { revision: 1 }],
    ] as const;
    const answersTo = async (name: string) => {
      const answers: unknown[] = [];
      for (const [method, suffix, given] of writes) {
        const [path, query] = item(name).split('?');
        // A wrong revision must not reveal the resource either.
        const answer = await w.editor.call(method, `${path}${suffix}?${query}`, given, { 'if-match': '"99"' });
        answers.push([answer.status, answer.body.code, String(answer.body.message).replaceAll(name, 'NAME')]);
      }
      return answers;
    };
    expect(await answersTo(`${HIDDEN}-cluster`)).toEqual(await answersTo('never-cluster'));
    const deletion = async (name: string) => {
      const gone = { collection: 'clusters', name, version: TEST_VERSION };
      const answer = await w.editor.call('POST', '/api/v3/xds/apply', {
        project: w.t.project,
        documents: [],
        delete: [gone],
      });
      return [answer.status, answer.body.code, JSON.stringify(answer.body.errors).replaceAll(name, 'NAME')];
    };
    expect(await deletion(`${HIDDEN}-cluster`)).toEqual(await deletion('never-cluster'));
    expect((await w.admin.call('GET', item(`${HIDDEN}-cluster`))).status).toBe(200);
  });

  it('a command for a hidden resource looks like one for an unknown resource', async () => {
    const give = async (type: string, sub_type: string, command: object, clients: string[] = []) => {
      const answer = await w.editor.call('POST', `/api/op/clients?project=${w.t.project}&wait_ms=0`, {
        type,
        sub_type,
        command,
        clients: clients.map((client_id) => ({ client_id })),
      });
      return { status: answer.status, code: answer.body.code, results: answer.body.results };
    };
    const status = async (name: string) => (await give('SERVICE', 'SUB_STATUS', { name })).code;
    expect(await status(`${HIDDEN}-service`)).toBe('record.not_found');
    expect(await status('never')).toBe('record.not_found');
    expect((await give('SERVICE', 'SUB_STATUS', { name: 'shown-service' }, [w.shown.client])).status).toBe(200);
    const stats = await give('CLIENT_STATS', '', {}, [w.hidden.client, w.shown.client]);
    const codes = stats.results.map(({ error }: { error: { code: string } | null }) => error?.code);
    expect(codes).toEqual(['client.not_found', 'client.offline']);
    expect(JSON.stringify(stats.results)).not.toContain(HIDDEN);
    const deploy = await give('DEPLOY', '', { name: 'shown-service' }, [w.hidden.client]);
    expect(deploy.results).toMatchObject([{ error: { code: 'client.not_found' } }]);
  });

  it.each(RESOURCE_KINDS)('the level limits the actions on a %s, and the role limits the level', async (kind) => {
    const [viewer, editor] = [await w.member('viewer'), await w.member('editor')];
    const reach = async (by: TestCaller) => {
      const url = `/api/v3/setting/resources/${w.shown[kind]}/reach?project=${w.t.project}&kind=${kind}`;
      const { items } = (await w.admin.call('GET', `${url}&q=${by.username}`)).body;
      return items[0];
    };
    expect(await reach(editor)).toMatchObject({ level: null, by: [] });
    for (const by of [viewer, editor])
      await w.grant({ kind: 'user', id: by.userId }, { kind, id: w.shown[kind] }, 'change');
    expect(await reach(viewer)).toMatchObject({ role: 'viewer', level: 'view', by: ['user'] });
    expect(await reach(editor)).toMatchObject({ role: 'editor', level: 'change' });
    expect(await reach(w.admin)).toMatchObject({ level: 'change', by: ['role'] });
  });

  it('resources that the caller may only see or use cannot be changed, deleted, applied or pruned', async () => {
    const by = await w.member('editor');
    const item = `/api/v3/xds/clusters/shown-cluster?project=${w.t.project}&version=${TEST_VERSION}`;
    const document = { collection: 'clusters', name: 'shown-cluster', version: TEST_VERSION, resource: {} };
    const tries = () =>
      Promise.all([
        by.call('PATCH', item, { description: 'x' }),
        by.call('PUT', item, { resource: {} }),
        by.call('DELETE', item),
        by.call('POST', '/api/v3/xds/apply', { project: w.t.project, documents: [document] }),
        by.call('POST', '/api/v3/xds/apply', { project: w.t.project, documents: [], delete: [document].map(keyOf) }),
      ]);
    for (const level of ['view', 'use'] as const) {
      await w.grant({ kind: 'user', id: by.userId }, { kind: 'document', id: w.shown.document }, level);
      expect((await by.call('GET', item)).status).toBe(200);
      for (const { status, body } of await tries())
        expect([status, body.code], JSON.stringify(body)).toEqual([403, 'permission.missing']);
    }
    await w.grant({ kind: 'user', id: by.userId }, { kind: 'document', id: w.shown.document }, 'change');
    expect((await by.call('PATCH', item, { description: 'mine' })).status).toBe(200);
  });

  it('the creator of a resource may change it, and its permissions are deleted with it', async () => {
    const by = await w.member('editor');
    const list = `/api/v3/xds/clusters?project=${w.t.project}`;
    const made = await by.call('POST', list, { name: 'own', version: TEST_VERSION, resource: { type: 'STATIC' } });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const item = `/api/v3/xds/clusters/own?project=${w.t.project}&version=${TEST_VERSION}`;
    expect((await by.call('PATCH', item, { description: 'x' })).status).toBe(200);
    const given = async () =>
      (await w.admin.call('GET', `/api/v3/setting/permissions?project=${w.t.project}&resource_id=${made.body.id}`)).body
        .items;
    expect(await given()).toMatchObject([
      {
        subject: { id: by.userId },
        resource: { name: 'own', collection: 'clusters' },
        level: 'change',
        granted_by: null,
      },
    ]);
    // The name is taken, and nothing else is revealed.
    const other = await w.member('editor');
    const twin = await other.call('POST', list, { name: 'own', version: TEST_VERSION, resource: {} });
    expect([twin.status, twin.body.code]).toEqual([409, 'record.exists']);
    expect((await by.call('DELETE', item)).status).toBeLessThan(300);
    expect(await given()).toEqual([]);
  });

  it('a permission on a kind covers all of it, including later resources, and a revoked one ends at once', async () => {
    const by = await w.member('viewer');
    const count = async () =>
      (await by.call('GET', `/api/v3/xds/clusters?project=${w.t.project}&version=${TEST_VERSION}`)).body.items.length;
    expect(await count()).toBe(0);
    const all = await w.grant({ kind: 'user', id: by.userId }, { kind: 'document', id: null }, 'view');
    expect(await count()).toBeGreaterThanOrEqual(2);
    const url = `/api/v3/setting/permissions/${all.body.id}?project=${w.t.project}`;
    expect((await w.admin.call('DELETE', url)).status).toBe(204);
    expect(await count()).toBe(0);
  });

  it('a member who leaves a group or the project loses its permissions at once, and has none on return', async () => {
    const by = await w.member('viewer');
    const setting = `/api/v3/setting`;
    const group = await w.admin.call('POST', `${setting}/groups?project=${w.t.project}`, { name: 'readers' });
    const member = `${setting}/groups/${group.body.id}/members/${by.userId}?project=${w.t.project}`;
    await w.grant({ kind: 'group', id: group.body.id }, { kind: 'policy', id: w.hidden.policy }, 'view');
    const sees = async () =>
      (await by.call('GET', `/api/v3/shield/policies/${HIDDEN}-policy?project=${w.t.project}`)).status;
    expect(await sees()).toBe(404);
    expect((await w.admin.call('PUT', member)).status).toBe(204);
    expect(await sees()).toBe(200);
    expect((await w.admin.call('DELETE', member)).status).toBe(204);
    expect(await sees()).toBe(404);
    await w.admin.call('PUT', member);
    const own = await w.grant({ kind: 'user', id: by.userId }, { kind: 'policy', id: w.hidden.policy }, 'view');
    expect(own.status).toBe(201);
    const membership = `${setting}/users/${by.userId}/memberships/${w.t.project}`;
    expect((await w.t.owner.call('DELETE', membership)).status).toBe(204);
    expect(await sees()).toBe(403);
    await w.t.owner.call('PUT', membership, { role: 'viewer' });
    await vi.waitFor(async () => expect(await sees()).toBe(404));
  });

  it('an API token can access what its holder can access, whatever its role', async () => {
    const made = await w.admin.call('POST', `/api/v3/setting/tokens?project=${w.t.project}`, {
      name: 'robot',
      role: 'viewer',
    });
    const headers = { authorization: `Bearer ${made.body.token}` };
    const url = `/api/v3/shield/policies?project=${w.t.project}`;
    const names = async () =>
      JSON.parse((await w.t.app.inject({ method: 'GET', url, headers })).body).items.map(
        ({ name }: { name: string }) => name,
      );
    expect(await names()).toContain(`${HIDDEN}-policy`);
    // The same token, issued to an editor.
    await w.t.database.db
      .updateTable('token_secrets')
      .set({ issued_to: w.editor.userId })
      .where('token_id', '=', made.body.id)
      .execute();
    expect(await names()).toEqual(['shown-policy']);
  });

  it('all members can access everything after it is opened, and only what they have permissions for after it is restricted again', async () => {
    const { body } = await w.admin.call('GET', `/api/v3/setting/resource-access?project=${w.t.project}`);
    expect(body).toEqual({ resource_access: 'listed' });
    const count = async () =>
      (await w.editor.call('GET', `/api/v3/shield/policies?project=${w.t.project}`)).body.items.length;
    await w.setAccess('open');
    await vi.waitFor(async () => expect(await count()).toBe(2));
    await w.setAccess('listed');
    expect(await count()).toBe(1);
  });
});

const keyOf = ({ collection, name, version }: { collection: string; name: string; version: string }) => ({
  collection,
  name,
  version,
});
