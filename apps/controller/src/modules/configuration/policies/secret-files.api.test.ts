import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, TestCaller } from '../../../testing/controller.ts';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../../testing/fleet.ts';
import { encryptStoredSecrets } from './seal-stored.ts';

const PATH = 'keys/shared.key';
/** Printable like human-chosen secrets, so that a search finds them in any text. */
const [ONE, TWO, OLD] = ['one', 'two', 'old'].map((name) => `secret-${name}-${randomBytes(24).toString('hex')}`);
const SECRETS = [ONE, TWO, OLD].map((secret) => secret ?? '');
const base64 = (text: string | undefined) => Buffer.from(text ?? '').toString('base64');

let t: TestFleet;
const answers: Answer[] = [];
beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t.close());

async function call(...request: Parameters<TestCaller['call']>): Promise<Answer> {
  const answer = await t.owner.call(...request);
  answers.push(answer);
  return answer;
}

const list = (more = '') => `/api/v3/shield/policies?project=${t.project}${more}`;
const item = (name: string, more = '', below = '') =>
  `/api/v3/shield/policies/${name}${below}?project=${t.project}${more}`;
const given = (secret: string | undefined, path = PATH) => ({ path, content_base64: base64(secret) });
const policy = (name: string, block = `{ algorithms: [HS256], hmac_secret_file: ${PATH} }`) =>
  `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: ${name} }
spec:
  domains:
    - hosts: [${name}.example.com]
      policy: { engines: { jwt: ${block} } }
`;
const bare = (name: string) => policy(name).replace(/jwt: .*/, 'rate_limit: { requests_per_second: 5 } } }');

/** The secret in the bundle for a service with this policy. */
async function secretOf(name: string, path = PATH): Promise<string | undefined> {
  const bundle = await t.controller.configuration.policyBundleFor({ projectId: t.project, policies: [name] });
  return bundle?.files.find((file) => file.path === path)?.content.toString();
}

function ruleOf(answer: Answer): string {
  return answer.body.details?.[0]?.rule ?? `${answer.status}`;
}

