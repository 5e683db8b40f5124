import { Buffer } from 'node:buffer';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../test-controller.ts';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../test-fleet.ts';
import { findDocument, fullResource, openDocument } from '../documents/index.ts';
import { createTestSigner, writeTestBackup } from './format/test-backup.ts';
import {
  BASE,
  digestTables,
  fetchFile,
  forgeBackup,
  makeBackup,
  restoreBackup,
  SECRET_POLICY,
  uploadBackup,
} from './test-restore.ts';

const KEY = 'PRIVATE-KEY-OF-A-DOCUMENT-51c2';
const SHARED = Buffer.from('a secret of thirty-two characters!').toString('base64');

let t: TestFleet;
let admin: TestCaller;
let other: string;
let own: string;
let theirs: string;
let file: Buffer<ArrayBuffer>;

beforeAll(async () => {
  t = await createTestFleet();
  own = `?project=${t.project}`;
  admin = await t.createMember('admin');
  const secret = {
    tls_certificate: { certificate_chain: { inline_string: 'c' }, private_key: { inline_string: KEY } },
  };
  const made = [
    await t.owner.call('POST', `/api/v3/xds/secrets${own}`, { name: 'www', version: TEST_VERSION, resource: secret }),
    await t.owner.call('POST', `/api/v3/shield/policies${own}`, {
      name: 'guard',
      text: SECRET_POLICY,
      files: [{ path: 'keys/shared.key', content_base64: SHARED }],
    }),
  ];
  for (const { status, body } of made) expect(status, JSON.stringify(body)).toBe(201);
  await t.createService({ name: 'shop', policies: ['guard'] });
  file = Buffer.from(await fetchFile(t, admin, own, (await makeBackup(admin, own, {})).id));
});
afterAll(() => t.close());
beforeEach(async () => {
  other = await t.createProject(`other-${createId().slice(-8)}`);
  theirs = `?project=${other}`;
});

const taken = async (caller: TestCaller, query: string, content: Buffer): Promise<string> => {
  const answer = await uploadBackup(t, caller, query, content);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.id;
};
const plan = (caller: TestCaller, query: string, body: object) =>
  caller.call('POST', `${BASE}/backup/plan${query}`, body);
const restore = (caller: TestCaller, query: string, body: object) =>
  caller.call('POST', `${BASE}/backup/import${query}`, body);

async function keyIn(project: string): Promise<unknown> {
  const scope = { project, version: TEST_VERSION };
  const row = await findDocument(t.database.db, scope, { collection: 'secrets', name: 'www' });
  if (!row) return undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what is stored
  const full = fullResource(openDocument(t.controller.configuration.keyring, row)) as any;
  return full.tls_certificate.private_key.inline_string;
}

