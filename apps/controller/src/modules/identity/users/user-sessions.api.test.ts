import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';
import { logIn, turnFactorOn, wrongCode } from '../second-factor/testing/factor.ts';
import { holdAccounts } from '../sessions/testing/attempts.ts';

let t: TestController;
let admin: TestCaller;
let other: string;
beforeAll(async () => {
  t = await createTestController();
  admin = await t.createMember('admin');
  other = await t.createProject('other');
});
afterAll(() => t.close());

const sessionsOf = ({ userId }: TestCaller, project = t.project) =>
  `/api/v3/setting/users/${userId}/sessions?project=${project}`;

it("sessions of another project's users are not found by anybody", async () => {
  const stranger = await t.createMember('viewer', other);
  const unlock = `/api/v3/setting/users/${stranger.userId}/unlock?project=${t.project}`;
  for (const [method, path] of [
    ['GET', sessionsOf(stranger)],
    ['DELETE', sessionsOf(stranger)],
    ['POST', unlock],
  ] as const) {
    expect((await admin.call(method, path)).body.code, method).toBe('record.not_found');
  }
  expect((await admin.call('GET', sessionsOf(stranger, other))).body.code).toBe('project.forbidden');
  expect((await stranger.call('GET', '/api/v3/profile')).status).toBe(200);
});

it('sessions are only visible with authority over the whole account', async () => {
  const member = await t.createMember('editor', other);
  await t.owner.call('PUT', `/api/v3/setting/users/${member.userId}/memberships/${t.project}`, { role: 'editor' });
  expect((await admin.call('GET', sessionsOf(member))).body.code).toBe('user.other_projects');
  const editor = await t.createMember('editor');
  expect((await editor.call('GET', sessionsOf(member))).body.code).toBe('role.forbidden');
});

it('sessions are shown with their device, and end at once', async () => {
  const member = await t.createMember('viewer');
  await t.openBrowser(member);
  const { items } = (await admin.call('GET', sessionsOf(member))).body;
  expect(items.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual(['bearer', 'browser']);
  expect(items[0]).toMatchObject({ current: false, factors: [], device: expect.stringMatching(/./) });
  const bearer = items.find(({ kind }: { kind: string }) => kind === 'bearer');
  expect((await member.call('GET', '/api/v3/profile')).status).toBe(200);
  const one = sessionsOf(member).replace('?', `/${bearer.id}?`);
  expect((await admin.call('DELETE', one)).status).toBe(204);
  expect((await member.call('GET', '/api/v3/profile')).body.code).toBe('auth.session_ended');
  expect((await admin.call('DELETE', one)).body.code).toBe('record.not_found');
  expect((await admin.call('DELETE', sessionsOf(member))).status).toBe(204);
  expect((await admin.call('GET', sessionsOf(member))).body.items).toEqual([]);
});

it('a revoked role takes effect on the next request', async () => {
  const member = await t.createMember('admin');
  const path = `/api/v3/setting/users?project=${t.project}`;
  expect((await member.call('GET', path)).status).toBe(200);
  await t.owner.call('PUT', `/api/v3/setting/users/${member.userId}/memberships/${t.project}`, { role: 'viewer' });
  expect((await member.call('GET', path)).body.code).toBe('role.forbidden');
  await t.owner.call('DELETE', `/api/v3/setting/users/${member.userId}/memberships/${t.project}`);
  expect((await member.call('GET', path)).body.code).toBe('project.forbidden');
});

it('an administrator unlocks one account, wherever it was tried from', async () => {
  const [member, neighbour] = [await t.createMember('viewer'), await t.createMember('viewer')];
  const addresses = ['127.0.0.1', '198.51.100.21', '2001:db8:0:21::1'];
  const tryIn = async ({ username }: TestCaller, password: string, remoteAddress: string) => {
    const payload = { username, password };
    return (await t.app.inject({ method: 'POST', url: '/auth/login', payload, remoteAddress })).json().code;
  };
  const tryAll = async (one: TestCaller) => {
    const codes: unknown[] = [];
    for (const address of addresses) codes.push(await tryIn(one, one.password, address));
    return codes;
  };
  for (const one of [member, neighbour])
    for (const address of addresses) for (let i = 0; i < 7; i += 1) await tryIn(one, 'wrong', address);
  await holdAccounts(t);
  const held = addresses.map(() => 'auth.throttled');
  expect(await tryAll(member)).toEqual(held);
  expect((await admin.call('POST', `/api/v3/setting/users/${member.userId}/unlock?project=${t.project}`)).status).toBe(
    204,
  );
  expect(await tryAll(member)).toEqual([undefined, undefined, undefined]);
  expect(await tryAll(neighbour)).toEqual(held);
  const { items } = (await t.owner.call('GET', '/api/v3/audit/logs?action=user.unlock')).body;
  expect(items[0]).toMatchObject({ outcome: 'done', actor: { id: admin.userId } });
});

it('an administrator unlocks an account after wrong codes too', async () => {
  const [member, neighbour] = [await t.createMember('viewer'), await t.createMember('viewer')];
  const factors = new Map([
    [member, await turnFactorOn(member)],
    [neighbour, await turnFactorOn(neighbour)],
  ]);
  const signIn = async (one: TestCaller) => {
    const [code] = factors.get(one)?.backupCodes ?? [];
    return (await logIn(t, one, { backup_code: code })).body.code;
  };
  for (const [one, { secret }] of factors)
    for (let i = 0; i < 6; i += 1) await logIn(t, one, { otp_code: wrongCode(secret) });
  await holdAccounts(t);
  expect(await signIn(member)).toBe('auth.throttled');
  const unlock = `/api/v3/setting/users/${member.userId}/unlock?project=${t.project}`;
  expect((await admin.call('POST', unlock)).status).toBe(204);
  expect(await signIn(member)).toBeUndefined();
  expect(await signIn(neighbour)).toBe('auth.throttled');
});
