import { defineRoute } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { implement } from '../../../platform/http/route.ts';
import { type WatchedWrites, watchWrites } from '../../../platform/http/testing/record.ts';
import { createTestController } from '../../../testing/controller.ts';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../../testing/fleet.ts';
import { fillProject, type TestTenant, WORK } from '../../../testing/tenancy/tenant.ts';
import { askForChallenge, post, turnFactorOn } from '../../identity/second-factor/testing/factor.ts';

/** Every successful write has exactly one audit entry, with the action that its route declares. */
let t: TestFleet;
let watched: WatchedWrites;
let ours: TestTenant;

beforeAll(async () => {
  t = await createTestFleet();
  t.controller.jobs.register(WORK);
  watched = watchWrites(t);
  ours = await fillProject(t, t.project, 'marker');
}, 120_000);
afterAll(() => t?.close());

const AUTH = { auth_url: 'https://keystone.example:5000/v3', application_credential_id: 'id' };
const CLOUD = { auth: { ...AUTH, application_credential_secret: 'a secret' }, region_name: 'north' };

/** The only route of `fillProject` that declares an action without an entry: its command only asks a client. */
const ASKED = 'dispatchCommand: none';
/** Renewals of a recorded session; a replayed refresh token is recorded. */
const RENEWED = ['refresh: none', 'browserRefresh: none'];

/** May only be raised. */
const ASKED_MIN = 85;

type Step = readonly [method: string, path: string, body?: object];

/** Calls as the owner, in the test's project unless the path ends with `!`. */
async function ask([method, path, body]: Step) {
  const url = path.endsWith('!') ? path.slice(0, -1) : `${path}${path.includes('?') ? '&' : '?'}project=${t.project}`;
  const answer = await t.owner.call(method, url, body);
  return { ...answer, said: `${method} ${url} ${answer.status} ${JSON.stringify(answer.body)}` };
}

async function run(steps: readonly Step[]): Promise<void> {
  const refused: string[] = [];
  for (const step of steps) {
    const { status, said } = await ask(step);
    if (status >= 300) refused.push(said);
  }
  expect(refused).toEqual([]);
}

it('every write of documents, services, policies and clients is recorded once', async () => {
  const { service_id: service, client_id: client } = ours.ids;
  const resource = { generic_secret: { secret: { inline_string: 'x' } } };
  const secret = { name: 'www', version: TEST_VERSION, resource };
  const on = { clients: [{ client_id: client }], command: { service_id: service, project: t.project } };
  const restart = { type: 'SERVICE', sub_type: 'SUB_RESTART', ...on };
  const policy = (await ask(['GET', '/api/v3/shield/policies/www'])).body;
  await run([
    ['PUT', `/api/v3/xds/secrets/www?version=${TEST_VERSION}`, secret],
    ['PATCH', `/api/v3/xds/secrets/www?version=${TEST_VERSION}`, { description: 'other' }],
    [
      'POST',
      '/api/v3/xds/apply!',
      { project: t.project, documents: [{ collection: 'secrets', ...secret, name: 'more' }] },
    ],
    ['POST', `/api/v3/xds/secrets/www/restore?version=${TEST_VERSION}`, { revision: 1 }],
    ['DELETE', `/api/v3/xds/secrets/www?version=${TEST_VERSION}`],
    ['PATCH', '/api/v3/shield/policies/www', { description: 'other' }],
    ['PUT', '/api/v3/shield/policies/www', { text: policy.text }],
    ['POST', '/api/v3/shield/policies/www/restore', { revision: 1 }],
    ['PATCH', `/api/op/services/${service}`, { policies: [], clients: [{ client_id: client }] }],
    ['POST', '/api/op/clients!', restart],
    ['POST', `/api/op/services/${service}/restore`, { revision: 1 }],
    ['PATCH', `/api/op/services/${service}`, { policies: [] }],
    ['DELETE', `/api/op/services/${service}`],
    ['DELETE', '/api/v3/shield/policies/www'],
    ['DELETE', `/api/op/clients/${client}`],
    ['POST', '/api/v3/setting/discovery-token/generate', {}],
    ['DELETE', '/api/v3/setting/discovery-token'],
    ['POST', '/api/v3/setting/zone-secrets/www/rotate', { overlap_s: 60 }],
    ['DELETE', '/api/v3/setting/zone-secrets/www'],
    ['POST', `/api/v3/setting/enrolment-tokens/${ours.ids.enrolment}/rotate`, {}],
    ['DELETE', `/api/v3/setting/enrolment-tokens/${ours.ids.enrolment}`],
  ]);
  expect(await watched.findUnrecorded()).toEqual([ASKED]);
});

