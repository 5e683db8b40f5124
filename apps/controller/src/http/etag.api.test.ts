import type { RouteContract } from '@flotilla/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillProject, type TestTenant, WORK } from '../tenancy/test-tenant.ts';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../test-fleet.ts';
import { name } from './test-matrix.ts';

/**
 * Every record that can be read and changed at one address has an ETag, and a change of what was read in another state is
 * refused: by the route table, so that a new record is asked by being declared.
 */
let t: TestFleet;
let ours: TestTenant;

beforeAll(async () => {
  t = await createTestFleet();
  t.controller.jobs.register(WORK);
  ours = await fillProject(t, t.project, 'marker');
  const filter = { name: 'www', version: TEST_VERSION, resource: {} };
  const made = await t.owner.call('POST', `/api/v3/eo/filters/${FILTER}?project=${t.project}`, filter);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
}, 120_000);
afterAll(() => t?.close());

const FILTER = 'envoy.extensions.filters.http.router.v3.Router';

/** No records: what is sent says what to do, and takes nothing of another's change away. */
const NO_RECORDS: Readonly<Record<string, string>> = {
  changePermissionSelection: 'names what to give and what to take, each by itself',
  setResourceAccess: 'one word',
};

const SERVICE = { name: 'shop', version: TEST_VERSION, bootstrap: 'boot', listeners: ['web'] };
const CLOUD = {
  auth: { auth_url: 'https://k.example/v3', application_credential_id: 'i', application_credential_secret: 's' },
  region_name: 'n',
};
const DOCUMENT = { resource: { generic_secret: { secret: { inline_string: 'x' } } } };
const NAMED = { name: 'other', description: null };

/** Of those whose empty body is refused before anything is looked up. */
const BODIES: Readonly<Record<string, object>> = {
  replaceService: SERVICE,
  replaceDocument: DOCUMENT,
  replaceExtensionObject: { resource: {} },
  replaceCloud: CLOUD,
  replaceNamedSetting: CLOUD,
  replaceGroup: NAMED,
  replaceProject: NAMED,
  replaceUser: { username: 'other', email: null, is_owner: false, active: true },
  replacePolicy: { text: 'x' },
  setOtpConfig: { otp_enforced: false },
  replaceThreatIntel: { feeds: [] },
};

const WORDS: Readonly<Record<string, string>> = {
  name: 'www',
  cloud_name: 'www',
  zone: 'www',
  version: TEST_VERSION,
};

function addressOf(contract: RouteContract): string {
  const isOfProject = contract.path.includes(':key/:name') || contract.project === 'query';
  const words: Record<string, string> = {
    ...(contract.path.includes('/eo/') ? { collection: 'filters', type: FILTER } : { collection: 'secrets' }),
    ...WORDS,
    ...ours.ids,
    project_id: t.project,
    key: isOfProject ? 'cloud' : 'general',
  };
  const path = contract.path.replaceAll(/:(\w+)/g, (_, parameter: string) => words[parameter] ?? 'unknown');
  const shape = (contract.query as { shape?: object } | undefined)?.shape ?? {};
  const query = {
    ...('project' in shape && (isOfProject || contract.path.includes('users')) && { project: t.project }),
    ...('version' in shape && { version: TEST_VERSION }),
    ...(contract.method !== 'GET' && { dry_run: 'true' }),
  };
  return `${path}?${new URLSearchParams(query)}`;
}

const contracts = () => t.controller.routes.map(({ contract }) => contract);

/** Records are read and changed at one address; some are deleted there, too. */
const changing = () => {
  const read = new Set(contracts().flatMap(({ method, path }) => (method === 'GET' ? [path] : [])));
  const changed = new Set(
    contracts().flatMap(({ id, method, path }) =>
      (method === 'PUT' || method === 'PATCH') && read.has(path) && !(id in NO_RECORDS) ? [path] : [],
    ),
  );
  return contracts().filter(({ method, path }) => changed.has(path) && method !== 'GET' && method !== 'POST');
};

it('a record that can be changed is read with its ETag, and a change of another state of it is refused', async () => {
  const problems: string[] = [];
  const tags = new Map<string, unknown>();
  for (const contract of changing()) {
    const read = contracts().find(({ method, path }) => method === 'GET' && path === contract.path);
    const { headers, status, body } = await t.owner.call('GET', addressOf(read ?? contract));
    tags.set(contract.path, headers.etag);
    if (headers.etag === undefined) problems.push(`GET ${contract.path}: no ETag (${status} ${JSON.stringify(body)})`);
    const given = contract.method === 'DELETE' ? undefined : (BODIES[contract.id] ?? {});
    const answer = await t.owner.call(contract.method, addressOf(contract), given, { 'if-match': '"never"' });
    if (answer.status !== 412) problems.push(`${name(contract)}: ${answer.status} ${JSON.stringify(answer.body)}`);
    if (answer.status === 412) expect(answer.body.code).toBe('record.stale');
  }
  expect([...new Set(problems)]).toEqual([]);
  expect(tags.size).toBeGreaterThan(10);
});
