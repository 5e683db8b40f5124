import type { RouteContract } from '@flotilla/contract';
import { createId, signRequest } from '@flotilla/kit';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askForChallenge, turnFactorOn } from '../../modules/identity/second-factor/testing/factor.ts';
import { createTestController, type TestCaller, type TestController } from '../../testing/controller.ts';
import { expectAdmitted, expectCode, forEach, name, readClaims, sendTo } from './testing/matrix.ts';

/**
 * Calls every route as every kind of caller and derives the expected result from the declaration, so that a new route
 * is tested as soon as it is declared. Requests contain only what the guard reads, because the guard runs before
 * everything else.
 */
const SECRET = 'a secret of the matrix test, long enough';
/** Routes outside the table, for probes and tools. None needs a sign-in, and none returns anything confidential. */
const OUTSIDE_THE_TABLE = ['GET /api/openapi.json', 'GET /healthz', 'GET /metrics', 'GET /readyz'];
/** The built web UI is the same for everybody; web.api.test.ts proves that only files are served. */
const STATIC_ROUTES = ['GET /*', 'GET /assets/*'];
/** Adding a public route must be a deliberate decision. */
const PUBLIC_ROUTES = [
  'POST /auth/login',
  'POST /auth/browser/login',
  'POST /auth/factor',
  'POST /auth/browser/factor',
  'POST /auth/passkey/begin',
  'POST /auth/passkey/finish',
  'POST /auth/browser/passkey/finish',
  'POST /auth/factor/enrol',
  'GET /auth/realms',
  'GET /auth/oidc/:provider/start',
  'GET /auth/oidc/:provider/callback',
];
/** Routes with their own kind of credential; the role tests, which use access tokens, leave these out. */
const OTHER_CREDENTIALS = ['refresh', 'browser_refresh', 'cookie'];
/** Open to every signed-in caller: the caller's own data, and commands, which have a table of their own. */
const WITHOUT_PROJECT = [
  'DELETE /api/v3/profile/passkeys/:passkey_id',
  'DELETE /api/v3/profile/sessions',
  'DELETE /api/v3/profile/sessions/:session_id',
  'GET /api/v3/custom/archive_releases',
  'GET /api/v3/custom/available_versions',
  'GET /api/v3/profile',
  'GET /api/v3/profile/invitations',
  'GET /api/v3/profile/otp/status',
  'GET /api/v3/profile/passkeys',
  'GET /api/v3/profile/passkeys/:passkey_id',
  'GET /api/v3/profile/sessions',
  'GET /api/v3/schema/extensions',
  'GET /api/v3/schema/messages',
  'GET /api/v3/schema/starters',
  'PATCH /api/v3/profile/passkeys/:passkey_id',
  'POST /api/op/clients',
  'POST /api/v3/profile/invitations/:invitation_id/accept',
  'POST /api/v3/profile/invitations/:invitation_id/decline',
  'POST /api/v3/profile/otp/disable',
  'POST /api/v3/profile/otp/enable',
  'POST /api/v3/profile/otp/regenerate-backup-codes',
  'POST /api/v3/profile/otp/verify',
  'POST /api/v3/profile/passkeys',
  'POST /api/v3/profile/passkeys/begin',
  'POST /logout',
  'PUT /api/v3/profile/email',
  'PUT /api/v3/profile/password',
];

let t: TestController;
let other: string;
let outsider: TestCaller;
const members = new Map<string, TestCaller>();
const tokens = new Map<string, string | undefined>();