it('every write of people, groups, permissions, tokens and sessions is recorded once', async () => {
  const { group_id: group, user_id: user, token_id: token } = ours.ids;
  const second = await t.createProject('second');
  const membership = [{ project: t.project, role: 'viewer' }];
  const made = (await ask(['POST', '/api/v3/setting/users', { username: 'somebody', memberships: membership }])).body;
  const given = { subject: { kind: 'group', id: group }, resource: { kind: 'client', id: null }, level: 'view' };
  const permission = (await ask(['POST', '/api/v3/setting/permissions', given])).body;
  await t.openBrowser(t.owner);
  // Simulates that everybody signed in at a provider that is trusted with a second factor.
  await t.database.owner
    .updateTable('sessions')
    .set({ factors: ['provider'] })
    .execute();
  const guest = await t.createMember('viewer', second);
  for (const project of [t.project, await t.createProject('other')]) {
    const id = createId();
    const expires_at = new Date(Date.now() + 60_000);
    const invited = { username: guest.username, user_id: guest.userId, invited_by: t.owner.userId };
    await t.database.owner
      .insertInto('invitations')
      .values({ id, project_id: project, ...invited, role: 'viewer', created_at: new Date(), expires_at })
      .execute();
    const answer = project === t.project ? 'accept' : 'decline';
    expect((await guest.call('POST', `/api/v3/profile/invitations/${id}/${answer}`)).status).toBeLessThan(300);
  }
  await run([
    ['DELETE', `/api/v3/setting/invitations/${ours.ids.invitation_id}`],
    ['DELETE', `/api/v3/setting/permissions/${permission.id}`],
    ['PUT', '/api/v3/setting/resource-access', { resource_access: 'listed' }],
    ['PATCH', `/api/v3/setting/groups/${group}`, { description: 'other' }],
    ['PUT', `/api/v3/setting/groups/${group}`, { name: 'other', description: null }],
    ['DELETE', `/api/v3/setting/groups/${group}/members/${user}`],
    ['DELETE', `/api/v3/setting/groups/${group}`],
    ['PATCH', `/api/v3/setting/tokens/${token}`, { description: 'other' }],
    ['POST', `/api/v3/setting/tokens/${token}/rotate`, { overlap_s: 0 }],
    ['DELETE', `/api/v3/setting/tokens/${token}`],
    ['PATCH', `/api/v3/setting/users/${made.id}!`, { email: 'somebody@example.com' }],
    ['POST', `/api/v3/setting/users/${made.id}/unlock!`, {}],
    ['POST', `/api/v3/setting/otp/reset-user/${made.id}!`, {}],
    ['DELETE', `/api/v3/setting/users/${made.id}/sessions!`],
    ['PUT', `/api/v3/setting/users/${made.id}/memberships/${second}!`, { role: 'editor' }],
    ['DELETE', `/api/v3/setting/users/${made.id}/memberships/${second}!`],
    ['POST', '/api/v3/setting/memberships', { username: t.owner.username, role: 'viewer' }],
    ['DELETE', `/api/v3/setting/users/${made.id}!`],
    ['PUT', '/api/v3/setting/otp-config', { otp_enforced: true }],
    ['PUT', '/api/v3/setting/otp-config', { otp_enforced: false }],
    ['PATCH', `/api/v3/setting/project/${second}!`, { description: 'other' }],
    ['PUT', `/api/v3/setting/project/${second}!`, { name: 'third', description: null }],
    ['DELETE', `/api/v3/setting/project/${second}!`],
    ['PUT', '/api/v3/profile/email!', { email: 'me@example.com', current_password: t.owner.password }],
    ['DELETE', '/api/v3/profile/sessions!'],
  ]);
  expect(await watched.findUnrecorded()).toEqual([ASKED]);
});

