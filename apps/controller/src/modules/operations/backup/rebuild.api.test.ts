import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { listMigrations } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { FEATURES } from '../../../features.ts';
import { mergeMigrations } from '../../../platform/features/index.ts';
import { openKeyring } from '../../../platform/keyring/index.ts';
import { openController, type TestCaller } from '../../../testing/controller.ts';
import { createControllerDatabase } from '../../../testing/database.ts';
import { createTestFleet, TEST_FLEET_ENV, TEST_VERSION, type TestFleet } from '../../../testing/fleet.ts';
import { fullResource, openDocument } from '../../configuration/documents/index.ts';
import { findDocument } from '../../configuration/documents/store.ts';
import { createTestSigner, inChunks, sectionOf, writeTestBackup } from './format/testing/backup.ts';
import { type RebuildOrder, rebuildInstallation } from './rebuild.ts';
import { GENERATION_GAP } from './rows-store.ts';
import { listBackupSections } from './sections.ts';
import { digestTables, fetchFile, makeBackup } from './testing/restore.ts';

const KEY = 'PRIVATE-KEY-OF-A-DOCUMENT-77e0';
const PASSPHRASE = 'a passphrase for the safe';
/** Differs from the master key of the lost machine, which is in TEST_FLEET_ENV. */
const OTHER_MASTER = randomBytes(32).toString('hex');

const MIGRATIONS = listMigrations(mergeMigrations(FEATURES));
let t: TestFleet;
let member: TestCaller;
let client: string;
let file: Buffer;
let secretFree: Buffer;
let signer: string;
let empty: TestDatabase;

beforeAll(async () => {
  t = await createTestFleet();
  member = await t.createMember('editor');
  client = await t.createClient('lost-edge');
  const resource = {
    tls_certificate: { certificate_chain: { inline_string: 'c' }, private_key: { inline_string: KEY } },
  };
  const url = `/api/v3/xds/secrets?project=${t.project}`;
  expect((await t.owner.call('POST', url, { name: 'www', version: TEST_VERSION, resource })).status).toBe(201);
  const service = await t.createService({ name: 'shop', clients: [{ client_id: client }] });
  expect(service.name).toBe('shop');
  const created = await makeBackup(t.owner, '', { passphrase: PASSPHRASE });
  signer = created.content.signer;
  file = await fetchFile(t, t.owner, '', created.id);
  secretFree = await fetchFile(t, t.owner, '', (await makeBackup(t.owner, '', { secret_free: true })).id);
});
afterAll(() => t.close());

async function rebuild(content: Buffer, more: Partial<RebuildOrder> = {}) {
  const keyring = await openKeyring({ db: empty.owner, masterKey: OTHER_MASTER, keyFile: '/nonexistent' });
  const keepPassword = async () => undefined;
  const order = { passphrase: PASSPHRASE, trusted: signer, keepPassword, ...more };
  return rebuildInstallation({
    db: empty.owner,
    keyring,
    sections: listBackupSections(FEATURES),
    migrations: MIGRATIONS,
    open: () => inChunks(content, 60_000),
    ...order,
  });
}

const openRebuilt = () => openController(empty, { ...TEST_FLEET_ENV, SVC_MASTER_KEY: OTHER_MASTER });