beforeAll(async () => {
  t = await createTestController({ SVC_JWT_SECRET: SECRET });
  other = await t.createProject('other');
  outsider = await t.createMember('owner', other);
  for (const role of ['owner', 'admin', 'editor', 'viewer'] as const) members.set(role, await t.createMember(role));

  const claims = readClaims(t.owner.token);
  const sign = (secret: string, overrides: Record<string, unknown>, header: Record<string, string> = {}) =>
    new SignJWT({ ...claims, ...overrides })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'env', ...header })
      .sign(new TextEncoder().encode(secret));
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);

  tokens.set('no token', undefined);
  tokens.set('malformed', 'Bearer not-a-token');
  tokens.set('another scheme', `Basic ${Buffer.from('admin:admin').toString('base64')}`);
  tokens.set('forged with another secret', `Bearer ${await sign('another secret, just as long as the other', {})}`);
  tokens.set(
    'forged without algorithm',
    `Bearer ${encode({ alg: 'none', typ: 'at+jwt', kid: 'env' })}.${encode(claims)}.`,
  );
  tokens.set('expired', `Bearer ${await sign(SECRET, { exp: now - 1 })}`);
  tokens.set('of another issuer', `Bearer ${await sign(SECRET, { iss: 'somebody' })}`);
  tokens.set('of a session that never was', `Bearer ${await sign(SECRET, { sid: createId() })}`);
  tokens.set('of another user in this session', `Bearer ${await sign(SECRET, { sub: outsider.userId })}`);
  tokens.set('for another audience', `Bearer ${await sign(SECRET, { aud: 'flotilla:both' })}`);
  tokens.set('of another type', `Bearer ${await sign(SECRET, {}, { typ: 'JWT' })}`);
  tokens.set('by an unknown key', `Bearer ${await sign(SECRET, {}, { kid: "' or true --" })}`);
  tokens.set('unknown API token', 'Bearer flt_0123456789012345678901234567890123456789012');

  const revoked = await makeApiToken(t.project);
  const { body } = await t.owner.call('GET', `/api/v3/setting/tokens?project=${t.project}`);
  await t.owner.call('DELETE', `/api/v3/setting/tokens/${body.items[0].id}?project=${t.project}`);
  tokens.set('revoked API token', `Bearer ${revoked}`);
  const expired = await makeApiToken(t.project);
  await t.database.db
    .updateTable('api_tokens')
    .set({ expires_at: new Date(0) })
    .execute();
  tokens.set('expired API token', `Bearer ${expired}`);
  const discovery = await t.owner.call('POST', `/api/v3/setting/discovery-token/generate?project=${t.project}`, {});
  tokens.set('discovery token', `Bearer ${discovery.body.token}`);
  const zone = await t.owner.call('POST', `/api/v3/setting/zone-secrets?project=${t.project}`, { zone: 'www.example' });
  tokens.set('secret of a zone', `Bearer ${zone.body.secret}`);
  const parts = { method: 'GET', target: '/api/v3/profile', body: Buffer.alloc(0) };
  const signed = signRequest(parts, { id: zone.body.key_id, secret: zone.body.secret }, new Date());
  tokens.set('signature of a zone', signed);
  const ended = await t.createMember('owner');
  await ended.call('POST', '/logout');
  tokens.set('ended session', `Bearer ${ended.token}`);
  const off = await t.createMember('owner');
  await t.owner.call('PATCH', `/api/v3/setting/users/${off.userId}`, { active: false });
  tokens.set('switched-off user', `Bearer ${off.token}`);
  const waiting = await t.createMember('owner');
  await turnFactorOn(waiting);
  tokens.set('challenge of a sign-in', `Bearer ${await askForChallenge(t, waiting)}`);
});
afterAll(() => t.close());

async function getRefreshToken(): Promise<string> {
  const { username, password } = t.owner;
  const login = await t.app.inject({ method: 'POST', url: '/auth/login', payload: { username, password } });
  return login.json().refresh_token;
}

const send = (contract: RouteContract, authorization: string | undefined, project = t.project) =>
  sendTo(t, contract, { authorization, project });
const contracts = () => t.controller.routes.map(({ contract }) => contract);
const guarded = () => contracts().filter(({ access }) => access.kind !== 'public');

