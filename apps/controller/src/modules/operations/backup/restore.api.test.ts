import { Buffer } from 'node:buffer';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../../testing/fleet.ts';
import { fullResource, openDocument } from '../../configuration/documents/index.ts';
import { findDocument } from '../../configuration/documents/store.ts';
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
let ownQuery: string;
let otherQuery: string;
let file: Buffer<ArrayBuffer>;
let secretFree: Buffer<ArrayBuffer>;

beforeAll(async () => {
  t = await createTestFleet();
  ownQuery = `?project=${t.project}`;
  admin = await t.createMember('admin');
  const secret = {
    tls_certificate: { certificate_chain: { inline_string: 'c' }, private_key: { inline_string: KEY } },
  };
  const policy = { name: 'guard', text: SECRET_POLICY, files: SECRET_FILES };
  const responses = [
    await t.owner.call('POST', `/api/v3/xds/secrets${ownQuery}`, {
      name: 'www',
      version: TEST_VERSION,
      resource: secret,
    }),
    await t.owner.call('POST', `/api/v3/shield/policies${ownQuery}`, policy),
    await t.owner.call('PUT', `${CLOUD_URL}${ownQuery}`, CLOUD),
    // Stored explicitly, with its default value.
    await admin.call('PUT', `${OTP_URL}${ownQuery}`, { otp_enforced: true }),
    await admin.call('PUT', `${OTP_URL}${ownQuery}`, { otp_enforced: false }),
  ];
  for (const { status, body } of responses) expect(status, JSON.stringify(body)).toBeLessThan(300);
  await t.createService({ name: 'shop', policies: ['guard'] });
  file = Buffer.from(await fetchFile(t, admin, ownQuery, (await makeBackup(admin, ownQuery, {})).id));
  secretFree = Buffer.from(
    await fetchFile(t, admin, ownQuery, (await makeBackup(admin, ownQuery, { secret_free: true })).id),
  );
});
afterAll(() => t.close());
beforeEach(async () => {
  other = await t.createProject(`other-${createId().slice(-8)}`);
  otherQuery = `?project=${other}`;
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
  it('creates all records with their secrets and new ids, and gives nobody a role', async () => {
    const backup = await upload(t.owner, otherQuery, file);
    const preview = await dryRun(t.owner, otherQuery, { backup });
    expect(preview.status, JSON.stringify(preview.body)).toBe(200);
    expect(preview.body).toMatchObject({
      dry_run: true,
      counts: { refused: 0, created: 10, changed: 0, skipped: 0, unchanged: 0 },
    });
    expect(await keyIn(other)).toBeUndefined();
    const before = await digestTables(t.database.owner);
    const done = await restoreBackup(t.owner, otherQuery, { backup });
    expect(done.job.status, JSON.stringify(done.job)).toBe('done');
    expect(done.body.summary).toEqual({ counts: preview.body.counts, results: preview.body.results });
    expect(await keyIn(other)).toBe(KEY);
    expect(await policyFilesIn(other)).toContain(SECRET_FILES[0]?.content_base64);
    const { body: services } = await t.owner.call('GET', `/api/op/services${otherQuery}`);
    const { body: shop } = await t.owner.call('GET', `/api/op/services/${services.items[0].id}${otherQuery}`);
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
    expect((await admin.call('GET', `/api/v3/xds/secrets${otherQuery}&version=${TEST_VERSION}`)).status).toBe(403);
    expect(JSON.stringify([preview.body, done.body])).not.toContain(KEY);
    // A backup of the copy has the same content as the original.
    const again = await makeBackup(t.owner, otherQuery, {});
    const same = await dryRun(t.owner, otherQuery, { backup: again.id, on_conflict: 'replace' });
    expect(same.body.counts).toMatchObject({ created: 0, changed: 0, unchanged: 10 });
  });

  it('creates settings with their secrets, also settings that were stored with their default value', async () => {
    const backup = await upload(t.owner, otherQuery, file);
    expect((await restoreBackup(t.owner, otherQuery, { backup })).job.status).toBe('done');
    const cloud = await t.owner.call('GET', `${CLOUD_URL}${otherQuery}`);
    expect(cloud.body).toMatchObject({ value: { region_name: 'north' }, revision: 1 });
    expect(JSON.stringify(cloud.body)).not.toContain(CLOUD_SECRET);
    const otp = await t.owner.call('GET', `${OTP_URL}${otherQuery}`);
    expect(otp.body).toMatchObject({ value: { otp_enforced: false }, revision: 1 });
    // Another secret counts as a change.
    await t.owner.call('PUT', `${CLOUD_URL}${otherQuery}`, {
      ...CLOUD,
      auth: { ...CLOUD.auth, application_credential_secret: 'another secret 4712' },
    });
    const replacing = { backup, on_conflict: 'replace' };
    const changed = await dryRun(t.owner, otherQuery, replacing);
    expect(withOutcome(changed.body.results, 'changed')).toEqual(['settings cloud/north']);
    expect((await restoreBackup(t.owner, otherQuery, replacing)).body.summary.counts.changed).toBe(1);
    expect((await dryRun(t.owner, otherQuery, replacing)).body.counts).toMatchObject({ changed: 0, unchanged: 10 });
  });

  it('from a backup without secrets skips the records that need them, and lists the secrets to set afterwards', async () => {
    const backup = await upload(t.owner, otherQuery, secretFree);
    const done = await restoreBackup(t.owner, otherQuery, { backup });
    expect(done.job.status, JSON.stringify(done.job)).toBe('done');
    const { results } = done.body.summary as { results: Result[] };
    expect(results.filter(({ outcome }) => outcome === 'skipped')).toEqual([
      {
        kind: 'policies',
        name: 'guard',
        outcome: 'skipped',
        reason: 'the backup does not contain its secret files: keys/shared.key',
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
        reason: 'it may contain secrets, and the backup has none',
      },
    ]);
    const www = results.find(({ name }) => name === `${TEST_VERSION}/secrets/www`);
    expect(www?.missing_secrets).toEqual(['tls_certificate.private_key']);
    expect(await keyIn(other)).toBeUndefined();
    expect(secretFree.includes(KEY)).toBe(false);
  });

  it('refuses manifests that contain an id or a project', async () => {
    const manifest = {
      collection: 'secrets',
      name: 'taken',
      version: TEST_VERSION,
      type: 'envoy.extensions.transport_sockets.tls.v3.Secret',
      resource: { generic_secret: {} },
    };
    for (const more of [{ project: t.project }, { id: createId() }]) {
      const content = await forgeBackup(t, { documents: [{ ...manifest, ...more }] });
      const backup = await upload(t.owner, otherQuery, content);
      expect((await dryRun(t.owner, otherQuery, { backup })).body.code).toBe('backup.tampered');
    }
    const backup = await upload(t.owner, otherQuery, await forgeBackup(t, { documents: [manifest] }));
    expect((await restoreBackup(t.owner, otherQuery, { backup })).job.status).toBe('done');
    const rows = await t.database.db.selectFrom('documents').select('project_id').where('name', '=', 'taken').execute();
    expect(rows).toEqual([{ project_id: other }]);
  });

  it('needs an admin of that project and a backup that is stored there', async () => {
    const backup = await upload(t.owner, otherQuery, file);
    expect((await dryRun(admin, otherQuery, { backup })).status).toBe(403);
    expect((await dryRun(admin, ownQuery, { backup })).status).toBe(404);
    expect((await restore(admin, ownQuery, { backup })).status).toBe(404);
  });
});

