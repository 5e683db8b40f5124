import type { RouteContract } from '@flotilla/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer } from '../../testing/controller.ts';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../testing/fleet.ts';
import { createSamples } from '../../testing/tenancy/sample.ts';
import { WORK } from '../../testing/tenancy/tenant.ts';

/** A Location header must be callable as it is, with the project and the version that it needs. */
let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
  t.controller.jobs.register(WORK);
}, 120_000);
afterAll(() => t?.close());

const ROUTER = 'envoy.extensions.filters.http.router.v3.Router';
const CLOUD = {
  auth: { auth_url: 'https://k.example/v3', application_credential_id: 'i', application_credential_secret: 's' },
  region_name: 'n',
};
const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: made }
spec: { domains: [] }
`;

/** Bodies that create a record, by route, for features without a sample; `at`: path parameters. */
const MADE: Readonly<
  Record<string, (username: string, userId: string) => { at?: Record<string, string>; body: object }>
> = {
  createService: () => ({ body: { name: 'made', version: TEST_VERSION, bootstrap: 'boot', listeners: ['web'] } }),
  createDocument: () => ({
    at: { collection: 'secrets' },
    body: { name: 'made', version: TEST_VERSION, resource: { generic_secret: { secret: { inline_string: 'x' } } } },
  }),
  createExtensionObject: () => ({
    at: { collection: 'filters', type: ROUTER },
    body: { name: 'made', version: TEST_VERSION, resource: {} },
  }),
  createExtensionObjects: () => ({
    at: { collection: 'filters' },
    body: { name: 'other', version: TEST_VERSION, type: ROUTER, resource: {} },
  }),
  createPolicy: () => ({ body: { name: 'made', text: POLICY } }),
  createCloud: () => ({ at: { cloud_name: 'made' }, body: CLOUD }),
  replaceNamedSetting: () => ({ at: { key: 'cloud', name: 'second' }, body: CLOUD }),
  createUser: () => ({ body: { username: 'made', memberships: [{ project: t.project, role: 'viewer' }] } }),
  addMember: (username) => ({ body: { username, role: 'viewer' } }),
  createProject: () => ({ body: { name: 'made' } }),
  createJobSchedule: () => ({ body: { name: 'made', type: WORK.type, cron: '0 3 1 1 *' } }),
  createAuditHold: () => ({ body: { project: t.project, reason: 'a case' } }),
  grantPermission: (_username, userId) => ({
    body: { subject: { kind: 'user', id: userId }, resource: { kind: 'client', id: null }, level: 'view' },
  }),
  createZoneSecret: () => ({ body: { zone: 'made.example' } }),
  createEnrolmentToken: () => ({ body: { note: 'made' } }),
  generateDiscoveryToken: () => ({ body: {} }),
};

/** Records that are created in another way, or only read in a list. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  createHaPair: 'needs a connected appliance: ha-pairs.api.test.ts',
  importApiDocument: 'is a file: api-documents.api.test.ts',
  addPasskey: 'needs a browser: passkeys.api.test.ts',
  uploadBackup: 'is used up by the import that it is made for',
  rotateSigningKey: 'keys are read as a list, of which the newest signs',
  setMembership: 'makes no address: the membership stands with its user',
};

const createsRecord = ({ status, makes }: RouteContract) => status === 201 || makes === true;

/** Follows the Location of a created record. Returns what is wrong with it. */
async function followLocation({ id, project }: RouteContract, made: Answer): Promise<string[]> {
  if (made.status !== 201) return [`${id}: ${made.status} ${JSON.stringify(made.body)}`];
  const location = String(made.headers.location);
  const found = await t.owner.call('GET', location);
  for (const key of ['id', 'name', 'zone', 'username'])
    expect(found.body[key], `${location} ${key}`).toEqual(made.body[key]);
  // Checks both the first answer and the stored one.
  const projects = new URL(location, 'http://controller.example').searchParams.getAll('project');
  expect(projects, location).toEqual(project === 'none' ? [] : [t.project]);
  return found.status === 200 ? [] : [`${id}: GET ${location} ${JSON.stringify(found.body)}`];
}

it('every created record is found at its Location', async () => {
  const elsewhere = await t.createProject('elsewhere');
  const { username } = await t.createMember('viewer', elsewhere);
  const { userId } = await t.createMember('viewer');
  const contracts = t.controller.routes.map(({ contract }) => contract);
  const making = contracts.filter((contract) => createsRecord(contract) && !(contract.id in ELSEWHERE));
  const problems: string[] = [];
  const followed = new Set<string>();
  const make = async (contract: RouteContract, path: string, body: unknown) => {
    const made = await t.owner.call(
      contract.method,
      contract.project === 'none' ? path : `${path}?project=${t.project}`,
      body,
    );
    if (createsRecord(contract)) {
      problems.push(...(await followLocation(contract, made)));
      followed.add(contract.id);
    }
    return made.body;
  };
  await createSamples({
    db: t.database.db,
    project: t.project,
    marker: 'made',
    make: (method, path, body) => {
      const contract = contracts.find((one) => one.method === method && one.path === path);
      if (!contract) throw new Error(`a sample calls ${method} ${path}, which has no route without parameters`);
      return make(contract, path, body);
    },
  });
  for (const contract of making.filter(({ id }) => id in MADE)) {
    const { at = {}, body } = MADE[contract.id]?.(username, userId) ?? { body: {} };
    await make(
      contract,
      contract.path.replaceAll(/:(\w+)/g, (_, name: string) => at[name] ?? 'unknown'),
      body,
    );
  }
  expect([...followed].toSorted()).toEqual(making.map(({ id }) => id).toSorted());
  expect(problems).toEqual([]);
});
