import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SETTINGS, secret, secretPathsOf } from '@flotilla/contract';
import { EmbeddedServer, openDatabase } from '@flotilla/db';
import { createLogger, createSilentLogger } from '@flotilla/kit';
import { TEST_ENVOY_CACHE_DIR } from '@flotilla/testkit';
import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { type Controller, composeController } from '../../../compose.ts';
import { parseConfig } from '../../../platform/config.ts';
import type { JobType } from '../../../platform/jobs/index.ts';
import { certificateAuthorityContext } from '../../fleet/enrolment/encryption-context.ts';
import { codeOf } from '../../identity/second-factor/testing/factor.ts';
import { formsOf, SecretSearch } from './testing/search.ts';
import { WAIT } from './testing/secrets.ts';

/** Contains characters that encodings write differently; every secret is unique. */
const createSecret = (name: string) => `Sq7 "${name}" ä/+\\ ${randomBytes(12).toString('hex')}`;

let folder: string;
let controller: Controller;
/** The secrets that must not be found anywhere, by name. */
const secrets = new Map<string, string>();

function keep(name: string, value: unknown): string {
  if (typeof value !== 'string' || value.length < 8) throw new Error(`${name} is not there`);
  secrets.set(name, value);
  return value;
}
const fresh = (name: string) => keep(name, createSecret(name));