describe('a restore into the same project', () => {
  const address = () => `/api/v3/xds/listeners/web${ownQuery}&version=${TEST_VERSION}`;
  const portOf = async () => (await t.owner.call('GET', address())).body.resource.address.socket_address.port_value;
  const setPort = (port: number) =>
    t.owner.call('PUT', address(), {
      resource: { address: { socket_address: { address: '127.0.0.1', port_value: port } }, bind_to_port: false },
    });

  it('skips or replaces existing records, and its restore point can be restored', async () => {
    const backup = await upload(admin, ownQuery, file);
    const replacing = { backup, on_conflict: 'replace' };
    const same = await dryRun(admin, ownQuery, replacing);
    expect(same.body.counts, JSON.stringify(same.body)).toMatchObject({ created: 0, changed: 0, unchanged: 10 });
    expect((await setPort(18_500)).status).toBe(200);
    const skipped = await restoreBackup(admin, ownQuery, { backup });
    expect(skipped.body.summary.counts).toMatchObject({ created: 0, changed: 0, skipped: 10 });
    expect(await portOf()).toBe(18_500);
    const preview = await dryRun(admin, ownQuery, replacing);
    expect(withOutcome(preview.body.results, 'changed')).toEqual([`documents ${TEST_VERSION}/listeners/web`]);
    expect(await portOf()).toBe(18_500);
    const done = await restoreBackup(admin, ownQuery, replacing);
    expect(done.body.summary.counts).toMatchObject({ changed: 1, unchanged: 9 });
    expect(await portOf()).toBe(18_000);
    const back = await restoreBackup(admin, ownQuery, { backup: done.body.restore_point, on_conflict: 'replace' });
    expect(back.job.status).toBe('done');
    expect(await portOf()).toBe(18_500);
    await setPort(18_000);
  });

  it('from a backup without secrets keeps the existing secrets', async () => {
    const backup = await upload(admin, ownQuery, secretFree);
    const done = await restoreBackup(admin, ownQuery, { backup, on_conflict: 'replace' });
    expect(done.job.status, JSON.stringify(done.job)).toBe('done');
    expect(done.body.summary.counts).toMatchObject({ changed: 0, skipped: 1, unchanged: 9 });
    expect(await keyIn(t.project)).toBe(KEY);
    expect(await policyFilesIn(t.project)).toContain(SECRET_FILES[0]?.content_base64);
  });

  it('does not change the clients of a replaced service', async () => {
    const client = await t.createClient();
    const service = await t.createService({ name: 'runs', clients: [{ client_id: client }] });
    const { id: backup } = await makeBackup(admin, ownQuery, {});
    const url = `/api/op/services/${service.id}${ownQuery}`;
    expect((await t.owner.call('PATCH', url, { shield: { threads: 4 } })).status).toBe(200);
    const done = await restoreBackup(admin, ownQuery, { backup, on_conflict: 'replace' });
    expect(withOutcome(done.body.summary.results, 'changed')).toEqual(['services runs']);
    expect((await t.owner.call('GET', url)).body).toMatchObject({
      shield: { threads: 1 },
      clients: [{ client_id: client }],
    });
  });
});

