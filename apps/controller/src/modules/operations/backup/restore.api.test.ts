import { Buffer } from 'node:buffer';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../../testing/fleet.ts';
import { findDocument, fullResource, openDocument } from '../../configuration/documents/index.ts';
import { createTestSigner, writeTestBackup } from './format/testing/backup.ts';
import {
  BASE,
  digestTables,
  dryRun,
  fetchFile,
  forgeBackup,
  makeBackup,
  restoreBackup,
  SECRET_FILES,
  SECRET_POLICY,
  uploadBackup,
} from './testing/restore.ts';

const KEY = 'PRIVATE-KEY-OF-A-DOCUMENT-51c2';
const CLOUD_SECRET = 'a secret of a cloud 4711';
const CLOUD = {
  auth: {
    auth_url: 'https://keystone.example:5000/v3',
    application_credential_id: 'id',
    application_credential_secret: CLOUD_SECRET,
  },
  region_name: 'north',
};
const CLOUD_URL = '/api/v3/setting/documents/cloud/north';
const OTP_URL = '/api/v3/setting/documents/otp';

let t: TestFleet;
let admin: TestCaller;
let other: string;
let own: string;
let theirs: string;
let file: Buffer<ArrayBuffer>;
let bare: Buffer<ArrayBuffer>;

beforeAll(async () => {
  t = await createTestFleet();
  own = `?project=${t.project}`;
  admin = await t.createMember('admin');
  const secret = {
    tls_certificate: { certificate_chain: { inline_string: 'c' }, private_key: { inline_string: KEY } },
  };
  const policy = { name: 'guard', text: SECRET_POLICY, files: SECRET_FILES };
  const made = [
    await t.owner.call('POST', `/api/v3/xds/secrets${own}`, { name: 'www', version: TEST_VERSION, resource: secret }),
    await t.owner.call('POST', `/api/v3/shield/policies${own}`, policy),
    await t.owner.call('PUT', `${CLOUD_URL}${own}`, CLOUD),
    // Written, though with the value that it has by default.
    await admin.call('PUT', `${OTP_URL}${own}`, { otp_enforced: true }),
    await admin.call('PUT', `${OTP_URL}${own}`, { otp_enforced: false }),
  ];
  for (const { status, body } of made) expect(status, JSON.stringify(body)).toBeLessThan(300);
  await t.createService({ name: 'shop', policies: ['guard'] });
  file = Buffer.from(await fetchFile(t, admin, own, (await makeBackup(admin, own, {})).id));
  bare = Buffer.from(await fetchFile(t, admin, own, (await makeBackup(admin, own, { secret_free: true })).id));
});
afterAll(() => t.close());
beforeEach(async () => {
  other = await t.createProject(`other-${createId().slice(-8)}`);
  theirs = `?project=${other}`;
});

const upload = async (caller: TestCaller, query: string, content: Buffer): Promise<string> => {
  const answer = await uploadBackup(t, caller, query, content);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.id;
};
const restore = (caller: TestCaller, query: string, body: object) =>
  caller.call('POST', `${BASE}/backup/import${query}`, body);
interface Result {
  readonly kind: string;
  readonly name: string;
  readonly outcome: string;
  readonly reason?: string;
  readonly missing_secrets?: string[];
}
const withOutcome = (results: readonly Result[], outcome: string) =>
  results.filter((one) => one.outcome === outcome).map(({ kind, name }) => `${kind} ${name}`);

async function keyIn(project: string): Promise<unknown> {
  const scope = { project, version: TEST_VERSION };
  const row = await findDocument(t.database.db, scope, { collection: 'secrets', name: 'www' });
  if (!row) return undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what is stored
  const full = fullResource(openDocument(t.controller.keyring, row)) as any;
  return full.tls_certificate.private_key?.inline_string;
}
async function policyFilesIn(projectId: string): Promise<unknown[]> {
  const bundle = await t.controller.configuration.policyBundleFor({ projectId, policies: ['guard'] });
  return bundle?.files.map(({ content }) => content.toString('base64')) ?? [];
}

