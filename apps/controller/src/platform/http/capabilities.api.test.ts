import { ROLES, ROUTE_FAMILIES, type RouteContract, type RouteFamily } from '@flotilla/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, createTestController, type TestController } from '../../testing/controller.ts';
import { forEach, sendTo } from './testing/matrix.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

const URL = '/api/v3/profile/capabilities';
/**
 * Refusals of the guard that depend on the caller. Others come from handlers and depend on the resource or the value.
 */
const OF_THE_GUARD = ['role.forbidden', 'owner.required', 'token.scope', 'auth.session_required', 'project.forbidden'];
/** These end the session that the test uses. */
const ENDS_THE_SESSION = ['logout', 'logoutBrowser'];

const signedIn = () =>
  t.controller.routes
    .map(({ contract }) => contract)
    .filter(
      ({ access, id }) =>
        ['authenticated', 'roles', 'system_owner'].includes(access.kind) && !ENDS_THE_SESSION.includes(id),
    );

async function ask(authorization: string): Promise<Answer> {
  const response = await t.app.inject({ url: `${URL}?project=${t.project}`, headers: { authorization } });
  return { status: response.statusCode, body: response.json(), headers: response.headers };
}

/** The announced capabilities must match the behaviour of every route. */
async function expectTruth(token: string): Promise<string[]> {
  const authorization = `Bearer ${token}`;
  const announced = await ask(authorization);
  expect(announced.status).toBe(200);
  const may = new Set<string>(announced.body.routes);
  await forEach(signedIn(), async (contract) => judge(contract, may, await sendTo(t, contract, { authorization })));
  return announced.body.routes;
}

function judge(contract: RouteContract, may: ReadonlySet<string>, { status, body }: Answer): string | undefined {
  const isRefused = status === 401 || (status === 403 && OF_THE_GUARD.includes(body.code));
  // The path names a resource that does not exist, which is checked before the role.
  if (contract.project === 'target' && status === 404) return undefined;
  return isRefused === !may.has(contract.id) ? undefined : `said ${may.has(contract.id)}, met ${status} ${body?.code}`;
}

async function makeToken(role: string, families: readonly RouteFamily[] | null): Promise<string> {
  const name = `${role}-${families?.join('-') ?? 'all'}`;
  const made = await t.owner.call('POST', `/api/v3/setting/tokens?project=${t.project}`, { name, role, families });
  expect(made.status).toBe(201);
  return made.body.token;
}

describe('the announced capabilities match the guard', () => {
  it('for owners of the installation', async () => {
    expect(await expectTruth(t.owner.token)).toContain('createProject');
  });

  it.each(ROLES)('for the role %s, and a token with it', async (role) => {
    const member = await t.createMember(role);
    const mine = await expectTruth(member.token);
    const ofToken = await expectTruth(await makeToken(role, null));
    expect(ofToken.filter((id) => !mine.includes(id))).toEqual([]);
    expect(mine).not.toContain('createProject');
    expect(mine.includes('createApiToken')).toBe(role === 'owner' || role === 'admin');
    expect(ofToken).not.toContain('createApiToken');
  });

  it.each(ROUTE_FAMILIES)('for a token of the scope %s', async (family) => {
    const routes = await expectTruth(await makeToken('admin', [family]));
    const mixed = signedIn().filter(({ tag }) => tag === 'Overview' || tag === 'Search');
    expect(mixed.length).toBeGreaterThan(0);
    for (const { id } of mixed) expect(routes).not.toContain(id);
  });
});

it('callers outside a project learn nothing about it', async () => {
  const other = await t.createProject('capabilities-other');
  const outsider = await t.createMember('owner', other);
  expect((await ask(`Bearer ${outsider.token}`)).body.code).toBe('project.forbidden');
  expect((await outsider.call('GET', URL)).body.code).toBe('project.missing');
});

it('an owner of the installation without a project learns what needs none', async () => {
  const { body } = await t.owner.call('GET', URL);
  expect(body).toMatchObject({ project: null, role: null, families: null });
  expect(body.routes).toContain('listUsers');
  expect(body.routes).toContain('createProject');
  expect(body.routes).not.toContain('listServices');
});
