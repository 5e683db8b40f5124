import { TEST_ENVOY_CACHE_DIR, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, createTestController, type TestController } from '../../../testing/controller.ts';
import { fullResource, openDocument } from './index.ts';
import { findDocument } from './store.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;
const KEY_ONE = 'PRIVATE-KEY-ONE-8f3a';
const KEY_TWO = 'PRIVATE-KEY-TWO-77b1';

let t: TestController;
const answers: Answer[] = [];
beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
});
afterAll(() => t.close());

const list = `/api/v3/xds/secrets?project=`;
const item = (name: string) => `/api/v3/xds/secrets/${name}?project=${t.project}&version=${VERSION}`;
const certificate = (key?: unknown, chain = 'chain') => ({
  tls_certificate: { certificate_chain: { inline_string: chain }, ...(key !== undefined && { private_key: key }) },
});

async function call(...request: Parameters<TestController['owner']['call']>): Promise<Answer> {
  const answer = await t.owner.call(...request);
  answers.push(answer);
  return answer;
}

async function keyOf(name: string): Promise<string | undefined> {
  const row = await findDocument(
    t.database.db,
    { project: t.project, version: VERSION },
    { collection: 'secrets', name },
  );
  if (!row) return undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what is stored
  const full = fullResource(openDocument(t.controller.keyring, row)) as any;
  return full.tls_certificate.private_key?.inline_string;
}

