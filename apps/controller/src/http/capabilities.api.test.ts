import { ROLES, ROUTE_FAMILIES, type RouteContract, type RouteFamily } from '@flotilla/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, createTestController, type TestController } from '../test-controller.ts';
import { forEach, sendTo } from './test-matrix.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

const URL = '/api/v3/profile/capabilities';
/** Refusals of the guard for who the caller is. Others come from beyond it, and are about the thing or the value. */
const OF_THE_GUARD = ['role.forbidden', 'owner.required', 'token.scope', 'auth.session_required', 'project.forbidden'];
/** It would end the session that asks. */
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

/** What is said must be what happens, on every route. */
async function expectTruth(token: string): Promise<string[]> {
  const authorization = `Bearer ${token}`;
  const told = await ask(authorization);
  expect(told.status).toBe(200);
  const may = new Set<string>(told.body.routes);
  await forEach(signedIn(), async (contract) => judge(contract, may, await sendTo(t, contract, { authorization })));
  return told.body.routes;
}

function judge(contract: RouteContract, may: ReadonlySet<string>, { status, body }: Answer): string | undefined {
  const isRefused = status === 401 || (status === 403 && OF_THE_GUARD.includes(body.code));
  // The thing that the path names is not there, which is found out before the role.
  if (contract.project === 'target' && status === 404) return undefined;
  return isRefused === !may.has(contract.id) ? undefined : `said ${may.has(contract.id)}, met ${status} ${body?.code}`;
}

async function makeToken(role: string, families: readonly RouteFamily[] | null): Promise<string> {
  const name = `${role}-${families?.join('-') ?? 'all'}`;
  const made = await t.owner.call('POST', `/api/v3/setting/tokens?project=${t.project}`, { name, role, families });
  expect(made.status).toBe(201);
  return made.body.token;
}

describe('what the API says one may do is what the guard lets through', () => {
  it('for owners of the installation', async () => {
    expect(await expectTruth(t.owner.token)).toContain('createProject');
  });

  it.each(ROLES)('for the role %s, and a token that has it', async (role) => {
    const member = await t.createMember(role);
    const mine = await expectTruth(member.token);
    const ofToken = await expectTruth(await makeToken(role, null));
    expect(ofToken.filter((id) => !mine.includes(id))).toEqual([]);
    expect(mine).not.toContain('createProject');
    expect(mine.includes('createApiToken')).toBe(role === 'owner' || role === 'admin');
    expect(ofToken).not.toContain('createApiToken');
  });

  it.each(ROUTE_FAMILIES)('for a token of the family %s', async (family) => {
    const routes = await expectTruth(await makeToken('admin', [family]));
    const mixed = signedIn().filter(({ tag }) => tag === 'Overview' || tag === 'Search');
    expect(mixed.length).toBeGreaterThan(0);
    for (const { id } of mixed) expect(routes).not.toContain(id);
  });
});

it('tells nothing of a project to those who are not in it', async () => {
  const other = await t.createProject('capabilities-other');
  const outsider = await t.createMember('owner', other);
  expect((await ask(`Bearer ${outsider.token}`)).body.code).toBe('project.forbidden');
  expect((await outsider.call('GET', URL)).body.code).toBe('project.missing');
});

it('tells an owner of the installation without a project what needs none', async () => {
  const { body } = await t.owner.call('GET', URL);
  expect(body).toMatchObject({ project: null, role: null, families: null });
  expect(body.routes).toContain('listUsers');
  expect(body.routes).toContain('createProject');
  expect(body.routes).not.toContain('listServices');
});