describe('the route table', () => {
  it('contains every served route, and nothing else is served except for the probes and the web UI', () => {
    const declared = new Set(contracts().map(name));
    expect(declared.size).toBe(contracts().length);
    const registered = t.app.servedRoutes.filter((route) => !route.startsWith('HEAD '));
    expect(registered.toSorted()).toEqual([...declared, ...OUTSIDE_THE_TABLE, ...STATIC_ROUTES].toSorted());
  });

  it('declares every part of every route', () => {
    for (const contract of contracts()) {
      const label = name(contract);
      expect(contract.id, label).toMatch(/^[a-z][A-Za-z0-9]+$/);
      expect(contract.summary.length, label).toBeGreaterThan(5);
      expect(contract.tag, label).toBeTruthy();
      expect(contract.bodyLimit, label).toBeGreaterThan(0);
      expect(contract.rate, label).toBeTruthy();
      expect(contract.path.startsWith('/'), label).toBe(true);
      const isWrite = contract.method !== 'GET' && !contract.access.kind.endsWith('refresh');
      if (isWrite && contract.audit === null)
        expect(contract.path, label).toMatch(/check|preview|validate|diff|match|try|replay|suggest/);
      const isScoped = contract.access.kind === 'roles';
      expect(isScoped, `${label}: roles need a project, and a project needs roles`).toBe(contract.project !== 'none');
      if (contract.access.kind === 'roles') expect(contract.access.roles.length, label).toBeGreaterThan(0);
      const pathParameters = [...contract.path.matchAll(/:(\w+)/g)].map((match) => match[1]);
      if (pathParameters.length > 0) expect(contract.params, label).toBeDefined();
    }
    expect(new Set(contracts().map(({ id }) => id)).size).toBe(contracts().length);
  });

  it('is open without a token only where it says public', async () => {
    expect(
      contracts()
        .filter(({ access }) => access.kind === 'public')
        .map(name),
    ).toEqual(PUBLIC_ROUTES);
  });
});

it('every route without a role in a project is a recorded decision', () => {
  const unscoped = contracts().filter(({ access }) => access.kind === 'authenticated');
  expect(unscoped.map(name).toSorted()).toEqual(WITHOUT_PROJECT);
});

describe('without a valid credential', () => {
  it.each([
    'no token',
    'malformed',
    'another scheme',
    'forged with another secret',
    'forged without algorithm',
    'expired',
    'of another issuer',
    'of a session that never was',
    'of another user in this session',
    'for another audience',
    'of another type',
    'by an unknown key',
    'unknown API token',
    'revoked API token',
    'expired API token',
    'discovery token',
    'secret of a zone',
    'signature of a zone',
    'ended session',
    'switched-off user',
    'challenge of a sign-in',
  ])('every route refuses a caller with: %s', async (kind) => {
    expect(tokens.has(kind)).toBe(true);
    await forEach(guarded(), async (contract) => {
      const answer = await send(contract, tokens.get(kind));
      return expectCode(answer, 401) ?? (answer.body.request_id ? undefined : 'no request id');
    });
  });

  it('a refresh token is accepted only by the refresh route, and an access token only by all others', async () => {
    const refresh = `Bearer ${await getRefreshToken()}`;
    await forEach(guarded(), async (contract) =>
      contract.access.kind === 'refresh'
        ? (expectCode(await send(contract, refresh), 200) ??
          expectCode(await send(contract, `Bearer ${t.owner.token}`), 401, 'auth.wrong_kind'))
        : expectCode(await send(contract, refresh), 401, 'auth.wrong_kind'),
    );
  });

  it('HEAD is guarded like GET', async () => {
    const gets = guarded().filter(({ method }) => method === 'GET');
    await forEach(gets, async (contract) =>
      expectCode(await send({ ...contract, method: 'HEAD' as 'GET' }, undefined), 401),
    );
  });
});