describe('private values', () => {
  it('are omitted from every answer and listed by path', async () => {
    const made = await call('POST', `${list}${t.project}`, {
      name: 'www',
      version: VERSION,
      resource: certificate({ inline_string: KEY_ONE }),
    });
    expect(made.status).toBe(201);
    expect(made.body.resource).toEqual({ name: 'www', ...certificate() });
    expect(made.body.private).toEqual([
      { path: 'resource.tls_certificate.private_key', set: true, updated_at: expect.any(String) },
    ]);
    expect(await keyOf('www')).toBe(KEY_ONE);
  });

  it('do not become visible when the message around them changes', async () => {
    const named = (type: string, more: object = {}) => ({
      name: 'call',
      typed_config: { '@type': `type.googleapis.com/${type}`, ...more },
    });
    const settings = 'envoy.extensions.filters.http.ext_authz.v3.CheckSettings';
    const document = { version: VERSION, type: 'envoy.config.core.v3.TypedExtensionConfig' };
    const made = await call('POST', `/api/v3/xds/extensions?project=${t.project}`, {
      ...document,
      name: 'call',
      resource: named(settings, { context_extensions: { token: KEY_ONE } }),
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect(made.body.private).toHaveLength(1);
    const other = { resource: named('envoy.service.auth.v3.AttributeContext', { context_extensions: {} }) };
    const path = `/api/v3/xds/extensions/call?project=${t.project}&version=${VERSION}`;
    const patch = { resource: { typed_config: { '@type': other.resource.typed_config['@type'] } } };
    for (const [method, body] of [
      ['PUT', other],
      ['PATCH', patch],
    ] as const) {
      const tried = await call(method, `${path}&dry_run=true`, body);
      expect(tried.body.document.resource).toEqual(other.resource);
    }
    const put = await call('PUT', path, other);
    expect(put.body.resource).toEqual(other.resource);
    expect(put.body.private).toEqual([]);
  });

  it('are kept by a write without them, replaced by one with them, and deleted by null', async () => {
    const before = (await call('GET', item('www'))).body;
    const kept = await call('PUT', item('www'), { resource: certificate(undefined, 'renewed') });
    expect(kept.body.private).toEqual(before.private);
    expect(await keyOf('www')).toBe(KEY_ONE);
    await call('PATCH', item('www'), {
      resource: { tls_certificate: { certificate_chain: { inline_string: 'again' } } },
    });
    expect(await keyOf('www')).toBe(KEY_ONE);
    const replaced = await call('PUT', item('www'), { resource: certificate({ inline_string: KEY_TWO }) });
    expect(replaced.body.private[0].updated_at).not.toBe(before.private[0].updated_at);
    expect(await keyOf('www')).toBe(KEY_TWO);
    const restored = await call('POST', item('www').replace('?', '/restore?'), { revision: 1 });
    expect(restored.status).toBe(200);
    expect(await keyOf('www')).toBe(KEY_ONE);
    await call('PUT', item('www'), { resource: certificate(null) });
    expect(await keyOf('www')).toBeUndefined();
  });

  it('in lists are kept with the list, and dropped with a changed one', async () => {
    const keys = (...values: string[]) => ({
      session_ticket_keys: { keys: values.map((value) => ({ inline_string: value })) },
    });
    await call('POST', `${list}${t.project}`, { name: 'tickets', version: VERSION, resource: keys(KEY_ONE, KEY_TWO) });
    const read = (await call('GET', item('tickets'))).body;
    expect(read.private).toHaveLength(2);
    const kept = await call('PUT', item('tickets'), { resource: read.resource, labels: { a: 'b' } });
    expect(kept.body.private).toHaveLength(2);
    const other = await call('PUT', item('tickets'), { resource: keys(KEY_TWO) });
    expect(other.body.private).toHaveLength(1);
  });

  it('that only name a file are shown', async () => {
    const made = await call('POST', `${list}${t.project}`, {
      name: 'file',
      version: VERSION,
      resource: certificate({ filename: 'files/key.pem' }),
    });
    expect(made.body.resource.tls_certificate.private_key).toEqual({ filename: 'files/key.pem' });
    expect(made.body.private).toEqual([]);
  });

  it('appear in no diff, error, revision, list, apply, dry run or audit entry', async () => {
    await call('PUT', `${item('www')}&dry_run=true`, { resource: certificate({ inline_string: KEY_TWO }) });
    await call('PUT', item('www'), { resource: certificate({ inline_string: KEY_TWO }) });
    await call('PUT', item('www'), { resource: certificate({ inline_string: KEY_ONE, wrong: KEY_TWO }) });
    await call('PUT', item('www'), { resource: certificate({ inline_string: 7, inline_bytes: KEY_ONE }) });
    await call('PUT', item('www'), { resource: certificate(KEY_ONE) });
    await call('PUT', item('www'), { resource: certificate([KEY_ONE]) });
    await call('POST', `/api/v3/xds/apply`, {
      project: t.project,
      documents: [
        { collection: 'secrets', name: 'www', version: VERSION, resource: certificate({ inline_string: KEY_ONE }) },
      ],
    });
    await call('GET', `${list}${t.project}&resource=true`);
    await call('GET', item('www').replace('?', '/revisions?'));
    for (let revision = 1; revision < 8; revision += 1)
      await call('GET', item('www').replace('?', `/revisions/${revision}?`));
    await call('DELETE', `${item('www')}&dry_run=true`);
    await call('DELETE', item('www'));
    const text = JSON.stringify(answers);
    expect(text).not.toContain(KEY_ONE);
    expect(text).not.toContain(KEY_TWO);
  });

  it('are stored only encrypted', async () => {
    await call(
      'POST',
      `${list}${t.project}`,
      { name: 'sealed', version: VERSION, resource: certificate({ inline_string: KEY_ONE }) },
      { 'idempotency-key': 'a-key-of-12' },
    );
    const tables = await sql<{
      name: string;
    }>`select tablename as name from pg_tables where schemaname = 'public'`.execute(t.database.owner);
    for (const { name } of tables.rows) {
      const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.table(name)} t`.execute(
        t.database.owner,
      );
      for (const { text } of rows) {
        for (const key of [KEY_ONE, KEY_TWO]) {
          expect(text.includes(key), name).toBe(false);
          expect(text.includes(Buffer.from(key).toString('hex')), name).toBe(false);
          expect(text.includes(Buffer.from(key).toString('base64').replace(/=+$/, '')), name).toBe(false);
        }
      }
    }
  });
});
