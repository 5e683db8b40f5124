import type { RouteContract } from '@flotilla/contract';
import * as contract from '@flotilla/contract';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { toViolations } from './validate.ts';

const routes: readonly RouteContract[] = Object.entries(contract).flatMap(([name, value]) =>
  name.endsWith('Routes') ? Object.values<RouteContract>(value as never) : [],
);
const label = ({ method, path }: RouteContract) => `${method} ${path}`;

/** What has a place for anything, and why. */
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
/** Texts: whatever is sent there can be meant. */
const FREE_TEXTS = [
  'action',
  'code',
  'engine',
  'error',
  'host',
  'ip_address',
  'iss',
  'last_event_id',
  'method',
  'name',
  'path_prefix',
  'plan',
  'q',
  'realm',
  'reason',
  'request_id',
  'resource_id',
  'resource_name',
  'resource_type',
  'return_to',
  'route',
  'state',
  'subject',
  'type',
  'user',
  'user_id',
  'username',
  'version',
];
/** Writes that cannot be tried, and why. */
const NOT_TRIED: Readonly<Record<string, string>> = {
  cleanUpVersion: 'is shown by its preview; a restore point is made before it',
  exportBackup: 'starts a job',
  importBackup: 'is shown by its plan; a restore point is made before it',
  uploadBackup: 'is itself there to be looked at before anything is done with it',
  beginPasskey: 'asks a browser',
  planRestore: 'shows what another would do, and changes nothing',
  validateBackup: 'looks at a backup, and changes nothing',
};
/** What a list is asked for once: whose it is, from where on, how long and in what order, what is looked for, in what time. */
const ASKED_ONCE = [
  ...['project', 'limit', 'offset', 'cursor', 'sort', 'q'],
  ...['from', 'to', 'start_time', 'end_time', 'start_date', 'end_date'],
];
/** Which thing the list is about, or a text that is looked for; not one of the values that a row may have. */
const NO_VALUES: Readonly<Record<string, readonly string[]>> = {
  listServices: ['name', 'ip_address'],
  listAuditLog: ['username'],
  listJobs: ['username', 'resource_name'],
  listShieldEvents: ['host', 'path_prefix', 'subject', 'source_ip', 'request_id'],
  listResources: ['kind'],
  listReach: ['kind'],
  listDocumentRevisions: ['version'],
  listExtensionObjectRevisions: ['version'],
};
/** Read by the lists themselves, which refuse what they cannot read: see paging.api.test.ts. */
const READ_BY_LISTS = ['cursor', 'sort'];

/** What no number, time, id, word of a list or yes-and-no is. */
const RUBBISH = 'rubbish !';

/** Whether an object that the schema takes may have members that it does not name. */
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
  it('refuses parameters that it does not know, of the path, the query and the body', () => {
    expect(routes.length).toBeGreaterThan(150);
    const open = routes.flatMap((route) =>
      (['params', 'query', 'body'] as const).filter((part) => isOpen(route[part])).map((part) => `${route.id} ${part}`),
    );
    expect(open.toSorted()).toEqual(Object.keys(OPEN));
  });

  it('refuses values of the query that it cannot read, but for texts', () => {
    const taken = new Set<string>();
    for (const route of routes) {
      for (const [name, schema] of Object.entries(shapeOf(route.query))) {
        if (schema.safeParse(RUBBISH).success) taken.add(name);
        else expect(schema.safeParse([RUBBISH]).success, `${label(route)} ${name}`).toBe(false);
      }
    }
    expect([...taken].toSorted()).toEqual([...FREE_TEXTS, ...READ_BY_LISTS].toSorted());
  });

  it('says what a value is to be', () => {
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

  it('takes a value twice only where it says that there may be several', () => {
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

  it('filters a list by several values of a field as by one', () => {
    const single: Record<string, string[]> = {};
    for (const { id, method, query } of routes) {
      const shape = shapeOf(query);
      if (method !== 'GET' || !('cursor' in shape)) continue;
      const names = Object.entries(shape).flatMap(([name, schema]) => {
        const json = JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
        const isYesOrNo = schema.safeParse('true').success && !schema.safeParse('x').success;
        return ASKED_ONCE.includes(name) || json.includes('"array"') || isYesOrNo ? [] : [name];
      });
      if (names.length > 0) single[id] = names;
    }
    expect(single).toEqual(NO_VALUES);
  });

  it('can be tried where it writes', () => {
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
