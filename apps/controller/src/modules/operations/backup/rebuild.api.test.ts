import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { listMigrations } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { FEATURES } from '../../../features.ts';
import { openKeyring } from '../../../platform/keyring/index.ts';
import { openController, type TestCaller } from '../../../testing/controller.ts';
import { createTestFleet, TEST_FLEET_ENV, TEST_VERSION, type TestFleet } from '../../../testing/fleet.ts';
import { findDocument, fullResource, openDocument } from '../../configuration/documents/index.ts';
import { createTestSigner, inChunks, sectionOf, writeTestBackup } from './format/testing/backup.ts';
import { type RebuildOrder, rebuildInstallation } from './rebuild.ts';
import { LEAP } from './rows-store.ts';
import { listBackupSections } from './sections.ts';
import { digestTables, fetchFile, makeBackup } from './testing/restore.ts';

const KEY = 'PRIVATE-KEY-OF-A-DOCUMENT-77e0';
const PASSPHRASE = 'what lies in the safe';
/** Of the machine that was lost: TEST_FLEET_ENV. */
const OTHER_MASTER = randomBytes(32).toString('hex');

let t: TestFleet;
let member: TestCaller;
let client: string;
let file: Buffer;
let bare: Buffer;
let signer: string;
let empty: TestDatabase;

beforeAll(async () => {
  t = await createTestFleet();
  member = await t.createMember('editor');
  client = await t.createClient('edge-of-before');
  const resource = {
    tls_certificate: { certificate_chain: { inline_string: 'c' }, private_key: { inline_string: KEY } },
  };
  const url = `/api/v3/xds/secrets?project=${t.project}`;
  expect((await t.owner.call('POST', url, { name: 'www', version: TEST_VERSION, resource })).status).toBe(201);
  const service = await t.createService({ name: 'shop', clients: [{ client_id: client }] });
  expect(service.name).toBe('shop');
  const made = await makeBackup(t.owner, '', { passphrase: PASSPHRASE });
  signer = made.content.signer;
  file = await fetchFile(t, t.owner, '', made.id);
  bare = await fetchFile(t, t.owner, '', (await makeBackup(t.owner, '', { secret_free: true })).id);
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
    open: () => inChunks(content, 60_000),
    ...order,
  });
}

const openRebuilt = () => openController(empty, { ...TEST_FLEET_ENV, SVC_MASTER_KEY: OTHER_MASTER });

describe('another machine, with a master key of its own', () => {
  beforeEach(async () => {
    empty = await createTestDatabase();
  });
  afterEach(() => empty.close());

  it('has everything under the ids of before: people, secrets, authority, the record as it was sealed', async () => {
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
      if (!row) throw new Error('the document is there');
      expect(JSON.stringify(fullResource(openDocument(keyring, row)))).toContain(KEY);
      const now = await empty.db.selectFrom('certificate_authority').select('certificate').executeTakeFirstOrThrow();
      expect(now.certificate.equals(authority.certificate)).toBe(true);
      await vi.waitFor(
        async () => {
          const verdict = await get(`/api/v3/audit/verify?project=${t.project}`);
          expect(verdict, JSON.stringify(verdict)).toMatchObject({ ok: true });
          expect(verdict.items[0].checked).toBeGreaterThan(0);
        },
        { timeout: 30_000, interval: 200 },
      );
      // What was sealed with the key of before opens nowhere here.
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
      expect(Number(await generation(empty)) - Number(await generation(t.database))).toBeGreaterThanOrEqual(LEAP);
    } finally {
      await close();
    }
  });

  it('stays empty where nobody could be told the new password of the owner, and is filled the next time', async () => {
    const keepPassword = async () => Promise.reject(new Error('no space left'));
    await expect(rebuild(bare, { keepPassword })).rejects.toThrow('no space left');
    expect(await empty.owner.selectFrom('users').select('id').execute()).toEqual([]);
    expect((await rebuild(bare)).owner?.username).toBe(t.owner.username);
  });

  it('of a backup without secrets has one owner who can sign in, and none of the passwords', async () => {
    const kept: string[] = [];
    const { owner } = await rebuild(bare, { keepPassword: async (password) => void kept.push(password) });
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

describe('refused with the reason, and the database stays empty', () => {
  let before: Record<string, string>;
  beforeAll(async () => {
    empty = await createTestDatabase();
    await openKeyring({ db: empty.owner, masterKey: OTHER_MASTER, keyFile: '/nonexistent' });
    before = await digestTables(empty.owner);
  });
  afterAll(() => empty.close());

  const stranger = createTestSigner();
  const installation = { kind: 'installation' as const, migrations: listMigrations() };
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
    ['truncated', 'backup.truncated', () => file.subarray(0, file.length - 1)],
    [
      'changed',
      'backup.tampered',
      () => Buffer.from(file.map((byte, i) => (i === file.length - 200 ? byte ^ 1 : byte))),
    ],
    ['wrong pass phrase', 'backup.wrong_passphrase', () => file, { passphrase: 'what lies elsewhere' }],
    ['no pass phrase', 'backup.passphrase_needed', () => file, { passphrase: undefined }],
    ['foreign', 'backup.foreign_signer', () => file, { trusted: undefined }],
    ['older', 'backup.too_old', () => write({ migrations: listMigrations().slice(0, -1) }), { trusted }],
    ['newer', 'backup.too_new', () => write({ migrations: [...listMigrations(), '9999-later'] }), { trusted }],
    ['of one project', 'backup.wrong_kind', () => write({ kind: 'project' }), { trusted }],
    [
      'with a section of nobody',
      'backup.tampered',
      () => write({}, { projects: [project], pg_authid: [{ a: 1 }] }),
      { trusted },
    ],
  ];

  it.each(cases)('%s', async (_, code, content, more = {}) => {
    await expect(rebuild(await content(), more)).rejects.toMatchObject({ code });
    expect(await digestTables(empty.owner)).toEqual(before);
  });

  it('where a row of the last section does not fit', async () => {
    const content = await write({}, { projects: [project], shield_counts: [{ project_id: createId() }] });
    await expect(rebuild(content, { trusted })).rejects.toThrow();
    expect(await digestTables(empty.owner)).toEqual(before);
    expect(await empty.owner.selectFrom('projects').select('id').execute()).toEqual([]);
  });

  it('where there is an installation already', async () => {
    await rebuild(bare);
    const full = await digestTables(empty.owner);
    await expect(rebuild(bare)).rejects.toMatchObject({ code: 'backup.not_empty' });
    expect(await digestTables(empty.owner)).toEqual(full);
  });
});