describe('with a role', () => {
  it.each(['owner', 'admin', 'editor', 'viewer'] as const)('of %s in the project', async (role) => {
    const caller = members.get(role);
    const routes = guarded().filter(({ access, id }) => !OTHER_CREDENTIALS.includes(access.kind) && id !== 'logout');
    await forEach(routes, async (contract) => {
      const answer = await send(contract, `Bearer ${caller?.token}`);
      switch (contract.access.kind) {
        case 'system_owner':
          return expectCode(answer, 403, 'owner.required');
        case 'roles':
          // The path names a resource that does not exist, unless it names the project itself.
          if (contract.project === 'target' && !contract.path.includes(':project_id')) return expectCode(answer, 404);
          return contract.access.roles.includes(role)
            ? expectAdmitted(answer)
            : expectCode(answer, 403, 'role.forbidden');
        default:
          return expectAdmitted(answer);
      }
    });
  });

  it('in another project only, nothing of this one is accessible', async () => {
    const callers = [`Bearer ${outsider.token}`, `Bearer ${await makeApiToken(other)}`];
    for (const authorization of callers) {
      await forEach(scoped(), async (contract) =>
        contract.project === 'target'
          ? expectCode(await send(contract, authorization), 404, 'record.not_found')
          : expectCode(await send(contract, authorization), 403, 'project.forbidden'),
      );
    }
  });

  it('an unknown project is refused like a foreign one', async () => {
    for (const project of [createId(), 'rubbish', "'; drop table users; --"]) {
      const routes = scoped().filter((contract) => contract.project !== 'target');
      await forEach(routes, async (contract) =>
        expectCode(
          await send(contract, `Bearer ${outsider.token}`, encodeURIComponent(project)),
          403,
          'project.forbidden',
        ),
      );
    }
  });

  it('only the routes whose rules need them see rows of other projects', () => {
    const across = t.controller.routes
      .filter(({ acrossProjects }) => acrossProjects)
      .map(({ contract }) => contract.id);
    const needed = [
      // The right to change an account depends on its home, which may be another project.
      ...['listUsers', 'createUser', 'getUser', 'replaceUser', 'patchUser', 'deleteUser', 'planUserDeletion'],
      ...['addMember', 'setMembership', 'endMembership'],
      ...['listUserSessions', 'endUserSessions', 'endUserSession', 'unlockUser'],
      // The invited account is not a member of the project yet.
      ...['listOwnInvitations', 'acceptInvitation', 'declineInvitation'],
      // Nobody is identified yet; the required factor depends on every project of the account.
      ...['login', 'browserLogin', 'signInWithFactor', 'browserSignInWithFactor'],
      ...['signInWithPasskey', 'browserSignInWithPasskey', 'finishOidcSignIn'],
      // Finds its project through the clients or the service in the command.
      'dispatchCommand',
      // A search covers all projects of its caller.
      'searchNames',
    ];
    expect(across.toSorted()).toEqual(needed.toSorted());
  });

  it('only the routes whose views need it read a whole project beyond the permissions of a member', () => {
    const whole = t.controller.routes.filter(({ wholeProject }) => wholeProject).map(({ contract }) => contract.id);
    // The state of a service includes all of its nodes, even those on clients that the member may not see.
    const needed = ['readFleet', 'listFleetServices', 'readFleetService', 'readOverview'];
    // The services on a visible client, whose state also includes all of their nodes.
    needed.push('listFleetClients', 'readFleetClient');
    // Part of the same view, with the same conditions.
    needed.push('listFleetErrors');
    // The traffic of a service is that of all of its nodes.
    needed.push('readTrafficSeries', 'readTrafficSummary', 'listTrafficEndpoints');
    expect(whole.toSorted()).toEqual(needed.toSorted());
  });

  it('a project must be named, by owners of the installation too, if the route needs one', async () => {
    const routes = scoped().filter(({ project }) => project === 'query' || project === 'body');
    await forEach(routes, async (contract) => {
      const path = contract.path.replaceAll(/:\w+|\*/g, () => createId());
      const [viewer, owner] = [members.get('viewer'), t.owner];
      const asMember = await viewer?.call(contract.method, path);
      const asOwner = await owner.call(contract.method, path);
      return asMember?.body.code === 'project.missing' && asOwner.body.code === 'project.missing'
        ? undefined
        : `${asMember?.status} ${asOwner.status}`;
    });
  });

  it('owners of the installation are admitted everywhere', async () => {
    const routes = guarded().filter(({ access, id }) => !OTHER_CREDENTIALS.includes(access.kind) && id !== 'logout');
    await forEach(routes, async (contract) => expectAdmitted(await send(contract, `Bearer ${t.owner.token}`)));
  });
});

function scoped(): RouteContract[] {
  return guarded().filter(({ access }) => access.kind === 'roles');
}

async function makeApiToken(project: string): Promise<string> {
  const body = { name: `matrix-${createId()}`, role: 'owner' };
  const answer = await t.owner.call('POST', `/api/v3/setting/tokens?project=${project}`, body);
  expect(answer.status).toBe(201);
  return answer.body.token;
}
