import type { Level, ResourceKind, Role, RouteContract } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { expect } from 'vitest';
import type * as z from 'zod';
import type { Answer, TestCaller, TestControllerOptions } from '../../../../testing/controller.ts';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../../../testing/fleet.ts';

/** Part of the name of everything that the member may not see. */
export const HIDDEN = 'hush';

/**
 * A project with restricted access that has two resources of every kind: the editor has a permission for one of them.
 */
export interface RestrictedWorld {
  readonly t: TestFleet;
  readonly admin: TestCaller;
  readonly editor: TestCaller;
  readonly shown: Readonly<Record<ResourceKind, string>>;
  readonly hidden: Readonly<Record<ResourceKind, string>>;
  readonly hiddenCommand: string;
  grant(subject: Subject, resource: { kind: ResourceKind; id: string | null }, level: Level): Promise<Answer>;
  setAccess(access: 'open' | 'listed'): Promise<void>;
  /** Signs in a member after the controller has dropped its cached memberships. */
  member(role: Role): Promise<TestCaller>;
}

type Subject = { readonly kind: 'user' | 'group'; readonly id: string };

export const policyText = (name: string) => `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: ${name} }
spec:
  domains: [{ hosts: [${name}.example.com], policy: { engines: { rate_limit: { key: ip, requests_per_second: 1 } } } }]
`;

export async function createRestrictedWorld(options: TestControllerOptions = {}): Promise<RestrictedWorld> {
  const t = await createTestFleet(options);
  const admin = await t.createMember('admin');
  const editor = await t.createMember('editor');
  const made = async (name: string) => {
    const cluster = await admin.call('POST', `/api/v3/xds/clusters?project=${t.project}`, {
      name: `${name}-cluster`,
      version: TEST_VERSION,
      resource: { type: 'STATIC' },
    });
    expect(cluster.status, JSON.stringify(cluster.body)).toBe(201);
    const policy = await admin.call('POST', `/api/v3/shield/policies?project=${t.project}`, {
      name: `${name}-policy`,
      text: policyText(`${name}-policy`),
    });
    expect(policy.status, JSON.stringify(policy.body)).toBe(201);
    const client = await t.createClient(`${name}-client`);
    return { document: cluster.body.id as string, policy: policy.body.id as string, client };
  };
  const shown = await made('shown');
  const hidden = await made(HIDDEN);
  const service = await t.createService({ name: 'shown-service', clients: [{ client_id: shown.client }] });
  const hiddenService = await t.createService({
    name: `${HIDDEN}-service`,
    // Also deployed to the visible client.
    clients: [{ client_id: hidden.client }, { client_id: shown.client }],
    policies: [`${HIDDEN}-policy`],
    listeners: ['admin'],
  });
  const hiddenCommand = await addTraces(t, { serviceId: hiddenService.id, clientId: hidden.client }, HIDDEN);
  await addTraces(t, { serviceId: service.id, clientId: shown.client }, 'shown');

  const world: RestrictedWorld = {
    t,
    admin,
    editor,
    shown: { ...shown, service: service.id },
    hidden: { ...hidden, service: hiddenService.id },
    hiddenCommand,
    async grant(subject, resource, level) {
      const body = { subject, resource, level };
      return admin.call('POST', `/api/v3/setting/permissions?project=${t.project}`, body);
    },
    async setAccess(access) {
      const url = `/api/v3/setting/resource-access?project=${t.project}`;
      expect((await admin.call('PUT', url, { resource_access: access })).body).toEqual({ resource_access: access });
    },
    member: (role) => t.createMember(role),
  };
  await world.setAccess('listed');
  const user = { kind: 'user', id: editor.userId } as const;
  for (const kind of ['document', 'policy', 'service', 'client'] as const)
    expect((await world.grant(user, { kind, id: world.shown[kind] }, 'change')).status).toBe(201);
  return world;
}

/** The address of a route for a resource, by name or id. */
export function addressOf(
  project: string,
  route: RouteContract,
  { ids = {}, named }: { readonly ids?: Readonly<Record<string, string>>; readonly named: string },
): string {
  const isPolicy = route.tag === 'Policies' || route.path.includes('/shield/policies');
  const values: Record<string, string> = {
    project,
    version: TEST_VERSION,
    collection: route.path.startsWith('/api/v3/eo') ? 'filters' : 'clusters',
    type: 'envoy.config.cluster.v3.Cluster',
    name: `${named}-${isPolicy ? 'policy' : 'cluster'}`,
    revision: '1',
    operation_id: '0123456789abcdef',
    consumer_hash: '0123456789abcdef',
    event_id: `1.${'0'.repeat(24)}`,
    by: 'route',
    policy: `${named}-policy`,
    ...ids,
  };
  const path = route.path.replaceAll(/:(\w+)/g, (_, param: string) => encodeURIComponent(values[param] ?? createId()));
  const shape = (route.query as z.ZodObject | undefined)?.shape ?? {};
  const query = Object.entries(shape).flatMap(([key, schema]) => {
    const isNeeded = key === 'project' || key === 'version' || !(schema as z.ZodType).safeParse(undefined).success;
    return isNeeded ? [`${key}=${encodeURIComponent(values[key] ?? '')}`] : [];
  });
  return `${path}?${query.join('&')}`;
}

/** Inserts data of a service on a client: a command, findings, counts. Returns the command's id. */
async function addTraces(t: TestFleet, of: { serviceId: string; clientId: string }, name: string): Promise<string> {
  const now = new Date();
  const place = { project_id: t.project, service_id: of.serviceId, client_id: of.clientId };
  const id = createId();
  await t.database.db
    .insertInto('commands')
    .values({
      ...place,
      id,
      client_name: `${name}-client`,
      type: 'DEPLOY',
      sub_type: '',
      operation: '',
      kind: 'desired',
      fence: 1,
      generation: null,
      payload: '{}',
      status: 'running',
      error_code: null,
      error_message: null,
      result: null,
      step: null,
      timeout_ms: 1000,
      created_by: 'test',
      created_at: now,
      sent_at: null,
      deadline_at: null,
      finished_at: null,
    })
    .execute();
  const found = { engine: 'rate_limit', reason: 'ratelimit.exceeded', policy: `${name}-policy` };
  await t.database.db
    .insertInto('shield_events')
    .values({
      ...place,
      ...found,
      id: createId(),
      time: now,
      request_id: `${name}-request`,
      method: 'GET',
      host: `${name}.example.com`,
      path: '/',
      route: '/',
      severity: 'high',
      verdict: 'blocked',
      status: 429,
      subject: '',
      source_ip: null,
      digest: '',
      detail: '',
    })
    .execute();
  const minute = new Date(Math.floor(now.getTime() / 60_000) * 60_000);
  await t.database.db
    .insertInto('shield_counts')
    .values({ ...place, ...found, minute, verdict: 'blocked', count: 7 })
    .execute();
  const hour = new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000);
  await t.database.db
    .insertInto('shield_reports')
    .values({ ...place, hour, minutes: 1 })
    .execute();
  await t.database.db
    .insertInto('shield_count_faults')
    .values({ ...place, minute, policy: found.policy, dropped: 1, clock_off: 1 })
    .execute();
  await t.database.db
    .insertInto('shield_event_drops')
    .values({ ...place, time: minute, count: 3 })
    .execute();
  return id;
}
