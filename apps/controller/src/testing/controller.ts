import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Role } from '@flotilla/contract';
import { createId, createSilentLogger } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import type { FastifyInstance } from 'fastify';
import { type ComposeOptions, type Controller, composeController } from '../compose.ts';
import { hashPassword } from '../modules/identity/sessions/index.ts';
import { parseConfig } from '../platform/config.ts';
import { createControllerDatabase } from './database.ts';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
  readonly body: any;
  readonly headers: Record<string, string | string[] | number | undefined>;
}

/** A caller in a test: an access token and a short way to use it. */
export interface TestCaller {
  readonly token: string;
  readonly userId: string;
  readonly username: string;
  readonly password: string;
  call(method: string, url: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** A browser in a test: a session cookie, and the CSRF token, which is sent where needed. */
export interface TestBrowser extends Omit<TestCaller, 'token' | 'password'> {
  /** In the format of the Cookie header. */
  readonly cookie: string;
  readonly csrfToken: string;
}

export interface TestController {
  readonly controller: Controller;
  readonly database: TestDatabase;
  readonly app: FastifyInstance;
  /** The owner of the installation and the first project. */
  readonly owner: TestCaller;
  readonly project: string;
  createProject(name: string): Promise<string>;
  /** Creates an account with this role in the project and signs it in. */
  createMember(role: Role, project?: string): Promise<TestCaller>;
  /** Opens a browser session for the caller. */
  openBrowser(caller: TestCaller): Promise<TestBrowser>;
  close(): Promise<void>;
}

export type TestControllerOptions = Partial<
  Pick<
    ComposeOptions,
    'rateFactor' | 'logger' | 'moreRoutes' | 'eventSource' | 'largeRequests' | 'largeBuilds' | 'knownVersions'
  >
>;

const PASSWORD = 'Correct-Horse-7-Battery';
/** Hash of PASSWORD, computed once because hashing is slow and tests create many members. */
let passwordHash: Promise<string> | undefined;

/**
 * Opens a controller on an existing database, with its own data folder: it belongs to the same installation as the
 * others.
 */
export async function openController(
  database: TestDatabase,
  env: NodeJS.ProcessEnv,
  {
    rateFactor = 0,
    logger = createSilentLogger(),
    moreRoutes,
    largeRequests,
    largeBuilds,
    knownVersions,
    eventSource,
  }: TestControllerOptions = {},
): Promise<{ readonly controller: Controller; close(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'flotilla-controller-'));
  const config = parseConfig(['--data', dataDir, '--port', '0', '--grpc-port', '0'], {
    // Most tests have no events, and a store is a thread and a file.
    SVC_EVENT_STORE: 'off',
    ...env,
  });
  if (!config.ok) throw new Error(config.error);
  const controller = await composeController({
    config: config.value,
    logger,
    database,
    rateFactor,
    ...(moreRoutes && { moreRoutes }),
    ...(largeRequests !== undefined && { largeRequests }),
    ...(largeBuilds !== undefined && { largeBuilds }),
    ...(knownVersions && { knownVersions }),
    ...(eventSource && { eventSource }),
  });
  // An injected request whose body was refused never ends on its own: a timer would outlast the test.
  controller.app.addHook('onResponse', async ({ raw }) => {
    if (!(raw.socket instanceof Socket)) raw.destroy();
  });
  return {
    controller,
    async close() {
      await controller.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The real controller on a new database, driven by injection: no port is opened. */
export async function createTestController(
  env: NodeJS.ProcessEnv = {},
  options: TestControllerOptions = {},
): Promise<TestController> {
  const database = await createControllerDatabase();
  const { controller, close } = await openController(database, env, options);
  const { app, firstOwner } = controller;
  if (!firstOwner) throw new Error('a fresh database has no owner yet');

  const signIn = async (username: string, password: string): Promise<TestCaller> => {
    const login = await call(app, ['POST', '/auth/login', { username, password }]);
    if (login.status !== 200) throw new Error(`sign-in failed: ${JSON.stringify(login.body)}`);
    const token = login.body.access_token as string;
    return {
      token,
      userId: login.body.user.id,
      username,
      password,
      call: (method, url, body, headers) =>
        call(app, [method, url, body, { authorization: `Bearer ${token}`, ...headers }]),
    };
  };
  const owner = await signIn(firstOwner.username, firstOwner.password);
  return {
    controller,
    database,
    app,
    owner,
    project: firstOwner.projectId,
    async createProject(name) {
      const id = createId();
      const now = new Date();
      await database.db
        .insertInto('projects')
        .values({ id, name, description: null, created_at: now, updated_at: now })
        .execute();
      return id;
    },
    async createMember(role, project = firstOwner.projectId) {
      const id = createId();
      const now = new Date();
      const username = `${role}-${id.slice(-8)}`;
      passwordHash ??= hashPassword(PASSWORD);
      const user = { id, username, email: null, password_hash: await passwordHash, home_project: project };
      await database.db
        .insertInto('users')
        .values({ ...user, password_changed_at: now, created_at: now, updated_at: now })
        .execute();
      await database.db
        .insertInto('memberships')
        .values({ project_id: project, user_id: id, role, created_at: now })
        .execute();
      return signIn(username, PASSWORD);
    },
    async openBrowser({ username, password }) {
      const login = await call(app, ['POST', '/auth/browser/login', { username, password }]);
      if (login.status !== 200) throw new Error(`sign-in failed: ${JSON.stringify(login.body)}`);
      const cookie = String(login.headers['set-cookie']).split(';', 1)[0] ?? '';
      const csrfToken = login.body.csrf_token as string;
      return {
        cookie,
        csrfToken,
        userId: login.body.user.id,
        username,
        call: (method, url, body, headers) => {
          const isSafe = method === 'GET' || method === 'HEAD';
          return call(app, [method, url, body, { cookie, ...(!isSafe && { 'x-csrf-token': csrfToken }), ...headers }]);
        },
      };
    },
    async close() {
      await close();
      await database.close();
    },
  };
}

async function call(
  app: FastifyInstance,
  [method, url, body, headers]: [string, string, unknown?, Record<string, string>?],
): Promise<Answer> {
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers: { ...headers },
    ...(body === undefined ? {} : { payload: body as object }),
  });
  const isJson = /^application\/(?:[\w.-]+\+)?json/.test(String(response.headers['content-type'] ?? ''));
  return { status: response.statusCode, body: isJson ? response.json() : response.body, headers: response.headers };
}

/** Two controllers of one installation. */
export async function createTwoControllers(
  masterKey: string,
): Promise<{ readonly t: TestController; readonly other: Controller; close(): Promise<void> }> {
  const env = { SVC_MASTER_KEY: masterKey };
  const t = await createTestController(env);
  const { controller: other, close } = await openController(t.database, env);
  return {
    t,
    other,
    close: async () => {
      await close();
      await t.close();
    },
  };
}