it('every write of settings, jobs, backups, keys and the audit log itself is recorded once', async () => {
  const { schedule_id: schedule, backup_id: backup, clean_up_id: cleaned } = ours.ids;
  const hold = (await ask(['POST', '/api/v3/audit/holds!', { project: t.project, reason: 'a case' }])).body;
  const job = await t.database.db.transaction().execute((tx) =>
    t.controller.jobs.enqueue(tx, WORK, {
      params: {},
      project: t.project,
      actor: { kind: 'user', id: t.owner.userId, name: t.owner.username },
    }),
  );
  await vi.waitFor(async () => expect((await ask(['GET', `/api/v3/jobs/${job.id}`])).body.ended_at).not.toBeNull(), {
    timeout: 90_000,
  });
  const tries = { failures: 1, last_at: new Date(), blocked_until: new Date() };
  await t.database.db
    .insertInto('sign_in_attempts')
    .values({ key: 'address 198.51.100.7', ...tries })
    .execute();
  await run([
    ['POST', `/api/v3/audit/holds/${hold.id}/release!`, {}],
    ['PATCH', '/api/v3/setting/documents/cloud/www', { region_name: 'south' }],
    ['DELETE', '/api/v3/setting/documents/cloud/www'],
    ['POST', '/api/v3/setting/clouds/os', CLOUD],
    ['PUT', '/api/v3/setting/clouds/os', CLOUD],
    ['DELETE', '/api/v3/setting/clouds/os'],
    ['PUT', '/api/v3/setting/documents/general!', { name: 'one' }],
    ['PATCH', '/api/v3/setting/documents/general!', { name: 'two' }],
    ['DELETE', '/api/v3/setting/documents/general!'],
    ['PUT', '/api/v3/setting/api_discovery!', { policy: { raw_sample_rate: 0.5 } }],
    ['PUT', '/api/v3/setting/syslog-config!', { enabled: false, port: 6514 }],
    ['POST', '/api/v3/setting/syslog-config/test!', { host: '' }],
    ['PUT', '/api/v3/setting/ldap-config!', { enabled: false, base_dn: 'dc=example,dc=org' }],
    ['PUT', `/api/v3/jobs/schedules/${schedule}`, { name: 'other', type: WORK.type, cron: '0 4 1 1 *', params: {} }],
    ['DELETE', `/api/v3/jobs/schedules/${schedule}`],
    ['DELETE', `/api/v3/setting/maintenance/backups/${backup}`],
    ['POST', `/api/v3/setting/maintenance/cleanup/${cleaned}/undo`, {}],
    ['DELETE', '/api/v3/setting/api_discovery!'],
    ['DELETE', '/api/v3/setting/ldap-config!'],
    ['DELETE', '/api/v3/setting/syslog-config!'],
    ['DELETE', '/api/v3/setting/license!'],
    ['DELETE', '/api/v3/setting/sign-in-blocks/198.51.100.7!'],
    ['POST', '/api/v3/setting/keys/rotate!', { which: 'data' }],
  ]);
  expect(await watched.findUnrecorded()).toEqual([ASKED]);
});

