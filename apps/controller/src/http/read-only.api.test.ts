import type { RouteContract } from '@flotilla/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../test-fleet.ts';
import { fillAddresses, type TestAddresses } from './test-addresses.ts';
import { name } from './test-matrix.ts';
import { readEntries } from './test-record.ts';

/** Read, change, write back: what every operator does, with whatever record it be. */
let t: TestFleet;
let addresses: TestAddresses;

beforeAll(async () => {
  t = await createTestFleet();
  addresses = await fillAddresses(t);
}, 120_000);
afterAll(() => t?.close());

const contracts = () => t.controller.routes.map(({ contract }) => contract);

/** The writes of records that are read at the same address, with that read. */
const pairs = () =>
  contracts().flatMap((write) => {
    const read = contracts().find(({ method, path }) => method === 'GET' && path === write.path);
    return read && (write.method === 'PUT' || write.method === 'PATCH') ? [{ read, write }] : [];
  });

/** A selection is somebody's. */
async function addressOf(contract: RouteContract): Promise<string> {
  const url = addresses.of(contract);
  if (!contract.id.endsWith('PermissionSelection')) return url;
  const { userId } = await t.createMember('viewer');
  return url.replace(/permissions\/[^?]+/, `permissions/users/services/${userId}`);
}

it('a record that is sent back as it was read is taken, and nothing has changed', async () => {
  const problems: string[] = [];
  for (const { read, write } of pairs()) {
    const url = await addressOf(write);
    const before = await t.owner.call('GET', url);
    if (before.status !== 200) problems.push(`GET ${read.path}: ${before.status} ${JSON.stringify(before.body)}`);
    const answer = await t.owner.call(write.method, url, before.body);
    if (answer.status !== 200) problems.push(`${name(write)}: ${answer.status} ${JSON.stringify(answer.body)}`);
    const entries = await readEntries(t, answer.headers['x-request-id']);
    if (entries.length > 0) problems.push(`${name(write)}: recorded ${JSON.stringify(entries)}`);
    const after = await t.owner.call('GET', url);
    expect(after.body, name(write)).toEqual(before.body);
    expect(after.headers.etag, name(write)).toBe(before.headers.etag);
  }
  expect(problems).toEqual([]);
  expect(pairs().length).toBeGreaterThan(20);
});

/** Who may write is told by the comparison what is stored. */
it('whoever may write a record may read it', () => {
  const rolesOf = ({ access }: RouteContract) => (access.kind === 'roles' ? access.roles : []);
  const hidden = pairs().filter(({ read, write }) => {
    if (read.access.kind === 'system_owner') return write.access.kind !== 'system_owner';
    if (write.access.kind !== 'roles')
      return write.access.kind !== 'system_owner' && write.access.kind !== read.access.kind;
    return !rolesOf(write).every((role) => rolesOf(read).includes(role));
  });
  expect(hidden.map(({ write }) => name(write))).toEqual([]);
});

it('a member that is not to be written and is not as it is stored is refused by its name, wherever it stands', async () => {
  const problems: string[] = [];
  for (const { write } of pairs()) {
    const url = await addressOf(write);
    const { body } = await t.owner.call('GET', url);
    for (const member of ['id', 'revision', 'updated_at', 'created_at', 'project']) {
      if (!(member in body)) continue;
      const answer = await t.owner.call(write.method, url, { ...body, [member]: 'another' });
      const told = answer.body.details?.map(({ path, rule }: { path: string; rule: string }) => `${path} ${rule}`);
      const isRefused = answer.status === 400 && answer.body.message.includes(member);
      if (!isRefused) problems.push(`${name(write)} ${member}: ${answer.status} ${told}`);
    }
  }
  expect(problems).toEqual([]);
});

it('tells by rule and path which member it is, and what to do', async () => {
  const group = await t.owner.call('POST', `/api/v3/setting/groups?project=${t.project}`, { name: 'night' });
  const url = `/api/v3/setting/groups/${group.body.id}?project=${t.project}`;
  const refused = await t.owner.call('PUT', url, { ...group.body, revision: 7, member_count: 7 });
  expect(refused.body).toMatchObject({
    code: 'request.invalid',
    details: [{ path: 'revision', rule: 'read_only' }],
  });
  expect(refused.body.message).toContain('revision: is read-only');
  const unknown = await t.owner.call('PUT', url, { ...group.body, revisoin: 1 });
  expect(unknown.body.details).toMatchObject([{ path: 'revisoin', rule: 'unknown' }]);
});