describe('a restore into another project', () => {
  it('brings everything with its secrets, under ids of its own, and gives nobody a role', async () => {
    const backup = await upload(t.owner, theirs, file);
    const preview = await dryRun(t.owner, theirs, { backup });
    expect(preview.status, JSON.stringify(preview.body)).toBe(200);
    expect(preview.body).toMatchObject({
      dry_run: true,
      counts: { refused: 0, created: 10, changed: 0, skipped: 0, unchanged: 0 },
    });
    expect(await keyIn(other)).toBeUndefined();
    const before = await digestTables(t.database.owner);
    const done = await restoreBackup(t.owner, theirs, { backup });
    expect(done.job.status, JSON.stringify(done.job)).toBe('done');
    expect(done.body.summary).toEqual({ counts: preview.body.counts, results: preview.body.results });
    expect(await keyIn(other)).toBe(KEY);
    expect(await policyFilesIn(other)).toContain(SECRET_FILES[0]?.content_base64);
    const { body: services } = await t.owner.call('GET', `/api/op/services${theirs}`);
    const { body: shop } = await t.owner.call('GET', `/api/op/services/${services.items[0].id}${theirs}`);
    expect(shop).toMatchObject({ name: 'shop', policies: ['guard'], clients: [] });
    const ids = await t.database.db
      .selectFrom('documents')
      .select((one) => one.fn.count<string>('id').distinct().as('ids'))
      .where('name', '=', 'www')
      .executeTakeFirstOrThrow();
    expect(Number(ids.ids)).toBe(2);
    const after = await digestTables(t.database.owner);
    for (const table of ['users', 'memberships', 'api_tokens', 'groups', 'group_members', 'permissions', 'clients'])
      expect(after[table], table).toBe(before[table]);
    expect((await admin.call('GET', `/api/v3/xds/secrets${theirs}&version=${TEST_VERSION}`)).status).toBe(403);
    expect(JSON.stringify([preview.body, done.body])).not.toContain(KEY);
    // What was restored is in the next backup: the second copy has the same content as the first.
    const again = await makeBackup(t.owner, theirs, {});
    const same = await dryRun(t.owner, theirs, { backup: again.id, on_conflict: 'replace' });
    expect(same.body.counts).toMatchObject({ created: 0, changed: 0, unchanged: 10 });
  });

  it('brings settings with their secrets, and those that were written with their default value', async () => {
    const backup = await upload(t.owner, theirs, file);
    expect((await restoreBackup(t.owner, theirs, { backup })).job.status).toBe('done');
    const cloud = await t.owner.call('GET', `${CLOUD_URL}${theirs}`);
    expect(cloud.body).toMatchObject({ value: { region_name: 'north' }, revision: 1 });
    expect(JSON.stringify(cloud.body)).not.toContain(CLOUD_SECRET);
    const otp = await t.owner.call('GET', `${OTP_URL}${theirs}`);
    expect(otp.body).toMatchObject({ value: { otp_enforced: false }, revision: 1 });
    // Only the same secret is no change.
    await t.owner.call('PUT', `${CLOUD_URL}${theirs}`, {
      ...CLOUD,
      auth: { ...CLOUD.auth, application_credential_secret: 'another secret 4712' },
    });
    const replacing = { backup, on_conflict: 'replace' };
    const changed = await dryRun(t.owner, theirs, replacing);
    expect(withOutcome(changed.body.results, 'changed')).toEqual(['settings cloud/north']);
    expect((await restoreBackup(t.owner, theirs, replacing)).body.summary.counts.changed).toBe(1);
    expect((await dryRun(t.owner, theirs, replacing)).body.counts).toMatchObject({ changed: 0, unchanged: 10 });
  });

  it('without secrets skips what needs them, and names the secrets to set afterwards', async () => {
    const backup = await upload(t.owner, theirs, bare);
    const done = await restoreBackup(t.owner, theirs, { backup });
    expect(done.job.status, JSON.stringify(done.job)).toBe('done');
    const { results } = done.body.summary as { results: Result[] };
    expect(results.filter(({ outcome }) => outcome === 'skipped')).toEqual([
      {
        kind: 'policies',
        name: 'guard',
        outcome: 'skipped',
        reason: 'the backup is without its secret files: keys/shared.key',
      },
      {
        kind: 'services',
        name: 'shop',
        outcome: 'skipped',
        reason: 'it uses policies that are skipped: guard',
      },
      {
        kind: 'settings',
        name: 'cloud/north',
        outcome: 'skipped',
        reason: 'it may contain secrets, which the backup is without',
      },
    ]);
    const www = results.find(({ name }) => name === `${TEST_VERSION}/secrets/www`);
    expect(www?.missing_secrets).toEqual(['tls_certificate.private_key']);
    expect(await keyIn(other)).toBeUndefined();
    expect(bare.includes(KEY)).toBe(false);
  });

  it('takes no id of a row on its word, and no project', async () => {
    const manifest = {
      collection: 'secrets',
      name: 'taken',
      version: TEST_VERSION,
      type: 'envoy.extensions.transport_sockets.tls.v3.Secret',
      resource: { generic_secret: {} },
    };
    for (const more of [{ project: t.project }, { id: createId() }]) {
      const content = await forgeBackup(t, { documents: [{ ...manifest, ...more }] });
      const backup = await upload(t.owner, theirs, content);
      expect((await dryRun(t.owner, theirs, { backup })).body.code).toBe('backup.tampered');
    }
    const backup = await upload(t.owner, theirs, await forgeBackup(t, { documents: [manifest] }));
    expect((await restoreBackup(t.owner, theirs, { backup })).job.status).toBe('done');
    const rows = await t.database.db.selectFrom('documents').select('project_id').where('name', '=', 'taken').execute();
    expect(rows).toEqual([{ project_id: other }]);
  });

  it('is for admins of that project, with a backup that lies there', async () => {
    const backup = await upload(t.owner, theirs, file);
    expect((await dryRun(admin, theirs, { backup })).status).toBe(403);
    expect((await dryRun(admin, own, { backup })).status).toBe(404);
    expect((await restore(admin, own, { backup })).status).toBe(404);
  });
});

