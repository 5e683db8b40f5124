import { isDeepStrictEqual } from 'node:util';
import type { RouteContract } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../testing/fleet.ts';
import { fillAddresses, type TestAddresses } from './testing/addresses.ts';
import { name } from './testing/matrix.ts';
import { readEntries } from './testing/record.ts';

/** A client can read any record, change it and write it back. */
let t: TestFleet;
let addresses: TestAddresses;

beforeAll(async () => {
  t = await createTestFleet();
  addresses = await fillAddresses(t);
}, 120_000);
afterAll(() => t?.close());

const contracts = () => t.controller.routes.map(({ contract }) => contract);

/** The specification refuses a body that changes nothing. */
const REFUSED_UNCHANGED: Readonly<Record<string, string>> = { updateHaPair: 'ha.invalid' };

/** The writes of records that are read at the same address, with their read. */
const pairs = () =>
  contracts().flatMap((write) => {
    const read = contracts().find(({ method, path }) => method === 'GET' && path === write.path);
    return read && (write.method === 'PUT' || write.method === 'PATCH') ? [{ read, write }] : [];
  });

/** A permission selection belongs to a user. */
async function addressOf(contract: RouteContract): Promise<string> {
  const url = addresses.of(contract);
  if (!contract.id.endsWith('PermissionSelection')) return url;
  const { userId } = await t.createMember('viewer');
  return url.replace(/permissions\/[^?]+/, `permissions/users/services/${userId}`);
}

it('a record that is sent back unchanged is accepted, and nothing changes', async () => {
  const problems: string[] = [];
  for (const { read, write } of pairs()) {
    const url = await addressOf(write);
    const before = await t.owner.call('GET', url);
    if (before.status !== 200) problems.push(`GET ${read.path}: ${before.status} ${JSON.stringify(before.body)}`);
    const answer = await t.owner.call(write.method, url, before.body);
    const refusal = REFUSED_UNCHANGED[write.id];
    const isExpected = refusal === undefined ? answer.status === 200 : answer.body.code === refusal;
    if (!isExpected) problems.push(`${name(write)}: ${answer.status} ${JSON.stringify(answer.body)}`);
    const entries = await readEntries(t, answer.headers['x-request-id']);
    if (entries.length > 0) problems.push(`${name(write)}: recorded ${JSON.stringify(entries)}`);
    const after = await t.owner.call('GET', url);
    expect(after.body, name(write)).toEqual(before.body);
    expect(after.headers.etag, name(write)).toBe(before.headers.etag);
  }
  expect(problems).toEqual([]);
  expect(pairs().length).toBeGreaterThan(20);
});

/** The requirements of a route for its caller, except for the role. */
const requirementsOf = ({ family, people, beforeNewPassword, needs }: RouteContract) => ({
  family,
  people: people === true,
  withOldPassword: beforeNewPassword !== true,
  thing: needs && { kind: needs.kind, param: needs.param, by: needs.by },
});

/** The comparison tells the writer what is stored, but the guard only checks the right to write. */
it('every caller who may write a record may read it', () => {
  const rolesOf = ({ access }: RouteContract) => (access.kind === 'roles' ? access.roles : []);
  const hidden = pairs().filter(({ read, write }) => {
    const [mayRead, mayWrite] = [requirementsOf(read), requirementsOf(write)];
    if (mayRead.family !== mayWrite.family || !isDeepStrictEqual(mayRead.thing, mayWrite.thing)) return true;
    if ((mayRead.people && !mayWrite.people) || (mayRead.withOldPassword && !mayWrite.withOldPassword)) return true;
    // An owner of the installation may see every project.
    if (write.access.kind === 'system_owner') return false;
    if (read.access.kind !== write.access.kind || read.project !== write.project) return true;
    return !rolesOf(write).every((role) => rolesOf(read).includes(role));
  });
  expect(hidden.map(({ write }) => name(write))).toEqual([]);
  const wide = t.controller.routes.filter(({ acrossProjects }) => acrossProjects).map(({ contract }) => contract);
  expect(pairs().filter(({ read, write }) => wide.includes(read) && !wide.includes(write))).toEqual([]);
});

