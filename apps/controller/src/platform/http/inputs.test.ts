import type { RouteContract } from '@flotilla/contract';
import * as contract from '@flotilla/contract';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { toViolations } from './validate.ts';

const routes: readonly RouteContract[] = Object.entries(contract).flatMap(([name, value]) =>
  name.endsWith('Routes') ? Object.values<RouteContract>(value as never) : [],
);
const label = ({ method, path }: RouteContract) => `${method} ${path}`;

/** Routes that accept unknown members, with the reason. */
const OPEN: Readonly<Record<string, string>> = {
  'finishOidcSignIn query': 'providers add parameters of their own',
  'patchNamedSetting body': 'checked by the schema of its kind, as it comes out',
  'patchService body': 'a merge patch: the service is checked as it comes out',
  'patchSetting body': 'as patchNamedSetting',
  'replaceNamedSetting body': 'checked by the schema of its kind',
  'replaceSetting body': 'as replaceNamedSetting',
  'testNamedSetting body': 'as replaceNamedSetting',
  'testSetting body': 'as replaceNamedSetting',
};
/** Free text: any value is meaningful. */
const FREE_TEXTS = [
  'action',
  'auth_scheme',
  'cluster',
  'code',
  'components',
  'content_type',
  'engine',
  'error',
  'host',
  'host_is',
  'host_prefix',
  'ip_address',
  'iss',
  'last_event_id',
  'listener_is',
  'listener_name',
  'method',
  'name',
  'normalized_path',
  'owner',
  'path_is',
  'path_prefix',
  'plan',
  'protocol',
  'q',
  'realm',
  'reason',
  'request_id',
  'resource_id',
  'resource_name',
  'resource_type',
  'response_flags',
  'return_to',
  'route',
  'search',
  'state',
  'subject',
  'tag',
  'team',
  'tls_version',
  'type',
  'updated_by',
  'user',
  'user_agent',
  'user_id',
  'username',
  'version',
];
/** Writes without dry run, with the reason. */
const NOT_TRIED: Readonly<Record<string, string>> = {
  exportBackup: 'starts a job',
  uploadBackup: 'is itself there to be looked at before anything is done with it',
  beginPasskey: 'asks a browser',
  validateBackup: 'looks at a backup, and changes nothing',
};
/** Parameters with a single value: project, page, order, search text and time span. */
const ASKED_ONCE = [
  ...['project', 'limit', 'offset', 'cursor', 'sort', 'q'],
  ...['from', 'to', 'start_time', 'end_time', 'start_date', 'end_date'],
];
/** Bounds of a range. */
const BOUND = /^(?:min|max)_|_(?:min|max|from|to)$/;
/** Beginnings of texts. */
const BEGINNINGS = ['host', 'normalized_path', 'listener_name'];
/** Parameters that name one resource or a search text, and not a value of the rows. */
const NO_VALUES: Readonly<Record<string, readonly string[]>> = {
  listServices: ['name', 'ip_address'],
  listFleetServices: ['name'],
  listAuditLog: ['username'],
  listJobs: ['username', 'resource_name'],
  listShieldEvents: ['host', 'path_prefix', 'subject', 'source_ip', 'request_id'],
  listResources: ['kind'],
  listReach: ['kind'],
  listDocumentRevisions: ['version'],
  listExtensionObjectRevisions: ['version'],
  listApiDocumentDifferences: ['days', 'document_id', 'number'],
  listFindings: ['host'],
  listInventory: BEGINNINGS,
  listAttackSurface: BEGINNINGS,
  listInventoryGroups: BEGINNINGS,
  listInventoryListeners: BEGINNINGS,
  listInventoryPii: BEGINNINGS,
  listAuthCoverage: [...BEGINNINGS, 'mode'],
  listDiscoveries: [...BEGINNINGS, 'window_hours'],
  listZombies: [...BEGINNINGS, 'inactive_days'],
  listInventoryChanges: ['snapshot_id', 'since'],
  listTrafficEvents: BEGINNINGS,
  listOperationEvents: BEGINNINGS,
};
/** Parsed by the lists themselves, which refuse malformed values: see paging.api.test.ts. */
const READ_BY_LISTS = ['cursor', 'sort'];