describe('a restore into the same project', () => {
  const address = () => `/api/v3/xds/listeners/web${own}&version=${TEST_VERSION}`;
  const portOf = async () => (await t.owner.call('GET', address())).body.resource.address.socket_address.port_value;
  const setPort = (port: number) =>
    t.owner.call('PUT', address(), {
      resource: { address: { socket_address: { address: '127.0.0.1', port_value: port } } },
    });

  it('skips or replaces what exists, and the restore point can be restored', async () => {
    const backup = await upload(admin, own, file);
    const replacing = { backup, on_conflict: 'replace' };
    const same = await dryRun(admin, own, replacing);
    expect(same.body.counts, JSON.stringify(same.body)).toMatchObject({ created: 0, changed: 0, unchanged: 10 });
    expect((await setPort(18_500)).status).toBe(200);
    const skipped = await restoreBackup(admin, own, { backup });
    expect(skipped.body.summary.counts).toMatchObject({ created: 0, changed: 0, skipped: 10 });
    expect(await portOf()).toBe(18_500);
    const preview = await dryRun(admin, own, replacing);
    expect(withOutcome(preview.body.results, 'changed')).toEqual([`documents ${TEST_VERSION}/listeners/web`]);
    expect(await portOf()).toBe(18_500);
    const done = await restoreBackup(admin, own, replacing);
    expect(done.body.summary.counts).toMatchObject({ changed: 1, unchanged: 9 });
    expect(await portOf()).toBe(18_000);
    const back = await restoreBackup(admin, own, { backup: done.body.restore_point, on_conflict: 'replace' });
    expect(back.job.status).toBe('done');
    expect(await portOf()).toBe(18_500);
    await setPort(18_000);
  });

  it('of a backup without secrets keeps the secrets that exist', async () => {
    const backup = await upload(admin, own, bare);
    const done = await restoreBackup(admin, own, { backup, on_conflict: 'replace' });
    expect(done.job.status, JSON.stringify(done.job)).toBe('done');
    expect(done.body.summary.counts).toMatchObject({ changed: 0, skipped: 1, unchanged: 9 });
    expect(await keyIn(t.project)).toBe(KEY);
    expect(await policyFilesIn(t.project)).toContain(SECRET_FILES[0]?.content_base64);
  });

  it('leaves a service that is replaced on the clients that it has', async () => {
    const client = await t.createClient();
    const service = await t.createService({ name: 'runs', clients: [{ client_id: client }] });
    const { id: backup } = await makeBackup(admin, own, {});
    const url = `/api/op/services/${service.id}${own}`;
    expect((await t.owner.call('PATCH', url, { shield: { threads: 4 } })).status).toBe(200);
    const done = await restoreBackup(admin, own, { backup, on_conflict: 'replace' });
    expect(withOutcome(done.body.summary.results, 'changed')).toEqual(['services runs']);
    expect((await t.owner.call('GET', url)).body).toMatchObject({
      shield: { threads: 1 },
      clients: [{ client_id: client }],
    });
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
    ['of tables instead of manifests', 'backup.too_old', () => forgeBackup(t, {}, { header: { format: 1 } })],
    ['of a whole installation', 'backup.wrong_kind', () => forgeBackup(t, {}, { header: { kind: 'installation' } })],
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
      'containing a record that nobody can have written',
      'backup.tampered',
      () => forgeBackup(t, { documents: [{ name: 'x' }] }),
    ],
    [
      'containing more records than any project has, in a file that is small',
      'backup.too_large',
      () => forgeBackup(t, { documents: new Array<number>(100_001).fill(0) }),
    ],
  ];

  it.each(cases)('%s', async (_, code, write, more = {}) => {
    const content = await write();
    const sent = await uploadBackup(t, t.owner, theirs, content);
    // A format that is not known any more is refused before anything is stored.
    if (sent.status !== 201) {
      expect(sent.body.code).toBe(code);
      return;
    }
    const backup = sent.body.id;
    const before = await digestTables(t.database.owner);
    for (const answer of [
      await dryRun(t.owner, theirs, { backup, ...more }),
      await restore(t.owner, theirs, { backup, ...more }),
    ])
      expect([answer.body.code, answer.status >= 400], JSON.stringify(answer.body)).toEqual([code, true]);
    expect(await digestTables(t.database.owner)).toEqual(before);
  });

  it('where the last of all sections cannot be restored, and the dry run says which records are refused', async () => {
    const boot = await t.owner.call('GET', `/api/v3/xds/bootstrap/boot${own}&version=${TEST_VERSION}`);
    const { name, type, resource } = boot.body;
    const service = { name: 'late', version: TEST_VERSION, bootstrap: 'boot', listeners: ['nowhere'], policies: [] };
    const content = await forgeBackup(t, {
      documents: [{ collection: 'bootstrap', version: TEST_VERSION, name, type, resource }],
      services: [service, { ...service, name: 'later' }],
    });
    const backup = await upload(t.owner, theirs, content);
    const before = await digestTables(t.database.owner);
    const preview = await dryRun(t.owner, theirs, { backup });
    expect(preview.body.counts, JSON.stringify(preview.body)).toMatchObject({ refused: 2, created: 1 });
    expect(withOutcome(preview.body.results, 'refused')).toEqual(['services late', 'services later']);
    expect(preview.body.results[0].reason).toContain('nowhere');
    expect((await restore(t.owner, theirs, { backup })).body.code).toBe('service.invalid');
    expect(await digestTables(t.database.owner)).toEqual(before);
  });

  it('names every document that is refused', async () => {
    const bad = (name: string) => ({
      collection: 'clusters',
      name,
      version: TEST_VERSION,
      type: 'envoy.config.cluster.v3.Cluster',
      resource: { connect_timeout: '-1s' },
    });
    const backup = await upload(t.owner, theirs, await forgeBackup(t, { documents: [bad('a'), bad('b')] }));
    const preview = await dryRun(t.owner, theirs, { backup });
    expect(withOutcome(preview.body.results, 'refused')).toEqual(
      ['a', 'b'].map((name) => `documents ${TEST_VERSION}/clusters/${name}`),
    );
    expect((await restore(t.owner, theirs, { backup })).body.code).toBe('document.batch_refused');
  });
});