describe('a secret file', () => {
  it('is shown by its size and kept by writes that omit its content or the whole file', async () => {
    const made = await call('POST', list(), { name: 'www', text: policy('www'), files: [given(ONE)] });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const shown = { path: PATH, secret: true, bytes: ONE?.length, updated_at: expect.any(String) };
    expect(made.body.files).toEqual([shown]);
    const read = (await call('GET', item('www'))).body;
    expect(read.files).toEqual([shown]);
    for (const [method, body] of [
      ['PUT', { text: policy('www'), files: read.files }],
      ['PUT', { text: policy('www'), files: [{ path: PATH }] }],
      ['PUT', { text: `# no files\n${policy('www')}` }],
      ['PATCH', { text: `# as text alone\n${policy('www')}` }],
      ['PATCH', { description: 'as it was' }],
      ['PATCH', { files: [] }],
    ] as const) {
      const kept = await call(method, item('www'), body);
      expect(kept.status, JSON.stringify(kept.body)).toBe(200);
      expect(kept.body.files, JSON.stringify(body)).toEqual(read.files);
      expect(await secretOf('www')).toBe(ONE);
    }
  });

  it('is replaced by a write with its content, and returns with an earlier revision', async () => {
    const dry = await call('PATCH', item('www', '&dry_run=true'), { files: [given(TWO)] });
    expect(dry.body.diff).toEqual([expect.objectContaining({ path: 'files[0]', change: 'changed' })]);
    expect(await secretOf('www')).toBe(ONE);
    const same = await call('PATCH', item('www', '&dry_run=true'), { files: [given(ONE)] });
    expect(same.body.diff).toEqual([]);
    const before = (await call('GET', item('www'))).body;
    const replaced = await call('PATCH', item('www'), { files: [given(TWO)] });
    expect(replaced.body.digest).not.toBe(before.digest);
    expect(await secretOf('www')).toBe(TWO);
    const dryRestore = await call('POST', item('www', '&dry_run=true', '/restore'), { revision: 1 });
    expect(dryRestore.status).toBe(200);
    const restored = await call('POST', item('www', '', '/restore'), { revision: 1 });
    expect(restored.status, JSON.stringify(restored.body)).toBe(200);
    expect(await secretOf('www')).toBe(ONE);
    const history = (await call('GET', item('www', '', '/revisions'))).body.items;
    for (const { revision } of history) {
      const earlier = await call('GET', item('www', '', `/revisions/${revision}`));
      expect(earlier.body.files).toEqual([expect.objectContaining({ path: PATH, secret: true })]);
    }
  });

  it('cannot be read by naming it as another kind of file, at another path, in another policy, or not at all', async () => {
    const pem = policy('www', `{ algorithms: [RS256], public_key_file: ${PATH} }`);
    const jwks = policy('www', `{ algorithms: [RS256], jwks_file: ${PATH} }`);
    const moved = policy('www', '{ algorithms: [HS256], hmac_secret_file: keys/other.key }');
    const files = [{ path: PATH }];
    const attacks: readonly (readonly [string, string, object, string])[] = [
      ['PUT', item('www'), { text: pem, files }, 'file.was_secret'],
      ['PATCH', item('www'), { text: pem }, 'file.was_secret'],
      ['PUT', item('www'), { text: jwks, files }, 'file.was_secret'],
      ['PATCH', item('www'), { text: jwks }, 'file.was_secret'],
      ['PUT', item('www'), { text: pem }, 'file.missing'],
      ['PUT', item('www'), { text: moved, files }, 'file.unused'],
      ['PUT', item('www'), { text: moved, files: [{ path: 'keys/other.key' }] }, 'file.secret_missing'],
      ['PUT', item('www'), { text: moved }, 'file.secret_missing'],
      ['PATCH', item('www'), { text: bare('www') }, 'file.unused'],
      ['POST', list(), { name: 'thief', text: policy('thief'), files }, 'file.secret_missing'],
      ['POST', list(), { name: 'thief', text: policy('thief') }, 'file.secret_missing'],
      ['PUT', item('www'), { text: policy('www'), files: [...files, ...files] }, 'unique'],
      // A secret is not a valid public key, even if the field asks for one.
      ['PUT', item('www'), { text: pem, files: [given(ONE)] }, 'jwt.key_file'],
      ['PUT', item('www'), { text: policy('www'), files: [given('short')] }, 'jwt.weak_key'],
    ];
    for (const [method, url, body, rule] of attacks) {
      for (const more of ['&dry_run=true', '']) {
        const answer = await call(method, `${url}${more}`, body);
        expect(answer.status, JSON.stringify([body, answer.body])).toBe(400);
        expect(ruleOf(answer), JSON.stringify(body)).toBe(rule);
        if (rule.startsWith('file.')) expect(answer.body.details[0].message).toMatch(/keys\/\w+\.key/);
      }
    }
    const dropped = await call('PUT', item('www'), { text: bare('www') });
    expect(dropped.body.files).toEqual([]);
    const again = await call('PUT', item('www'), { text: policy('www') });
    expect(ruleOf(again)).toBe('file.secret_missing');
    const history = (await call('GET', item('www', '', '/revisions'))).body.items;
    await call('POST', item('www', '', '/restore'), { revision: history[1].revision });
    expect(await secretOf('www')).toBe(ONE);
  });

  it('stays a secret if a second place names it as a public key', async () => {
    const route = (field: string, algorithm: string) => `{ algorithms: [${algorithm}], ${field}: ${PATH} }`;
    const text = `${policy('www', route('hmac_secret_file', 'HS256'))}      routes:
        - match: { path_prefix: /b }
          policy: { engines: { jwt: ${route('public_key_file', 'RS256')} } }
`;
    const answer = await call('PUT', item('www'), { text, files: [{ path: PATH }] });
    expect(answer.status).toBe(400);
    expect(answer.body.problems[0].field).toContain('public_key_file');
  });

  it('can only be decrypted for its policy and path, even by somebody who can write to the database', async () => {
    await call('POST', list(), { name: 'other', text: policy('other'), files: [given(TWO)] });
    const { db } = t.database;
    const files = async (name: string) =>
      (await db.selectFrom('policies').select('files').where('name', '=', name).executeTakeFirstOrThrow()).files;
    const own = await files('other');
    const put = async (stored: unknown) =>
      db
        .updateTable('policies')
        .set({ files: JSON.stringify(stored) })
        .where('name', '=', 'other')
        .execute();
    await put(await files('www'));
    await expect(secretOf('other')).rejects.toThrow();
    await put(own.map((file) => ({ ...file, path: 'keys/other.key' })));
    await expect(secretOf('other')).rejects.toThrow();
    await put(own);
    expect(await secretOf('other')).toBe(TWO);
  });

  it('is used by trials of its policy and of drafts of it, and of no others', async () => {
    const url = (what: string) => `/api/v3/shield/${what}?project=${t.project}`;
    const request = { method: 'GET', url: 'https://www.example.com/', headers: [] };
    const tryOn = (policies: unknown) => call('POST', url('try'), { policies, request });
    const viewer = await t.createMember('viewer');
    expect((await tryOn({ policy: 'www' })).status).toBe(200);
    const draft = (text: string, more: object = {}) => ({ draft: { text, ...more } });
    const used = await tryOn(draft(policy('www'), { policy: 'www', files: [{ path: PATH }] }));
    expect(used.status, JSON.stringify(used.body)).toBe(200);
    expect((await tryOn(draft(policy('www'), { policy: 'www' }))).status).toBe(200);
    expect((await tryOn(draft(policy('www'), { files: [given(OLD)] }))).status).toBe(200);
    const pem = policy('www', `{ algorithms: [RS256], public_key_file: ${PATH} }`);
    for (const policies of [
      draft(policy('www')),
      draft(policy('www'), { files: [{ path: PATH }] }),
      draft(pem, { policy: 'www', files: [{ path: PATH }] }),
    ]) {
      const refused = await tryOn(policies);
      expect(refused.status).toBe(400);
      expect(refused.body.problems[0]).toMatchObject({
        rule: 'jwt.file',
        message: 'names a file that is not in the bundle',
      });
    }
    expect((await tryOn(draft(policy('www'), { policy: 'none' }))).status).toBe(404);
    answers.push(await viewer.call('POST', url('try'), { policies: { policy: 'www' }, request }));
    const replay = await call('POST', url('replay'), {
      candidate: draft(policy('www'), { policy: 'www' }),
      baseline: { policy: 'www' },
      records: { source: 'text', text: JSON.stringify({ ...request, status: 403 }) },
    });
    expect(replay.status, JSON.stringify(replay.body)).toBe(200);
  });

  it('stored before encryption existed is encrypted at the next start, in the history too', async () => {
    const { db } = t.database;
    const made = await call('POST', list(), { name: 'older', text: policy('older'), files: [given(ONE)] });
    await call('PATCH', item('older'), { files: [given(TWO)] });
    const open = JSON.stringify([given(OLD)]);
    await db.updateTable('policies').set({ files: open }).where('name', '=', 'older').execute();
    await db.updateTable('policy_revisions').set({ files: open }).where('policy_id', '=', made.body.id).execute();
    const { keyring } = t.controller;
    expect(await encryptStoredSecrets(db, keyring)).toBe(2);
    expect(await encryptStoredSecrets(db, keyring)).toBe(0);
    expect(await secretOf('older')).toBe(OLD);
    await call('POST', item('older', '', '/restore'), { revision: 1 });
    expect(await secretOf('older')).toBe(OLD);
  });

  it('reaches the agents of services with the policy; two different ones with one path cannot share a bundle', async () => {
    const client = await t.createClient('edge');
    const agent = await t.connect(client);
    await t.createService({ name: 'edge', policies: ['www'] });
    const deploy = { type: 'DEPLOY', clients: [{ client_id: client }], command: { name: 'edge' } };
    await call('POST', `/api/op/clients?project=${t.project}`, deploy);
    await agent.settled();
    const [service] = agent.desired.at(-1)?.services ?? [];
    const file = service?.shield?.bundle?.files.find(({ path }) => path === PATH);
    expect(Buffer.from(file?.content ?? []).toString()).toBe(ONE);
    const { body } = await call('GET', item('www', '', '/nodes'));
    expect(body.items[0].wanted_digest).toBe(service?.shield?.bundle?.digest);
    const more = { bootstrap: 'boot', policies: ['www', 'other'] };
    const both = await call('POST', `/api/op/services?project=${t.project}`, {
      name: 'both',
      version: TEST_VERSION,
      ...more,
    });
    expect(ruleOf(both)).toBe('file.clash');
  });

  it('is in no answer for any role, and only encrypted in the database', async () => {
    for (const role of ['admin', 'editor', 'viewer'] as const) {
      const member = await t.createMember(role);
      for (const name of ['www', 'other', 'older']) {
        answers.push(await member.call('GET', item(name)));
        const history = await member.call('GET', item(name, '', '/revisions'));
        answers.push(history);
        for (const { revision } of history.body.items)
          answers.push(await member.call('GET', item(name, '', `/revisions/${revision}`)));
      }
      for (const part of SECRETS.flatMap((secret) => [secret, base64(secret)])) {
        answers.push(await member.call('GET', list(`&q=${encodeURIComponent(part)}`)));
        expect(answers.at(-1)?.body.items ?? []).toEqual([]);
      }
    }
    await call(
      'POST',
      list(),
      { name: 'kept', text: policy('kept'), files: [given(ONE)] },
      { 'idempotency-key': 'key-of-it-all' },
    );
    await call('GET', `/api/v3/audit?project=${t.project}`);
    await call('DELETE', item('kept', '&dry_run=true'));
    await call('DELETE', item('kept'));
    expectNone(JSON.stringify(answers), 'answers');
    const tables = await sql<{
      name: string;
    }>`select tablename as name from pg_tables where schemaname = 'public'`.execute(t.database.owner);
    expect(tables.rows.length).toBeGreaterThan(20);
    for (const { name } of tables.rows) {
      const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.table(name)} t`.execute(
        t.database.owner,
      );
      for (const { text } of rows) expectNone(text, name);
    }
  });
});

function expectNone(text: string, where: string): void {
  for (const secret of SECRETS) {
    const bytes = Buffer.from(secret);
    // The Base64 of a part differs with its offset within three bytes.
    const spellings = [0, 1, 2].map((skip) =>
      bytes
        .subarray(skip)
        .toString('base64')
        .replace(/.{0,4}=*$/, ''),
    );
    for (const spelling of [secret, bytes.toString('hex'), Buffer.from(base64(secret)).toString('hex'), ...spellings])
      expect(text.includes(spelling), `${where} holds ${spelling}`).toBe(false);
  }
}