it('what has changed since it was read is not overwritten by what was read', async () => {
  const url = `/api/v3/xds/secrets/www?project=${t.project}&version=${TEST_VERSION}`;
  const { body: early } = await t.owner.call('GET', url);
  const changed = await t.owner.call('PATCH', url, { description: 'by somebody else' });
  expect(changed.status).toBe(200);
  const late = await t.owner.call('PUT', url, { ...early, labels: { mine: 'yes' } });
  expect(late.body.details.map(({ path }: { path: string }) => path)).toContain('revision');
  expect((await t.owner.call('GET', url)).body.description).toBe('by somebody else');
});

it('of a record that is sent back, what was changed is changed, and its secrets stay', async () => {
  const url = `/api/v3/setting/documents/cloud/www?project=${t.project}`;
  const { body: before } = await t.owner.call('GET', url);
  const answer = await t.owner.call('PUT', url, { ...before, value: { ...before.value, region_name: 'south' } });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.body).toMatchObject({ value: { region_name: 'south' }, revision: before.revision + 1 });
  expect(answer.body.private).toEqual(before.private);
  expect(answer.body.private).toHaveLength(1);
  // Or to where there is none yet.
  await t.owner.call('DELETE', url);
  const { auth } = before.value;
  const value = { ...before.value, auth: { ...auth, application_credential_secret: 'anew' } };
  const made = await t.owner.call('PUT', url, { ...before, value });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
});

it('a feed is switched in the list as it was read, and what its file says of it stays', async () => {
  await t.database.owner
    .insertInto('threat_feeds')
    .values({
      name: 'bad',
      enabled: true,
      entry_count: 1,
      sha256: '0'.repeat(64),
      uploaded_at: new Date(),
      uploaded_by: 'x',
    })
    .execute();
  const url = '/api/v3/setting/threat-intel';
  const { body } = await t.owner.call('GET', url);
  const same = await t.owner.call('PUT', url, body);
  expect([same.status, same.body]).toEqual([200, body]);
  const [feed] = body.feeds;
  const refused = await t.owner.call('PUT', url, { ...body, feeds: [{ ...feed, entry_count: 2 }] });
  expect(refused.body.details).toMatchObject([{ path: 'feeds[0].entry_count', rule: 'read_only' }]);
  const off = await t.owner.call('PUT', url, { ...body, feeds: [{ ...feed, enabled: false }] });
  expect(off.body.feeds).toEqual([{ ...feed, enabled: false }]);
});

it('a schedule keeps the secrets that are not shown, until they are taken away', async () => {
  const list = '/api/v3/jobs/schedules';
  const params = { passphrase: 'correct-horse-battery', keep: 3 };
  const made = await t.owner.call('POST', list, {
    name: 'nightly',
    type: 'backup.scheduled',
    cron: '0 3 * * *',
    params,
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  expect(made.body.params).toEqual({ keep: 3, secret_free: false });
  const url = `${list}/${made.body.id}`;
  const sealed = async () =>
    (
      await t.database.owner
        .selectFrom('job_schedules')
        .select('params_sealed')
        .where('id', '=', made.body.id)
        .executeTakeFirstOrThrow()
    ).params_sealed;
  const before = await sealed();
  const { body } = await t.owner.call('GET', url);
  expect((await t.owner.call('PUT', url, body)).body).toEqual(body);
  expect(await sealed()).toEqual(before);
  const later = await t.owner.call('PUT', url, { ...body, cron: '0 4 * * *' });
  expect(later.body).toMatchObject({ cron: '0 4 * * *', params: body.params });
  expect(await sealed()).not.toBeNull();
  const ended = await t.owner.call('PUT', url, { ...body, params: { ...body.params, passphrase: null } });
  expect(ended.status, JSON.stringify(ended.body)).toBe(200);
  expect(await sealed()).toBeNull();
});
