import type { RouteContract } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Answer, TestCaller } from '../controller.ts';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../fleet.ts';
import { fillProject, type TestTenant, WORK } from './tenant.ts';

/**
 * Two projects with the same names of everything. A member of one calls every route: the answers must not depend on the
 * other project, for any id, name, filter or search.
 */
const MARKERS = ['marker-of-ours', 'marker-of-others'] as const;
/** A name in the other project, and one in neither. */
const [THEIRS, NEVER] = ['only-theirs', 'never-wasnt'];
const WAIT = { interval: 100 };

/**
 * Path parameters that are not ids, with values of our project. A route with another one fails until it is listed here.
 */
const WORDS: Readonly<Record<string, string>> = {
  collection: 'secrets',
  type: 'envoy.extensions.transport_sockets.tls.v3.Secret',
  name: 'www',
  cloud_name: 'www',
  subnet_id: createId(),
  operation_id: '0123456789abcdef',
  event_id: `1.${'0'.repeat(24)}`,
  consumer_hash: '0123456789abcdef',
  artifact_id: createId().replaceAll('-', ''),
  key: 'cloud',
  kind: 'users',
  id: createId(),
  revision: '1',
  number: '1',
  version: TEST_VERSION,
  zone: 'www',
  digest: '0'.repeat(64),
};
/** Those parameters that are names, which one project may have and the other not. */
const NAMES = ['name', 'cloud_name', 'zone'];
/** Parameters without an id in our project: sessions of users, permissions, any resource, and nodes. */
const FREE_ID = createId();
const FREE_IDS = ['session_id', 'permission_id', 'resource_id', 'nodeID', 'project_id'];
/** Filters of lists that take ids or names. */
const FILTERS = [
  'client_id',
  'service_id',
  'resource_id',
  'user_id',
  'group_id',
  'user',
  'parent',
  'policy',
  'name',
  'q',
  'subject',
  'subject_id',
];

let t: TestFleet;
let ours: TestTenant;
let theirs: TestTenant;
let admin: TestCaller;
let before: Map<string, string>;

beforeAll(async () => {
  t = await createTestFleet();
  t.controller.jobs.register(WORK);
  admin = await t.createMember('admin');
  ours = await fillProject(t, t.project, MARKERS[0]);
  await settle(ours.project);
  before = await readAll();
  theirs = await fillProject(t, await t.createProject('other'), MARKERS[1], [THEIRS]);
  await settle(theirs.project);
}, 120_000);
afterAll(() => t?.close());

/**
 * Waits until all jobs have ended, every audit entry is sealed and the project has its alert rules, and puts the daily snapshot off: nothing
 * changes on its own then.
 */
async function settle(project: string): Promise<void> {
  await t.database.db
    .updateTable('inventory_projects')
    .set({ snapshot_at: new Date() })
    .where('project_id', '=', project)
    .execute();
  await vi.waitFor(async () => {
    const { body } = await t.owner.call('GET', `/api/v3/jobs/stats?project=${project}`);
    expect(body.total_jobs, JSON.stringify(body)).toBeGreaterThan(0);
    const open = await t.database.db.selectFrom('jobs').select('id').where('ended_at', 'is', null).execute();
    expect(open).toEqual([]);
    expect(await t.database.db.selectFrom('audit_unsealed').select('entry_id').limit(1).execute()).toEqual([]);
    const seeded = t.database.db.selectFrom('alert_projects').select('project_id').where('project_id', '=', project);
    expect(await seeded.execute()).toHaveLength(1);
  }, WAIT);
}

const scoped = () =>
  t.controller.routes.map(({ contract }) => contract).filter(({ access }) => access.kind === 'roles');
const parametersOf = ({ path }: RouteContract) => [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');
const shapeOf = (contract: RouteContract): string[] =>
  Object.keys((contract.query as { shape?: object } | undefined)?.shape ?? {});

function ownValue(name: string, path: string): string {
  if (name === 'token_id' && path.includes('enrolment')) return ours.ids.enrolment ?? '';
  if (name === 'nodeID') return 'shop';
  if (name === 'project_id') return ours.project;
  return WORDS[name] ?? ours.ids[name] ?? FREE_ID;
}

/** The address of a route with values of our project, except for the given ones. */
function addressOf(
  contract: RouteContract,
  given: Record<string, string> = {},
  query: Record<string, string> = {},
): string {
  const path = contract.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(given[name] ?? ownValue(name, contract.path)),
  );
  const inQuery = {
    ...(contract.project !== 'body' && shapeOf(contract).includes('project') && { project: ours.project }),
    ...(shapeOf(contract).includes('version') && { version: TEST_VERSION }),
    ...query,
  };
  return `${path}?${new URLSearchParams(inQuery)}`;
}

/** For a stream, which never ends, only reads whether it started. */
async function send(contract: RouteContract, url: string): Promise<Answer> {
  const request = {
    method: contract.method,
    url,
    headers: { authorization: `Bearer ${admin.token}` },
    ...(contract.method !== 'GET' && contract.method !== 'DELETE' && { payload: { project: ours.project } }),
  };
  if (contract.media === 'text/event-stream') {
    const response = await t.app.inject({ ...request, payloadAsStream: true });
    if (response.statusCode === 200) {
      response.stream().destroy();
      return { status: 200, body: 'a stream', headers: {} };
    }
    const chunks = await response.stream().toArray();
    return { status: response.statusCode, body: Buffer.concat(chunks).toString(), headers: {} };
  }
  const response = await t.app.inject(request);
  return { status: response.statusCode, body: response.body, headers: response.headers };
}