describe('a restore into another project', () => {
  it('brings everything with its secrets, under ids of its own, and gives nobody a role', async () => {
    const backup = await taken(t.owner, theirs, file);
    const planned = await plan(t.owner, theirs, { backup });
    expect(planned.status, JSON.stringify(planned.body)).toBe(200);
    expect(planned.body).toMatchObject({ conflicts: [], unchanged: 0, missing_secrets: [] });
    const creates = Object.fromEntries(
      planned.body.creates.map((one: { kind: string; count: number }) => [one.kind, one.count]),
    );
    expect(creates).toEqual({ documents: 6, groups: 1, policies: 1, services: 1 });
    const before = await digestTables(t.database.owner);
    const done = await restoreBackup(t.owner, theirs, { backup, digest: planned.body.digest });
    expect(done.job.status, JSON.stringify(done.job)).toBe('done');
    const { restored } = done.body;
    expect(restored).toHaveLength(9);
    const olds = new Set(restored.map((one: { from: string }) => one.from));
    expect(olds.size).toBe(9);
    for (const { to } of restored) expect(olds.has(to)).toBe(false);
    expect(await keyIn(other)).toBe(KEY);
    const bundle = await t.controller.configuration.policyBundleFor({ projectId: other, policies: ['guard'] });
    expect(bundle?.files.map(({ content }) => content.toString('base64'))).toContain(SHARED);
    const after = await digestTables(t.database.owner);
    for (const table of ['users', 'memberships', 'api_tokens', 'group_members', 'permissions', 'clients', 'projects'])
      expect(after[table], table).toBe(before[table]);
    expect((await admin.call('GET', `/api/v3/xds/secrets${theirs}&version=${TEST_VERSION}`)).status).toBe(403);
    expect(JSON.stringify([planned.body, done.body])).not.toContain(KEY);
  });

  it('takes no id of a row on its word, and no project', async () => {
    const victim = await t.database.db
      .selectFrom('documents')
      .selectAll()
      .where('name', '=', 'www')
      .executeTakeFirstOrThrow();
    const content = await forgeBackup(t, {
      documents: [
        {
          id: victim.id,
          project_id: t.project,
          version: TEST_VERSION,
          collection: 'secrets',
          name: 'taken',
          type: victim.type,
          description: null,
          labels: {},
          resource: { generic_secret: {} },
          sealed: null,
          private: [],
        },
      ],
    });
    const backup = await taken(t.owner, theirs, content);
    const { body } = await plan(t.owner, theirs, { backup });
    const done = await restoreBackup(t.owner, theirs, { backup, digest: body.digest });
    expect(done.job.status, JSON.stringify(done.job)).toBe('done');
    const rows = await t.database.db
      .selectFrom('documents')
      .select(['id', 'project_id'])
      .where('name', '=', 'taken')
      .execute();
    expect(rows).toEqual([{ id: done.body.restored[0].to, project_id: other }]);
    expect(rows[0]?.id).not.toBe(victim.id);
  });

  it('is for admins of that project, with a backup that lies there', async () => {
    const backup = await taken(t.owner, theirs, file);
    expect((await plan(admin, theirs, { backup })).status).toBe(403);
    expect((await plan(admin, own, { backup })).status).toBe(404);
    expect((await restore(admin, own, { backup, digest: '0'.repeat(64) })).status).toBe(404);
  });
});

describe('a restore into the same project', () => {
  const address = () => `/api/v3/xds/listeners/web${own}&version=${TEST_VERSION}`;
  const portOf = async () => (await t.owner.call('GET', address())).body.resource.address.socket_address.port_value;
  const setPort = (port: number) =>
    t.owner.call('PUT', address(), {
      resource: { address: { socket_address: { address: '127.0.0.1', port_value: port } } },
    });

  it('says what is taken, skips or replaces it, and the point before can be restored', async () => {
    const backup = await taken(admin, own, file);
    const same = await plan(admin, own, { backup });
    expect(same.body, JSON.stringify(same.body)).toMatchObject({ creates: [], conflicts: [], unchanged: 9 });
    expect((await setPort(18_500)).status).toBe(200);
    const skipping = await plan(admin, own, { backup });
    expect(skipping.body.conflicts).toEqual([
      { kind: 'documents', name: `${TEST_VERSION}/listeners/web`, choice: 'skip' },
    ]);
    expect((await restoreBackup(admin, own, { backup, digest: skipping.body.digest })).body.restored).toEqual([]);
    expect(await portOf()).toBe(18_500);
    const replacing = { backup, on_conflict: 'replace' };
    const { digest } = (await plan(admin, own, replacing)).body;
    expect(digest).not.toBe(skipping.body.digest);
    const done = await restoreBackup(admin, own, { ...replacing, digest });
    expect(done.body.restored).toHaveLength(1);
    expect(await portOf()).toBe(18_000);
    const back = { backup: done.body.restore_point, on_conflict: 'replace' };
    const point = await plan(admin, own, back);
    expect((await restoreBackup(admin, own, { ...back, digest: point.body.digest })).job.status).toBe('done');
    expect(await portOf()).toBe(18_500);
    await setPort(18_000);
  });

  it('does what its plan says or nothing', async () => {
    const backup = await taken(admin, own, file);
    const { digest } = (await plan(admin, own, { backup, on_conflict: 'replace' })).body;
    await setPort(18_600);
    const before = await digestTables(t.database.owner);
    const refused = await restore(admin, own, { backup, on_conflict: 'replace', digest });
    expect([refused.status, refused.body.code]).toEqual([409, 'backup.plan_changed']);
    expect(await digestTables(t.database.owner)).toEqual(before);
    await setPort(18_000);
  });
});

