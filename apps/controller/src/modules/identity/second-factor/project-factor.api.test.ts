import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';
import { codeOf, logIn, turnFactorOn } from './testing/factor.ts';

let t: TestController;
let alpha: string;
let beta: string;
let admin: TestCaller;

beforeAll(async () => {
  t = await createTestController();
  alpha = await t.createProject('alpha');
  beta = await t.createProject('beta');
  admin = await t.createMember('admin', alpha);
});
afterAll(() => t.close());

const enforce = (isOn: boolean, project = alpha) =>
  t.database.owner.transaction().execute(async (tx) => {
    await tx.deleteFrom('settings').where('key', '=', 'otp').where('project_id', '=', project).execute();
    if (isOn)
      await tx
        .insertInto('settings')
        .values({
          id: crypto.randomUUID(),
          project_id: project,
          key: 'otp',
          value: JSON.stringify({ otp_enforced: true }),
          secrets: '{}',
          sealed: null,
          updated_at: new Date(),
          updated_by: 'test',
        })
        .execute();
  });
const clusters = (by: TestCaller, project = alpha) => by.call('GET', `/api/v3/xds/clusters?project=${project}`);
const codes = async (by: TestCaller, project = alpha) => {
  const { status, body } = await clusters(by, project);
  return status === 200 ? 200 : body.code;
};
const until = (by: TestCaller, code: unknown, project = alpha) =>
  vi.waitFor(async () => expect(await codes(by, project)).toBe(code), { interval: 50 });
/** Creates a member of both projects, as if it had accepted an invitation to alpha. */
async function createMemberOfBoth(role: 'viewer' | 'admin' = 'viewer'): Promise<TestCaller> {
  const member = await t.createMember('viewer', beta);
  await t.owner.call('PUT', `/api/v3/setting/users/${member.userId}/memberships/${alpha}`, { role });
  return member;
}

describe('a project that requires a second factor (attack 9)', () => {
  it('requires it where its roles are used, and not at the sign-in of an account with other projects', async () => {
    const member = await createMemberOfBoth();
    await enforce(true);
    expect((await logIn(t, member)).status).toBe(200);
    await until(member, 'project.factor_required');
    expect(await codes(member, beta)).toBe(200);
    const refused = await clusters(member);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining('Set one up in your profile'),
    ]);
    // Other people cannot see that the project requires a factor.
    const stranger = await t.createMember('viewer', beta);
    expect(await codes(stranger)).toBe('project.forbidden');
    await enforce(false);
    await until(member, 200);
  });

  it('is open to a session as soon as it has set up a factor, and to every later one that uses it', async () => {
    const member = await createMemberOfBoth();
    await enforce(true);
    await until(member, 'project.factor_required');
    const { secret } = await turnFactorOn(member);
    expect(await codes(member)).toBe(200);
    const session = await logIn(t, member, { otp_code: codeOf(secret, 1) });
    const headers = { authorization: `Bearer ${session.body.access_token}` };
    const read = await t.app.inject({ url: `/api/v3/xds/clusters?project=${alpha}`, headers });
    expect(read.statusCode).toBe(200);
    // The factor cannot be turned off while a project of the account requires it.
    const off = await member.call('POST', '/api/v3/profile/otp/disable', {
      password: member.password,
      otp_code: codeOf(secret, 2),
    });
    expect(off.body.code).toBe('factor.enforced');
    await enforce(false);
  });

  it('is closed to a session from before the factor, and adding another factor does not open it', async () => {
    const member = await createMemberOfBoth();
    await turnFactorOn(member);
    // Simulates a session that was opened before the account had a factor.
    await t.database.owner.updateTable('sessions').set({ factors: [] }).where('user_id', '=', member.userId).execute();
    await t.database.owner
      .updateTable('otp_enrolments')
      .set({ confirmed_at: null })
      .where('user_id', '=', member.userId)
      .execute();
    await t.database.owner
      .insertInto('passkeys')
      .values({
        id: crypto.randomUUID(),
        user_id: member.userId,
        name: 'elsewhere',
        credential_id: Buffer.from(member.userId),
        public_key: Buffer.alloc(1),
        sign_count: 0,
        transports: [],
        backed_up: false,
        created_at: new Date(),
        last_used_at: null,
      })
      .execute();
    await enforce(true);
    await until(member, 'project.factor_required');
    const begun = await member.call('POST', '/api/v3/profile/otp/enable', { password: member.password });
    const verified = await member.call('POST', '/api/v3/profile/otp/verify', { code: codeOf(begun.body.secret) });
    expect(verified.status, JSON.stringify(verified.body)).toBeLessThan(300);
    expect(await codes(member)).toBe('project.factor_required');
    await enforce(false);
  });

  it('gives its roles no effect in other projects, commands, searches or streams', async () => {
    const member = await createMemberOfBoth('admin');
    const own = await t.createMember('viewer', alpha);
    await t.owner.call('PUT', `/api/v3/setting/users/${member.userId}/memberships/${beta}`, { role: 'admin' });
    await t.owner.call('PUT', `/api/v3/setting/users/${own.userId}/memberships/${beta}`, { role: 'viewer' });
    const unlock = () => member.call('POST', `/api/v3/setting/users/${own.userId}/unlock?project=${beta}`);
    expect((await unlock()).status).toBe(204);
    await enforce(true);
    await until(member, 'project.factor_required');
    expect((await unlock()).body.code).toBe('user.other_projects');
    const order = { type: 'CLIENT_STATS', clients: [] };
    for (const [method, url, body] of [
      ['POST', `/api/op/clients?project=${alpha}`, order],
      ['GET', `/api/v3/search?project=${alpha}&q=a`, undefined],
      ['GET', `/api/v3/events?project=${alpha}`, undefined],
      ['PUT', `/api/v3/setting/otp-config?project=${alpha}`, { otp_enforced: false }],
    ] as const)
      expect((await member.call(method, url, body)).body.code, url).toBe('project.factor_required');
    await enforce(false);
  });

  it('requires it from owners of the installation too, but not from tokens or strangers', async () => {
    const made = await admin.call('POST', `/api/v3/setting/tokens?project=${alpha}`, { name: 'ci', role: 'viewer' });
    await enforce(true);
    await until(t.owner, 'project.factor_required');
    expect(await codes(t.owner, beta)).toBe(200);
    const headers = { authorization: `Bearer ${made.body.token}` };
    const byToken = await t.app.inject({ url: `/api/v3/xds/clusters?project=${alpha}`, headers });
    expect(byToken.statusCode).toBe(200);
    const { body } = await t.owner.call('GET', '/api/v3/audit/logs?outcome=denied&limit=100');
    expect(body.items).toContainEqual(
      expect.objectContaining({ project: alpha, error_code: 'project.factor_required' }),
    );
    await enforce(false);
    await until(t.owner, 200);
  });
});
