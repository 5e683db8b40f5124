import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareMigrations, type Db, listMigrations, migrateToLatest } from '@flotilla/db';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Controller } from '../../compose.ts';
import { fullResource, openDocument } from '../../modules/configuration/documents/index.ts';
import { openPolicies } from '../../modules/configuration/policies/index.ts';
import { codeOf } from '../../modules/identity/second-factor/testing/factor.ts';
import { openKeyring } from '../../platform/keyring/index.ts';
import { type Answer, openController } from '../controller.ts';
import { OLD_INSTALLATIONS, type OldInstallation, readDump } from './installations.ts';
import { describeSchema } from './schema.ts';

/** An old installation with this version started on it. */
class Upgraded {
  readonly of: OldInstallation;
  readonly database: TestDatabase;
  readonly before: Rows;
  readonly #controller: Controller;
  readonly #end: () => Promise<void>;

  private constructor(
    of: OldInstallation,
    database: TestDatabase,
    { before, controller, end }: { before: Rows; controller: Controller; end: () => Promise<void> },
  ) {
    this.of = of;
    this.database = database;
    this.before = before;
    this.#controller = controller;
    this.#end = end;
  }

  static async open(of: OldInstallation): Promise<Upgraded> {
    const database = await createEmptyDatabase();
    const keys = await mkdtemp(join(tmpdir(), 'flotilla-old-keys-'));
    try {
      await sql.raw(await readDump(of)).execute(database.owner);
      const before = await readRows(database.owner);
      await migrateToLatest(database.owner);
      const auditKey = join(keys, 'audit.key');
      if (of.auditKey) await writeFile(auditKey, of.auditKey, { mode: 0o600 });
      const env = { SVC_MASTER_KEY: of.masterKey, SVC_AUDIT_KEY_FILE: auditKey };
      const { controller, close } = await openController(database, env);
      const end = async (): Promise<void> => {
        await close();
        await database.close();
        await rm(keys, { recursive: true });
      };
      return new Upgraded(of, database, { before, controller, end });
    } catch (error) {
      await database.close();
      await rm(keys, { recursive: true });
      throw error;
    }
  }

  async call(
    method: 'GET' | 'POST',
    url: string,
    { token, body }: { token?: string; body?: object } = {},
  ): Promise<Answer> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await this.#controller.app.inject({ method, url, headers, ...(body && { payload: body }) });
    return { status: response.statusCode, body: response.json(), headers: response.headers };
  }

  async logIn(username: 'admin' | 'ann' | 'victor', factor: object = {}): Promise<Answer> {
    const body = { username, password: this.of.passwords[username], ...factor };
    return this.call('POST', '/auth/login', { body });
  }

  close(): Promise<void> {
    return this.#end();
  }
}

interface Rows {
  readonly documents: readonly Record<'collection' | 'name' | 'version' | 'project_id', string>[];
  readonly policies: readonly { readonly name: string; readonly text: string; readonly digest: string }[];
  readonly entries: number;
}

/** Reads what both schemas have in common. */
async function readRows(db: Db): Promise<Rows> {
  const { rows: documents } = await sql<Rows['documents'][number]>`
    select id, project_id, version, collection, name, type, description, labels, resource, revision, created_at, updated_at
      from documents order by id`.execute(db);
  const { rows: policies } = await sql<Rows['policies'][number]>`
    select id, project_id, name, description, text, digest, revision from policies order by id`.execute(db);
  const { rows } = await sql<{ entries: number }>`select count(*) as entries from audit_log`.execute(db);
  return { documents, policies, entries: rows[0]?.entries ?? 0 };
}

describe.each(OLD_INSTALLATIONS)('an installation whose last migration was $last', (old) => {
  let upgraded: Upgraded;
  beforeAll(async () => {
    upgraded = await Upgraded.open(old);
  });
  afterAll(() => upgraded?.close());

  const logInAsAdmin = async (): Promise<string> => (await upgraded.logIn('admin')).body.access_token;

  it('has the schema of a new one', async () => {
    const fresh = await createTestDatabase();
    try {
      expect((await compareMigrations(upgraded.database.owner)).ran).toEqual(listMigrations());
      expect(await describeSchema(upgraded.database.owner)).toEqual(await describeSchema(fresh.owner));
    } finally {
      await fresh.close();
    }
  });

  it('has unchanged documents and policies', async () => {
    const { documents, policies } = await readRows(upgraded.database.owner);
    expect(documents).toEqual(upgraded.before.documents);
    expect(policies).toEqual(upgraded.before.policies);
    const token = await logInAsAdmin();
    for (const { collection, name, version, project_id: project, ...stored } of documents) {
      const url = `/api/v3/xds/${collection}/${encodeURIComponent(name)}?project=${project}&version=${version}`;
      const { status, body } = await upgraded.call('GET', url, { token });
      expect({ status, resource: body.resource }, url).toEqual({
        status: 200,
        resource: 'resource' in stored && stored.resource,
      });
    }
  });

  it('admits its people and tokens', async () => {
    expect((await upgraded.logIn('admin')).status).toBe(200);
    expect((await upgraded.logIn('ann')).status).toBe(200);
    const factor = old.otpSecret === undefined ? {} : { otp_code: codeOf(old.otpSecret) };
    expect((await upgraded.logIn('victor', factor)).status).toBe(200);
    const url = `/api/v3/xds/clusters?project=${old.project}`;
    expect((await upgraded.call('GET', url, { token: old.token })).status).toBe(200);
  });

  it('can decrypt its secrets', async () => {
    const { db } = upgraded.database;
    const keyring = await openKeyring({ db, masterKey: old.masterKey, keyFile: '' });
    const secret = await db
      .selectFrom('documents')
      .selectAll()
      .where('name', '=', 'shop-cert')
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(fullResource(openDocument(keyring, secret)))).toContain('BEGIN PRIVATE KEY');
    const [policy] = await openPolicies({ db, keyring }, old.project, ['rich']);
    const contents = policy?.files.map(({ content_base64: content }) => Buffer.from(content, 'base64').toString());
    expect(contents).toEqual(old.last < '0010' ? [] : ['s'.repeat(48)]);
  });

  it('has an audit log that verifies', async () => {
    const token = await logInAsAdmin();
    const { rows } = await sql<{ entries: number }>`select count(*) as entries from audit_log`.execute(
      upgraded.database.owner,
    );
    expect(rows[0]?.entries).toBeGreaterThan(upgraded.before.entries);
    const { body } = await upgraded.call('GET', '/api/v3/audit/verify', { token });
    expect(body).toMatchObject({ ok: true });
  });

  it.each([
    '/api/v3/overview',
    '/api/op/services',
    '/api/op/clients',
    '/api/op/commands',
    '/api/v3/shield/policies',
    '/api/v3/shield/events',
    '/api/v3/audit/logs',
    '/api/v3/jobs',
    '/api/v3/jobs/schedules',
    '/api/v3/setting/users',
    '/api/v3/setting/tokens',
    '/api/v3/setting/groups',
    '/api/v3/setting/permissions',
    '/api/v3/setting/enrolment-tokens',
    '/api/v3/setting/maintenance/backups',
    '/api/v3/setting/maintenance/cleanup',
    '/api/v3/search?q=demo',
  ])('answers %s', async (path) => {
    const url = `${path}${path.includes('?') ? '&' : '?'}project=${old.project}`;
    const { status, body } = await upgraded.call('GET', url, { token: await logInAsAdmin() });
    expect({ status, body }).toMatchObject({ status: 200 });
  });
});