it('every sign-in, renewal and sign-out is recorded once', async () => {
  const { username, password } = t.owner;
  const login = await t.app.inject({ method: 'POST', url: '/auth/login', payload: { username, password } });
  const authorization = `Bearer ${login.json().refresh_token}`;
  const next = await t.app.inject({ method: 'POST', url: '/refresh', headers: { authorization } });
  expect(next.statusCode).toBe(200);
  const payload = { username, password };
  const begun = await t.app.inject({ method: 'POST', url: '/auth/browser/login', payload });
  const cookie = [begun.headers['set-cookie'] ?? []].flat().map((one) => one.split(';', 1)[0]);
  const on = await t.app.inject({
    method: 'POST',
    url: '/auth/browser/refresh',
    headers: { cookie: cookie.join('; ') },
  });
  expect(on.statusCode, on.body).toBe(200);
  const member = await t.createMember('editor');
  const factor = await turnFactorOn(member);
  const [code = '', other = ''] = factor.backupCodes;
  const challenge = await askForChallenge(t, member);
  const signedIn = await post(t, '/auth/factor', { challenge, backup_code: code });
  expect(signedIn.status, JSON.stringify(signedIn.body)).toBe(200);
  const off = { password: member.password, backup_code: other };
  const profile = '/api/v3/profile';
  const changed = { current_password: member.password, new_password: 'Another-Horse-8-Battery' };
  const browser = await t.openBrowser(t.owner);
  const answers = [
    await member.call('POST', `${profile}/otp/disable`, off),
    await member.call('DELETE', `${profile}/sessions`),
    await member.call('PUT', `${profile}/password`, changed),
    await browser.call('POST', '/auth/browser/logout'),
  ];
  expect(answers.filter(({ status }) => status >= 300).map(({ body }) => body)).toEqual([]);
  const out = { authorization: `Bearer ${next.json().access_token}` };
  expect((await t.app.inject({ method: 'POST', url: '/logout', headers: out })).statusCode).toBe(204);
  expect(await watched.findUnrecorded()).toEqual([ASKED, ...RENEWED]);
});

it('a rotation of the signing key is recorded once', async () => {
  // The other tests have SVC_JWT_SECRET, with which there is nothing to rotate.
  const other = await createTestController();
  try {
    const seen = watchWrites(other);
    expect((await other.owner.call('POST', '/api/v3/setting/signing-keys/rotate', {})).status).toBe(201);
    expect(seen.done.size).toBe(1);
    expect(await seen.findUnrecorded()).toEqual([]);
  } finally {
    await other.close();
  }
});

it('these tests call most routes that write, and no fewer than before', () => {
  expect(watched.done.size).toBeGreaterThanOrEqual(ASKED_MIN);
});

it('the object of a change is recorded by name, and not only by its id', async () => {
  const nameless = await t.database.db
    .selectFrom('audit_log')
    .select(['action', 'resource_type'])
    .distinct()
    .where('outcome', '=', 'done')
    .where('resource_id', 'is not', null)
    .where('resource_name', 'is', null)
    .orderBy('action')
    .execute();
  expect(nameless).toEqual([]);
});

it('a handler that commits without an audit entry is found', async () => {
  const contract = defineRoute({
    id: 'forgetsTheRecord',
    method: 'POST',
    path: '/api/v3/forgetful/record',
    summary: 'Writes, and tells nobody',
    tag: 'Projects',
    family: 'identity',
    access: { kind: 'system_owner' },
    project: 'none',
    audit: 'project.create',
    body: z.strictObject({}),
    status: 200,
    response: z.unknown(),
  });
  const forgetful = implement(contract, async (ctx) => {
    const at = { created_at: ctx.now, updated_at: ctx.now };
    await ctx.db
      .insertInto('projects')
      .values({ id: createId(), name: 'beside', description: null, ...at })
      .execute();
    return { body: {} };
  });
  const other = await createTestController({}, { moreRoutes: [forgetful] });
  try {
    const seen = watchWrites(other);
    expect((await other.owner.call('POST', contract.path, {})).status).toBe(200);
    expect(await seen.findUnrecorded()).toEqual(['forgetsTheRecord: none']);
  } finally {
    await other.close();
  }
});