/**
 * The comparable part of an answer: without the request id, the requested value, times, and the signatures that an audit
 * log gets every half minute.
 */
function plain({ status, body }: Answer, asked: readonly string[] = []): string {
  let text = `${status} ${String(body)}`
    .replaceAll(/"request_id":"[^"]*"/g, '')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/"(\w+_s|\w+_sec|bytes)":[\d.]+/g, '"$1":0')
    .replaceAll(/"checkpoints":\d+|"key_ids":\[[^\]]*\]/g, '');
  for (const one of asked) text = text.replaceAll(one, '<asked>').replaceAll(encodeURIComponent(one), '<asked>');
  return text;
}

/**
 * Every GET answer about our project, by address. Reads that are recorded themselves change the audit log, so they are
 * optional.
 */
async function readAll(withRecorded = false): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const contract of scoped().filter(({ method, media }) => method === 'GET' && media !== 'text/event-stream')) {
    if (contract.audit !== null && !withRecorded) continue;
    const url = addressOf(contract);
    answers.set(url, plain(await send(contract, url)));
  }
  return answers;
}

it('every parameter of every route is listed here', () => {
  const known = [...Object.keys(WORDS), ...Object.keys(ours.ids), ...FREE_IDS];
  for (const contract of scoped())
    for (const name of parametersOf(contract)) expect(known, `${contract.id} :${name}`).toContain(name);
  for (const [name, id] of Object.entries({ ...ours.ids, ...theirs.ids })) expect(id, name).toMatch(/^[0-9a-f-]{36}$/);
});

it('lists, single resources, counts, statistics and exports are the same with and without the other project', async () => {
  const after = await readAll();
  expect(after.size).toBeGreaterThan(60);
  const differing = [...after].filter(([url, text]) => before.get(url) !== text);
  expect(differing.map(([url, text]) => [url, before.get(url), text])).toEqual([]);
  const admitted = [...after.values()].filter((text) => text.startsWith('200 '));
  expect(admitted.length).toBeGreaterThan(45);
});

it('no answer contains an id, a text or a name of the other project', async () => {
  const foreign = [MARKERS[1], THEIRS, theirs.project, ...Object.values(theirs.ids)];
  const answers = [...(await readAll(true))];
  expect(answers.some(([, text]) => text.includes(MARKERS[0]))).toBe(true);
  const leaks = answers.flatMap(([url, text]) =>
    foreign.filter((one) => text.includes(one)).map((one) => `${url} ${one}`),
  );
  expect(leaks).toEqual([]);
});

describe('data of the other project look like unknown data', () => {
  it('by id, in every route with one', async () => {
    const problems: string[] = [];
    let asked = 0;
    for (const contract of scoped()) {
      for (const name of parametersOf(contract).filter((one) => !(one in WORDS) || one === 'id')) {
        // A named project is refused with its own error, which the matrix tests cover.
        if (name === 'project_id') continue;
        const never = createId();
        const expected = plain(await send(contract, addressOf(contract, { [name]: never })), [never]);
        for (const [kind, id] of Object.entries(theirs.ids)) {
          const answer = plain(await send(contract, addressOf(contract, { [name]: id })), [id]);
          asked += 1;
          if (answer !== expected) problems.push(`${contract.id} :${name} = their ${kind}: ${answer}, not ${expected}`);
        }
      }
    }
    expect(problems).toEqual([]);
    expect(asked).toBeGreaterThan(400);
  }, 240_000);

  it('by name', async () => {
    const problems: string[] = [];
    for (const contract of scoped()) {
      for (const name of parametersOf(contract).filter((one) => NAMES.includes(one))) {
        const expected = plain(await send(contract, addressOf(contract, { [name]: NEVER })), [NEVER]);
        const answer = plain(await send(contract, addressOf(contract, { [name]: THEIRS })), [THEIRS]);
        if (answer !== expected) problems.push(`${contract.id} :${name}: ${answer}, not ${expected}`);
      }
    }
    expect(problems).toEqual([]);
  });

  it('by filter and by search, in every list, count and export', async () => {
    const problems: string[] = [];
    let asked = 0;
    for (const contract of scoped().filter(({ method, media }) => method === 'GET' && media !== 'text/event-stream')) {
      for (const name of shapeOf(contract).filter((one) => FILTERS.includes(one))) {
        const isId = name.endsWith('_id') || name === 'parent';
        const never = isId ? createId() : NEVER;
        const expected = plain(await send(contract, addressOf(contract, {}, { [name]: never })), [never]);
        const values = isId ? Object.values(theirs.ids) : [THEIRS, MARKERS[1], theirs.ids.user_id ?? ''];
        for (const value of values) {
          const answer = plain(await send(contract, addressOf(contract, {}, { [name]: value })), [value]);
          asked += 1;
          if (answer !== expected) problems.push(`${contract.id}?${name}=${value}: ${answer}, not ${expected}`);
        }
      }
    }
    expect(problems).toEqual([]);
    expect(asked).toBeGreaterThan(100);
  });
});