/** Not a valid number, time, id, enum value or boolean. */
const RUBBISH = 'rubbish !';

/** Whether the schema accepts objects with unknown members. */
function isOpen(schema: z.ZodType | undefined): boolean {
  if (schema === undefined) return false;
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json;
  return [json, ...(json.anyOf ?? []), ...(json.oneOf ?? [])].some(
    ({ type, additionalProperties }) => type === 'object' && additionalProperties !== false,
  );
}

interface Json {
  readonly type?: string;
  readonly additionalProperties?: unknown;
  readonly anyOf?: readonly Json[];
  readonly oneOf?: readonly Json[];
}

function shapeOf(schema: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> {
  return (schema as { shape?: Record<string, z.ZodType> } | undefined)?.shape ?? {};
}

describe('every route of the table', () => {
  it('refuses unknown parameters of the path, the query and the body', () => {
    expect(routes.length).toBeGreaterThan(150);
    const open = routes.flatMap((route) =>
      (['params', 'query', 'body'] as const).filter((part) => isOpen(route[part])).map((part) => `${route.id} ${part}`),
    );
    expect(open.toSorted()).toEqual(Object.keys(OPEN));
  });

  it('refuses unreadable values of the query, except for texts', () => {
    const taken = new Set<string>();
    for (const route of routes) {
      for (const [name, schema] of Object.entries(shapeOf(route.query))) {
        if (schema.safeParse(RUBBISH).success) taken.add(name);
        else expect(schema.safeParse([RUBBISH]).success, `${label(route)} ${name}`).toBe(false);
      }
    }
    expect([...taken].toSorted()).toEqual([...FREE_TEXTS, ...READ_BY_LISTS].toSorted());
  });

  it('describes the expected value', () => {
    const { addressSchema, documentNameSchema, policySourceSchema } = contract;
    const asked: Array<readonly [string, z.ZodType, unknown]> = [
      ['an address', addressSchema, 'here'],
      ['a name', documentNameSchema, 'é'],
      ['a source', policySourceSchema, {}],
      ...routes.flatMap((route) =>
        Object.entries(shapeOf(route.query)).map(
          ([name, schema]) => [`${label(route)} ${name}`, schema, RUBBISH] as const,
        ),
      ),
    ];
    for (const [what, schema, value] of asked)
      for (const issue of schema.safeParse(value).error?.issues ?? [])
        for (const { message } of toViolations(issue)) expect(message, what).not.toBe('Invalid input');
  });

  it('accepts a repeated value only if it is declared as a list', () => {
    for (const route of routes) {
      for (const [name, schema] of Object.entries(shapeOf(route.query))) {
        const json = JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
        const isList = json.includes('"array"');
        const once = ['true', '1', 'x', 'asc', '00000000-0000-7000-8000-000000000000', '2026-01-01T00:00:00.000Z'].find(
          (one) => schema.safeParse(one).success,
        );
        if (once === undefined || isList) continue;
        expect(schema.safeParse([once, once]).success, `${label(route)} ${name}`).toBe(false);
      }
    }
  });

  it('filters a list by several values of a field like by one', () => {
    const single: Record<string, string[]> = {};
    for (const { id, method, query } of routes) {
      const shape = shapeOf(query);
      if (method !== 'GET' || !('cursor' in shape)) continue;
      const names = Object.entries(shape).flatMap(([name, schema]) => {
        const json = JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
        const isYesOrNo = schema.safeParse('true').success && !schema.safeParse('x').success;
        return ASKED_ONCE.includes(name) || BOUND.test(name) || json.includes('"array"') || isYesOrNo ? [] : [name];
      });
      if (names.length > 0) single[id] = names;
    }
    expect(single).toEqual(NO_VALUES);
  });

  it('supports a dry run if it writes', () => {
    const untried = routes.filter(
      ({ method, path, rate, audit, query }) =>
        method !== 'GET' &&
        path.startsWith('/api/') &&
        rate !== 'trial' &&
        audit !== null &&
        !('dry_run' in shapeOf(query)),
    );
    expect(untried.map(({ id }) => id).toSorted()).toEqual(Object.keys(NOT_TRIED).toSorted());
  });
});