describe('refused with the reason, and nothing is changed', () => {
  const stranger = createTestSigner();
  const header = { migrations: ['9999-from-the-future'] };
  const none = { kind: 'none' } as const;
  const cases: [string, string, () => Promise<Buffer>, object?][] = [
    ['truncated', 'backup.truncated', async () => file.subarray(0, file.length - 1)],
    [
      'changed',
      'backup.tampered',
      async () => Buffer.from(file.map((byte, i) => (i === file.length - 80 ? byte ^ 1 : byte))),
    ],
    ['foreign', 'backup.foreign_signer', () => writeTestBackup({ signer: stranger, protection: none, sections: [] })],
    ['newer', 'backup.too_new', () => forgeBackup(t, {}, { protection: none, header })],
    [
      'of a whole installation',
      'backup.foreign_signer',
      () => writeTestBackup({ signer: stranger, protection: none, sections: [], header: { kind: 'installation' } }),
    ],
    [
      'encrypted with another pass phrase',
      'backup.wrong_passphrase',
      () =>
        writeTestBackup({
          signer: stranger,
          protection: { kind: 'passphrase', passphrase: 'one pass phrase' },
          sections: [],
        }),
      { passphrase: 'another pass phrase' },
    ],
    [
      'holding a record that nobody can have written',
      'backup.tampered',
      () => forgeBackup(t, { documents: [{ id: createId() }] }),
    ],
    [
      'holding more records than any project has, in a file that is small',
      'backup.too_large',
      () => forgeBackup(t, { documents: new Array<number>(100_001).fill(0) }),
    ],
  ];

  it.each(cases)('%s', async (_, code, write, more = {}) => {
    const backup = await taken(t.owner, theirs, await write());
    const before = await digestTables(t.database.owner);
    for (const answer of [
      await plan(t.owner, theirs, { backup, ...more }),
      await restore(t.owner, theirs, { backup, digest: '0'.repeat(64), ...more }),
    ])
      expect([answer.body.code, answer.status >= 400], JSON.stringify(answer.body)).toEqual([code, true]);
    expect(await digestTables(t.database.owner)).toEqual(before);
  });

  it('where the last of all sections cannot be restored', async () => {
    const document = await t.database.db
      .selectFrom('documents')
      .selectAll()
      .where('name', '=', 'boot')
      .executeTakeFirstOrThrow();
    const bad = {
      id: createId(),
      name: 'late',
      version: TEST_VERSION,
      bootstrap: 'boot',
      listeners: ['nowhere'],
      policies: [],
    };
    const content = await forgeBackup(t, {
      documents: [{ ...document, sealed: null }],
      services: [{ ...bad, shield_threads: 1, shield_xff_trusted_hops: 0 }],
    });
    const backup = await taken(t.owner, theirs, content);
    const before = await digestTables(t.database.owner);
    const refused = await plan(t.owner, theirs, { backup });
    expect(refused.body.code).toBe('service.invalid');
    expect((await restore(t.owner, theirs, { backup, digest: '0'.repeat(64) })).body.code).toBe('service.invalid');
    expect(await digestTables(t.database.owner)).toEqual(before);
    const { rows } = await sql`select 1 from documents where project_id = ${other}`.execute(t.database.owner);
    expect(rows).toEqual([]);
  });
});