async function open(): Promise<void> {
  const argv = ['--data', folder, '--port', '0', '--grpc-port', '0'];
  const password = secrets.get('password of the first owner') ?? fresh('password of the first owner');
  const config = parseConfig(argv, { SVC_FIRST_OWNER_PASSWORD: password, SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
  if (!config.ok) throw new Error(config.error);
  const logger = createLogger({ name: 'controller', level: 'trace', destination: join(folder, 'controller.log') });
  controller = await composeController({ config: config.value, logger, rateFactor: 0 });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-at-rest-'));
  // The server's user needs to traverse the folder; otherwise its files would be elsewhere.
  await chmod(folder, 0o755);
  await open();
}, 120_000);
afterAll(async () => {
  await controller?.close();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

type Call = (method: string, url: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of any shape
type Answer = { status: number; body: any; headers: Record<string, unknown> };

const call: Call = async (method, url, body, headers = {}) => {
  const response = await controller.app.inject({ method: method as 'GET', url, headers, payload: body as object });
  const isJson = String(response.headers['content-type']).includes('json') && response.body !== '';
  return { status: response.statusCode, body: isJson ? response.json() : response.body, headers: response.headers };
};

async function signIn(username: string, password: string): Promise<Call> {
  const { status, body } = await call('POST', '/auth/login', { username, password });
  expect(status, JSON.stringify(body)).toBe(200);
  keep(`access token of ${username}`, body.access_token);
  keep(`refresh token of ${username}`, body.refresh_token);
  return (method, url, sent, headers) =>
    call(method, url, sent, { authorization: `Bearer ${body.access_token}`, ...headers });
}

/** Bodies of kinds that require more than their secrets. */
const BODIES: Record<string, Record<string, unknown>> = {
  cloud: { auth: { auth_url: 'https://keystone.example:5000/v3', application_credential_id: 'abc' }, region_name: 'n' },
  oidc: { title: 'Provider', issuer: 'https://id.example.com', client_id: 'flotilla' },
};

function withSecret(body: Record<string, unknown>, path: string, value: string): Record<string, unknown> {
  const [name = '', ...rest] = path.split('.');
  const inner = (body[name] ?? {}) as Record<string, unknown>;
  return { ...body, [name]: rest.length === 0 ? value : withSecret(inner, rest.join('.'), value) };
}

async function putSettings(owner: Call, project: string): Promise<void> {
  for (const type of SETTINGS) {
    for (const path of secretPathsOf(type.schema)) {
      const value = fresh(`${path} of settings ${type.key}`);
      const query = type.scope === 'project' ? `?project=${project}` : '';
      const url = `/api/v3/setting/documents/${type.key}${type.named ? '/main' : ''}${query}`;
      const written = await owner('PUT', url, withSecret(BODIES[type.key] ?? {}, path, value));
      // A kind with several secrets is replaced by each.
      expect([200, 201], `${type.key} ${JSON.stringify(written.body)}`).toContain(written.status);
    }
  }
}

async function putPeople(owner: Call): Promise<void> {
  const [first, second] = [fresh('password set by an admin'), fresh('password chosen')];
  const made = await owner('POST', '/api/v3/setting/users', { username: 'bob', password: first });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const bob = await signIn('bob', first);
  const changed = await bob('PUT', '/api/v3/profile/password', { current_password: first, new_password: second });
  expect(changed.status, JSON.stringify(changed.body)).toBeLessThan(300);
  const { body } = await (await signIn('bob', second))('GET', '/api/v3/profile');
  expect(body.username).toBe('bob');
  const again = await signIn('bob', second);
  const factor = await again('POST', '/api/v3/profile/otp/enable', { password: second });
  keep('TOTP secret', factor.body.secret);
  for (const [i, code] of factor.body.backup_codes.entries()) keep(`backup code ${i}`, code);
  const on = await again('POST', '/api/v3/profile/otp/verify', { code: codeOf(factor.body.secret) });
  expect(on.status).toBe(204);
  const asked = await call('POST', '/auth/login', { username: 'bob', password: second });
  keep('challenge', asked.body.challenge);
  const browser = await call('POST', '/auth/browser/login', {
    username: 'admin',
    password: secrets.get('password of the first owner'),
  });
  for (const cookie of [browser.headers['set-cookie']].flat())
    keep(`cookie ${secrets.size}`, String(cookie).split(/[=;]/)[1]);
  keep('CSRF token', browser.body.csrf_token);
}

async function putTokens(owner: Call, project: string): Promise<void> {
  const headers = { 'idempotency-key': 'once' };
  const token = await owner(
    'POST',
    `/api/v3/setting/tokens?project=${project}`,
    { name: 'ci', role: 'viewer' },
    headers,
  );
  keep('API token', token.body.token);
  const rotated = await owner('POST', `/api/v3/setting/tokens/${token.body.id}/rotate?project=${project}`, {
    overlap_s: 60,
  });
  keep('rotated API token', rotated.body.token);
  expect(
    (
      await call('GET', `/api/v3/shield/policies?project=${project}`, undefined, {
        authorization: `Bearer ${rotated.body.token}`,
      })
    ).status,
  ).toBe(200);
  const enrolment = await owner('POST', `/api/v3/setting/enrolment-tokens?project=${project}`, { note: 'host' });
  keep('enrolment token', enrolment.body.token);
  const rotatedEnrolment = await owner(
    'POST',
    `/api/v3/setting/enrolment-tokens/${enrolment.body.id}/rotate?project=${project}`,
    {},
  );
  keep('rotated enrolment token', rotatedEnrolment.body.token);
  const zone = { zone: 'www.example' };
  const made = await owner('POST', `/api/v3/setting/zone-secrets?project=${project}`, zone, {
    'idempotency-key': 'zone',
  });
  keep('secret of a zone', made.body.secret);
  const next = await owner('POST', `/api/v3/setting/zone-secrets/www.example/rotate?project=${project}`, {});
  keep('rotated secret of a zone', next.body.secret);
}

async function putResources(owner: Call, project: string): Promise<void> {
  const text = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: www }
spec:
  domains:
    - hosts: [www.example.com]
      policy: { engines: { jwt: { algorithms: [HS256], hmac_secret_file: keys/shared.key } } }
`;
  const content_base64 = Buffer.from(fresh('HMAC secret of a policy')).toString('base64');
  const files = [{ path: 'keys/shared.key', content_base64 }];
  const headers = { 'idempotency-key': 'policy' };
  const policy = await owner(
    'POST',
    `/api/v3/shield/policies?project=${project}`,
    { name: 'www', text, files },
    headers,
  );
  expect(policy.status, JSON.stringify(policy.body)).toBe(201);
  const private_key = { inline_string: fresh('private key of a document') };
  const resource = { tls_certificate: { certificate_chain: { inline_string: 'chain' }, private_key } };
  const document = await owner(
    'POST',
    `/api/v3/xds/secrets?project=${project}`,
    { name: 'www', version: '1.40.0', resource },
    { 'idempotency-key': 'document' },
  );
  expect(document.status, JSON.stringify(document.body)).toBe(201);
  const key = { inline_string: fresh('private key of a later revision') };
  const item = `/api/v3/xds/secrets/www?project=${project}&version=1.40.0`;
  const later = await owner('PATCH', item, { resource: { tls_certificate: { private_key: key } } });
  expect(later.status, JSON.stringify(later.body)).toBe(200);
}

const WORK: JobType<{ password: string }> = {
  type: 'test.secret',
  title: 'Needs a password',
  params: z.object({ password: secret(z.string()) }),
  route: null,
  steps: [
    { name: 'only', effects: 'repeatable', run: async (ctx) => ({ kind: 'done', result: ctx.params.password.length }) },
  ],
};

async function runJob(): Promise<void> {
  controller.jobs.register(WORK);
  const params = { password: fresh('parameter of a job') };
  const actor = { kind: 'system' as const, id: null, name: 'test' };
  const { db } = controller.database;
  const { id } = await db
    .transaction()
    .execute((tx) => controller.jobs.enqueue(tx, WORK, { params, project: null, actor }));
  await vi.waitFor(async () => {
    const job = await db.selectFrom('jobs').select(['status']).where('id', '=', id).executeTakeFirst();
    expect(job?.status).toBe('done');
  }, WAIT);
}

async function backUp(owner: Call): Promise<void> {
  const body = { passphrase: fresh('passphrase of a backup') };
  const begun = await owner('POST', '/api/v3/setting/maintenance/backup/export', body, { 'idempotency-key': 'backup' });
  expect(begun.status, JSON.stringify(begun.body)).toBe(202);
  await vi.waitFor(async () => {
    const job = await owner('GET', `/api/v3/jobs/${begun.body.job.id}`);
    expect(job.body.status, JSON.stringify(job.body)).toBe('done');
  }, WAIT);
}

/** Sends secrets in the wrong places. */
async function mistype(owner: Call): Promise<void> {
  const licence = keep('key in the address of a database', randomBytes(24).toString('hex'));
  const nobody = `http://127.0.0.1:65535/city.mmdb?license_key=${licence}`;
  const cases: [Call, string, string, unknown][] = [
    [call, 'POST', '/auth/login', { username: fresh('password typed as a user name'), password: 'wrong' }],
    [call, 'POST', '/auth/login', { username: 'admin', password: fresh('wrong password') }],
    [owner, 'PUT', '/api/v3/setting/documents/general', { surprise: fresh('secret in an unknown field') }],
    [
      owner,
      'PUT',
      '/api/v3/profile/password',
      { current_password: fresh('wrong current password'), new_password: fresh('refused password') },
    ],
    [owner, 'POST', '/api/v3/setting/keys/rotate', { which: 'master', master_key: fresh('refused master key') }],
    [owner, 'POST', '/api/v3/setting/geoip/download', { kind: 'city', url: nobody, sha256: '0'.repeat(64) }],
  ];
  for (const [by, method, url, body] of cases) expect((await by(method, url, body)).status).toBeGreaterThanOrEqual(400);
  const cut = await controller.app.inject({
    method: 'POST',
    url: '/auth/login',
    headers: { 'content-type': 'application/json' },
    payload: `{"username": "admin", "password": ${JSON.stringify(fresh('password in a broken body'))}`,
  });
  expect(cut.statusCode).toBe(400);
  const bearer = keep('token that nobody knows', `flt_${randomBytes(32).toString('base64url')}`);
  expect((await call('GET', '/api/v3/profile', undefined, { authorization: `Bearer ${bearer}` })).status).toBe(401);
}

/** Runs as the superuser on a restarted server, whose files are complete afterwards. */
async function asSuperuser(...statements: RawBuilder<unknown>[]): Promise<void> {
  const logger = createSilentLogger();
  const server = await EmbeddedServer.open({ dataDir: join(folder, 'database'), logger });
  const database = openDatabase(server.connection('flotilla'), logger, { maxConnections: 1 });
  try {
    for (const statement of [...statements, sql`checkpoint`]) await statement.execute(database.db);
  } finally {
    await database.close();
    await server.close();
  }
}

it('the search finds a secret in every encoding, in a file and in the database', async () => {
  const planted = createSecret('planted');
  const search = new SecretSearch(new Map([['planted', planted]]));
  const forms = formsOf(planted);
  const planting = await mkdtemp(join(tmpdir(), 'flotilla-planted-'));
  for (const [form, bytes] of forms) {
    const file = join(planting, 'planted');
    await writeFile(file, Buffer.concat([randomBytes(1000), bytes, randomBytes(1000)]));
    expect((await search.findBelow(planting, [])).found, form).toContain(`planted as ${form} in planted`);
  }
  await rm(planting, { recursive: true });
  const none = sql`drop table if exists planted`;
  // Many times: a page of the WAL may end within a value.
  const plant = sql`insert into planted select ${planted} from generate_series(1, 20)`;
  await asSuperuser(none, sql`create table planted (secret text)`, plant);
  const { found } = await search.findBelow(folder, []);
  expect(found.filter((one) => one.startsWith('planted as raw in database/')).length).toBeGreaterThanOrEqual(2);
  await asSuperuser(none);
}, 120_000);

it('after a full run no secret is found anywhere: database, its log and its WAL, logs, backups, audit heads', async () => {
  const owner = await signIn('admin', secrets.get('password of the first owner') ?? '');
  const project = controller.firstOwner?.projectId ?? '';
  await putSettings(owner, project);
  await putPeople(owner);
  await putTokens(owner, project);
  await putResources(owner, project);
  await runJob();
  await backUp(owner);
  await mistype(owner);
  const { db } = controller.database;
  const { sealed_key } = await db.selectFrom('certificate_authority').select('sealed_key').executeTakeFirstOrThrow();
  const authorityKey = controller.keyring.decrypt(sealed_key, certificateAuthorityContext());
  keep('key of the authority as hex', authorityKey.toString('hex'));
  keep('key of the authority as base64', authorityKey.toString('base64').replace(/=*$/, ''));
  keep('master key', (await readFile(join(folder, 'master.key'), 'utf8')).trim());
  await asSuperuser();

  const except = [join(folder, 'master.key')];
  const search = new SecretSearch(secrets);
  const running = await search.findBelow(folder, except);
  await controller.close();
  const stopped = await search.findBelow(folder, except);
  expect(secrets.size).toBeGreaterThan(40);
  expect(running.bytes).toBeGreaterThan(20_000_000);
  expect([...new Set([...running.found, ...stopped.found])].toSorted()).toEqual([]);
  await open();
}, 240_000);