it('a caller who may not write a record learns nothing about it from any claimed value', async () => {
  const project = await t.createProject('listed');
  const query = `?project=${project}`;
  const resource = { generic_secret: { secret: { inline_string: 'x' } } };
  const secret = { name: 'there', version: TEST_VERSION, resource };
  const { body } = await t.owner.call('POST', `/api/v3/xds/secrets${query}`, secret);
  const listed = await t.owner.call('PUT', `/api/v3/setting/resource-access${query}`, { resource_access: 'listed' });
  expect(listed.status, JSON.stringify(listed.body)).toBe(200);
  const [viewing, revoked] = [await t.createMember('editor', project), await t.createMember('editor', project)];
  for (const [{ userId: id }, level] of [
    [viewing, 'view'],
    [revoked, 'change'],
  ] as const) {
    const granted = { subject: { kind: 'user', id }, resource: { kind: 'document', id: body.id }, level };
    expect((await t.owner.call('POST', `/api/v3/setting/permissions${query}`, granted)).status).toBe(201);
  }
  const narrow = { name: 'narrow', role: 'admin', families: ['clients'] };
  const { token } = (await t.owner.call('POST', `/api/v3/setting/tokens${query}`, narrow)).body;
  const url = `/api/v3/xds/secrets/there${query}&version=${TEST_VERSION}`;
  // On another controller, so that the guard of this one still has the old permission cached.
  expect((await revoked.call('PUT', url, { revision: body.revision, resource })).status).toBe(200);
  await t.database.owner.deleteFrom('permissions').where('user_id', '=', revoked.userId).execute();
  for (const [caller, code, headers] of [
    [revoked, 'record.not_found', {}],
    [viewing, 'permission.missing', {}],
    [await t.createMember('editor', project), 'record.not_found', {}],
    [await t.createMember('viewer', project), 'role.forbidden', {}],
    [await t.createMember('editor'), 'project.forbidden', {}],
    [t.owner, 'token.scope', { authorization: `Bearer ${token}` }],
  ] as const)
    for (const revision of [body.revision, 77]) {
      const answer = await caller.call('PUT', url, { revision, resource }, headers);
      expect([answer.body.code, answer.body.details], JSON.stringify(answer.body)).toEqual([code, undefined]);
    }
});

it('a changed read-only member is refused by its name, at any depth', async () => {
  const problems: string[] = [];
  for (const { write } of pairs()) {
    const url = await addressOf(write);
    const { body } = await t.owner.call('GET', url);
    for (const member of ['id', 'revision', 'updated_at', 'created_at', 'project']) {
      if (!(member in body)) continue;
      const answer = await t.owner.call(write.method, url, { ...body, [member]: 'another' });
      const reported = answer.body.details?.map(({ path, rule }: { path: string; rule: string }) => `${path} ${rule}`);
      const isRefused = answer.status === 400 && answer.body.message.includes(member);
      if (!isRefused) problems.push(`${name(write)} ${member}: ${answer.status} ${reported}`);
    }
  }
  expect(problems).toEqual([]);
});

it('member names of Object.prototype inside a read-only member are ordinary members', async () => {
  const { userId } = await t.createMember('viewer');
  const url = `/api/v3/setting/users/${userId}?project=${t.project}`;
  const { body } = await t.owner.call('GET', url);
  for (const member of ['toString', 'hasOwnProperty']) {
    const memberships = [{ ...body.memberships[0], [member]: 'x' }];
    const refused = await t.owner.call('PUT', url, { ...body, memberships });
    expect(refused.status, JSON.stringify(refused.body)).toBe(400);
    expect(refused.body.details).toMatchObject([{ path: 'memberships', rule: 'read_only' }]);
  }
});

it('the refusal names the member by rule and path, and what to do', async () => {
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

it('a record that changed after the read is not overwritten by the old state', async () => {
  const url = `/api/v3/xds/secrets/www?project=${t.project}&version=${TEST_VERSION}`;
  const { body: early } = await t.owner.call('GET', url);
  const changed = await t.owner.call('PATCH', url, { description: 'by somebody else' });
  expect(changed.status).toBe(200);
  const late = await t.owner.call('PUT', url, { ...early, labels: { mine: 'yes' } });
  expect(late.body.details.map(({ path }: { path: string }) => path)).toContain('revision');
  expect((await t.owner.call('GET', url)).body.description).toBe('by somebody else');
});

it('of several callers who send back the same state at once, one succeeds, even with If-Match: *', async () => {
  const group = await t.owner.call('POST', `/api/v3/setting/groups?project=${t.project}`, { name: 'many' });
  const url = `/api/v3/setting/groups/${group.body.id}?project=${t.project}`;
  for (const tags of [undefined, '*', '*, "other"']) {
    const { body } = await t.owner.call('GET', url);
    const header = tags === undefined ? undefined : { 'if-match': tags };
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => t.owner.call('PUT', url, { ...body, description: `by ${n}` }, header)),
    );
    const refused = answers.filter(({ status }) => status === 400 || status === 412);
    expect(refused.length, JSON.stringify([tags, answers.map(({ status }) => status)])).toBe(5);
    await t.owner.call('PATCH', url, { description: null });
  }
});

it('the changed members of a returned record are changed, and its secrets stay', async () => {
  const url = `/api/v3/setting/documents/cloud/www?project=${t.project}`;
  const { body: before } = await t.owner.call('GET', url);
  const answer = await t.owner.call('PUT', url, { ...before, value: { ...before.value, region_name: 'south' } });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.body).toMatchObject({ value: { region_name: 'south' }, revision: before.revision + 1 });
  expect(answer.body.private).toEqual(before.private);
  expect(answer.body.private).toHaveLength(1);
  // Also for a record that does not exist yet.
  await t.owner.call('DELETE', url);
  const { auth } = before.value;
  const value = { ...before.value, auth: { ...auth, application_credential_secret: 'changed' } };
  const made = await t.owner.call('PUT', url, { ...before, value });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
});

it('a feed is enabled in the list as it was read, and the properties of its file stay', async () => {
  await t.database.owner
    .insertInto('threat_feeds')
    .values({
      id: createId(),
      project_id: null,
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

it('a schedule keeps its hidden secrets until they are deleted', async () => {
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