describe('a restore changes nothing and reports the reason', () => {
  const stranger = createTestSigner();
  const header = { migrations: ['9999-from-the-future'] };
  const none = { kind: 'none' } as const;
  const cases: [string, string, () => Promise<Buffer>, object?][] = [
    ['if the backup is truncated', 'backup.truncated', async () => file.subarray(0, file.length - 1)],
    [
      'if the backup was changed',
      'backup.tampered',
      async () => Buffer.from(file.map((byte, i) => (i === file.length - 80 ? byte ^ 1 : byte))),
    ],
    [
      'if another installation signed the backup',
      'backup.foreign_signer',
      () => writeTestBackup({ signer: stranger, protection: none, sections: [] }),
    ],
    ['if the backup is newer', 'backup.too_new', () => forgeBackup(t, {}, { protection: none, header })],
    [
      'if the backup contains tables instead of manifests',
      'backup.too_old',
      () => forgeBackup(t, {}, { header: { format: 1 } }),
    ],
    [
      'if it is a backup of the installation',
      'backup.wrong_kind',
      () => forgeBackup(t, {}, { header: { kind: 'installation' } }),
    ],
    [
      'if the passphrase is wrong',
      'backup.wrong_passphrase',
      () =>
        writeTestBackup({
          signer: stranger,
          protection: { kind: 'passphrase', passphrase: 'one passphrase' },
          sections: [],
        }),
      { passphrase: 'another passphrase' },
    ],
    [
      'if the backup contains an invalid manifest',
      'backup.tampered',
      () => forgeBackup(t, { documents: [{ name: 'x' }] }),
    ],
    [
      'if a small file contains too many records',
      'backup.too_large',
      () => forgeBackup(t, { documents: new Array<number>(100_001).fill(0) }),
    ],
  ];

  it.each(cases)('%s', async (_, code, write, more = {}) => {
    const content = await write();
    const sent = await uploadBackup(t, t.owner, otherQuery, content);
    // The upload itself refuses formats that are no longer supported.
    if (sent.status !== 201) {
      expect(sent.body.code).toBe(code);
      return;
    }
    const backup = sent.body.id;
    const before = await digestTables(t.database.owner);
    for (const answer of [
      await dryRun(t.owner, otherQuery, { backup, ...more }),
      await restore(t.owner, otherQuery, { backup, ...more }),
    ])
      expect([answer.body.code, answer.status >= 400], JSON.stringify(answer.body)).toEqual([code, true]);
    expect(await digestTables(t.database.owner)).toEqual(before);
  });

  it('if the last section cannot be restored, and the dry run lists the refused records', async () => {
    const boot = await t.owner.call('GET', `/api/v3/xds/bootstrap/boot${ownQuery}&version=${TEST_VERSION}`);
    const { name, type, resource } = boot.body;
    const service = { name: 'late', version: TEST_VERSION, bootstrap: 'boot', listeners: ['nowhere'], policies: [] };
    const content = await forgeBackup(t, {
      documents: [{ collection: 'bootstrap', version: TEST_VERSION, name, type, resource }],
      services: [service, { ...service, name: 'later' }],
    });
    const backup = await upload(t.owner, otherQuery, content);
    const before = await digestTables(t.database.owner);
    const preview = await dryRun(t.owner, otherQuery, { backup });
    expect(preview.body.counts, JSON.stringify(preview.body)).toMatchObject({ refused: 2, created: 1 });
    expect(withOutcome(preview.body.results, 'refused')).toEqual(['services late', 'services later']);
    expect(preview.body.results[0].reason).toContain('nowhere');
    expect((await restore(t.owner, otherQuery, { backup })).body.code).toBe('service.invalid');
    expect(await digestTables(t.database.owner)).toEqual(before);
  });

  it('for every refused document', async () => {
    const bad = (name: string) => ({
      collection: 'clusters',
      name,
      version: TEST_VERSION,
      type: 'envoy.config.cluster.v3.Cluster',
      resource: { connect_timeout: '-1s' },
    });
    const backup = await upload(t.owner, otherQuery, await forgeBackup(t, { documents: [bad('a'), bad('b')] }));
    const preview = await dryRun(t.owner, otherQuery, { backup });
    expect(withOutcome(preview.body.results, 'refused')).toEqual(
      ['a', 'b'].map((name) => `documents ${TEST_VERSION}/clusters/${name}`),
    );
    expect((await restore(t.owner, otherQuery, { backup })).body.code).toBe('document.batch_refused');
  });
});