describe('a rebuild on another machine, with another master key,', () => {
  beforeEach(async () => {
    empty = await createControllerDatabase();
  });
  afterEach(() => empty.close());

  it('restores people, secrets, the authority and the sealed audit log under the same ids', async () => {
    const authority = await t.database.db
      .selectFrom('certificate_authority')
      .select('certificate')
      .executeTakeFirstOrThrow();
    await rebuild(file);
    const { controller, close } = await openRebuilt();
    try {
      const { app, firstOwner, keyring } = controller;
      expect(firstOwner).toBeUndefined();
      const login = await app.inject({
        method: 'POST',
        url: '/auth/login',
        payload: { username: t.owner.username, password: t.owner.password },
      });
      expect(login.statusCode, login.body).toBe(200);
      const headers = { authorization: `Bearer ${login.json().access_token}` };
      const get = async (url: string) => (await app.inject({ method: 'GET', url, headers })).json();
      const { items: services } = await get(`/api/op/services?project=${t.project}`);
      expect(services).toMatchObject([{ name: 'shop', project: t.project }]);
      expect((await get(`/api/op/clients?project=${t.project}`)).items).toMatchObject([{ client_id: client }]);
      const row = await findDocument(
        empty.db,
        { project: t.project, version: TEST_VERSION },
        { collection: 'secrets', name: 'www' },
      );
      if (!row) throw new Error('the document is missing');
      expect(JSON.stringify(fullResource(openDocument(keyring, row)))).toContain(KEY);
      const now = await empty.db.selectFrom('certificate_authority').select('certificate').executeTakeFirstOrThrow();
      expect(now.certificate.equals(authority.certificate)).toBe(true);
      await vi.waitFor(
        async () => {
          const verdict = await get(`/api/v3/audit/verify?project=${t.project}`);
          expect(verdict, JSON.stringify(verdict)).toMatchObject({ ok: true });
          expect(verdict.items[0].checked).toBeGreaterThan(0);
        },
        { interval: 200 },
      );
      // The secret is encrypted with the new key.
      const stored = await t.database.db
        .selectFrom('documents')
        .select('sealed')
        .where('id', '=', row.id)
        .executeTakeFirstOrThrow();
      expect(row.sealed?.equals(stored.sealed ?? Buffer.alloc(0))).toBe(false);
      const generation = async (at: TestDatabase) =>
        (
          await at.owner
            .selectFrom('clients')
            .select('desired_revision')
            .where('id', '=', client)
            .executeTakeFirstOrThrow()
        ).desired_revision;
      expect(Number(await generation(empty)) - Number(await generation(t.database))).toBeGreaterThanOrEqual(
        GENERATION_GAP,
      );
    } finally {
      await close();
    }
  });

  it('leaves the database empty if the new password of the owner cannot be saved, and can be repeated', async () => {
    const keepPassword = async () => Promise.reject(new Error('no space left'));
    await expect(rebuild(secretFree, { keepPassword })).rejects.toThrow('no space left');
    expect(await empty.owner.selectFrom('users').select('id').execute()).toEqual([]);
    expect((await rebuild(secretFree)).owner?.username).toBe(t.owner.username);
  });

  it('from a backup without secrets lets only the owner sign in, with a new password', async () => {
    const kept: string[] = [];
    const { owner } = await rebuild(secretFree, { keepPassword: async (password) => void kept.push(password) });
    expect(owner?.username).toBe(t.owner.username);
    expect(kept).toEqual([owner?.password]);
    const { controller, close } = await openRebuilt();
    try {
      const signIn = (username: string, password: string) =>
        controller.app.inject({ method: 'POST', url: '/auth/login', payload: { username, password } });
      expect((await signIn(t.owner.username, owner?.password ?? '')).statusCode).toBe(200);
      expect((await signIn(t.owner.username, t.owner.password)).statusCode).toBe(401);
      expect((await signIn(member.username, member.password)).statusCode).toBe(401);
    } finally {
      await close();
    }
  });
});

describe('a rebuild changes nothing and reports the reason', () => {
  let before: Record<string, string>;
  beforeAll(async () => {
    empty = await createControllerDatabase();
    await openKeyring({ db: empty.owner, masterKey: OTHER_MASTER, keyFile: '/nonexistent' });
    before = await digestTables(empty.owner);
  });
  afterAll(() => empty.close());

  const stranger = createTestSigner();
  const installation = { kind: 'installation' as const, migrations: MIGRATIONS };
  const write = (header: object, sections: Record<string, readonly unknown[]> = {}) =>
    writeTestBackup({
      signer: stranger,
      protection: { kind: 'none' },
      sections: Object.entries(sections).map(([name, rows]) => sectionOf(name, rows)),
      header: { ...installation, ...header },
    });
  const trusted = stranger.fingerprint;
  const project = { id: createId(), name: 'first', description: null, created_at: new Date(), updated_at: new Date() };
  const cases: [string, string, () => Buffer | Promise<Buffer>, object?][] = [
    ['if the backup is truncated', 'backup.truncated', () => file.subarray(0, file.length - 1)],
    [
      'if the backup was changed',
      'backup.tampered',
      () => Buffer.from(file.map((byte, i) => (i === file.length - 200 ? byte ^ 1 : byte))),
    ],
    ['if the passphrase is wrong', 'backup.wrong_passphrase', () => file, { passphrase: 'another passphrase' }],
    ['if the passphrase is missing', 'backup.passphrase_needed', () => file, { passphrase: undefined }],
    ['if the signer is not trusted', 'backup.foreign_signer', () => file, { trusted: undefined }],
    ['if the backup is older', 'backup.too_old', () => write({ migrations: MIGRATIONS.slice(0, -1) }), { trusted }],
    [
      'if the backup is newer',
      'backup.too_new',
      () => write({ migrations: [...MIGRATIONS, '9999-later'] }),
      { trusted },
    ],
    ['if it is a backup of one project', 'backup.wrong_kind', () => write({ kind: 'project' }), { trusted }],
    [
      'if the backup has an unknown section',
      'backup.tampered',
      () => write({}, { projects: [project], pg_authid: [{ a: 1 }] }),
      { trusted },
    ],
  ];

  it.each(cases)('%s', async (_, code, content, more = {}) => {
    await expect(rebuild(await content(), more)).rejects.toMatchObject({ code });
    expect(await digestTables(empty.owner)).toEqual(before);
  });

  it('if a row of the last section is invalid', async () => {
    const content = await write({}, { projects: [project], shield_counts: [{ project_id: createId() }] });
    await expect(rebuild(content, { trusted })).rejects.toThrow();
    expect(await digestTables(empty.owner)).toEqual(before);
    expect(await empty.owner.selectFrom('projects').select('id').execute()).toEqual([]);
  });

  it('if the database is not empty', async () => {
    await rebuild(secretFree);
    const full = await digestTables(empty.owner);
    await expect(rebuild(secretFree)).rejects.toMatchObject({ code: 'backup.not_empty' });
    expect(await digestTables(empty.owner)).toEqual(full);
  });
});
