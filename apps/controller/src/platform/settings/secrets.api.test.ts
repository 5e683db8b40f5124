import { Buffer } from 'node:buffer';
import { SETTINGS, type SettingsType, secretPathsOf } from '@flotilla/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fingerprintOf, readBackup, readHeader } from '../../modules/operations/backup/format/index.ts';
import { fetchFile, makeBackup } from '../../modules/operations/backup/testing/restore.ts';
import { type Answer, createTestController, type TestController } from '../../testing/controller.ts';

/** Every secret of every kind of settings, derived from the schemas: no output of the controller contains one. */
const BASE = '/api/v3/setting/documents';

/** Required members besides the secrets. None of these hosts is contacted. */
const BODIES: Readonly<Record<string, Record<string, unknown>>> = {
  cloud: { auth: { auth_url: 'https://127.0.0.1:1/v3', application_credential_id: 'abc' }, region_name: 'n' },
  oidc: { title: 'Provider', issuer: 'https://127.0.0.1:1', client_id: 'flotilla' },
  syslog: { host: '127.0.0.1', port: 1, connect_timeout_ms: 1000 },
  webhook: { url: 'https://127.0.0.1:1/hook' },
};

interface Place {
  readonly type: SettingsType;
  readonly path: string;
  readonly url: string;
  readonly secret: string;
}

let t: TestController;
let places: readonly Place[];
beforeAll(async () => {
  t = await createTestController();
  places = SETTINGS.flatMap((type) =>
    secretPathsOf(type.schema).map((path) => ({
      type,
      path,
      url: `${BASE}/${type.key}${type.named ? '/main' : ''}${type.scope === 'project' ? `?project=${t.project}` : ''}`,
      secret: `Zq8-${type.key}-${path}-"3141592653"`,
    })),
  );
});
afterAll(() => t.close());

function put(body: Record<string, unknown>, path: string, value: unknown): Record<string, unknown> {
  const [name = '', ...rest] = path.split('.');
  const inner = (body[name] ?? {}) as Record<string, unknown>;
  return { ...body, [name]: rest.length === 0 ? value : put(inner, rest.join('.'), value) };
}

/** The document with all of its secrets; `change` replaces each of them. */
const bodyOf = ({ type }: Place, change = (secret: string): unknown => secret) =>
  places
    .filter((one) => one.type === type)
    .reduce((body, { path, secret }) => put(body, path, change(secret)), BODIES[type.key] ?? {});

const leaksIn = (text: string) =>
  places.filter(({ secret }) =>
    [secret, JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString('base64').replace(/=*$/, '')].some(
      (form) => text.includes(form),
    ),
  );
const textOf = ({ body, headers }: Answer) =>
  `${typeof body === 'string' ? body : JSON.stringify(body)} ${JSON.stringify(headers)}`;

function expectSilence(what: string, ...texts: readonly string[]): void {
  const leaks = texts.flatMap((text) => leaksIn(text)).map(({ type, path }) => `${type.key} ${path}`);
  expect([what, [...new Set(leaks)]]).toEqual([what, []]);
}

const withQuery = (url: string, query: string) => `${url}${url.includes('?') ? '&' : '?'}${query}`;

it('a leaked secret would be found in any of its encodings', () => {
  expect(places.length).toBeGreaterThan(6);
  for (const { secret } of places) {
    expect(leaksIn(`x${JSON.stringify({ secret })}`)).toHaveLength(1);
    expect(leaksIn(Buffer.from(secret).toString('base64'))).toHaveLength(1);
  }
});

describe('every secret of every kind of settings', () => {
  it('is in no answer: written, tried, read, listed, stale, refused, tested, in its history', async () => {
    const answers: Answer[] = [];
    for (const place of places) {
      const { url, type } = place;
      const call = async (method: string, at: string, body?: unknown, headers?: Record<string, string>) => {
        const answer = await t.owner.call(method, at, body, headers);
        answers.push(answer);
        return answer.status;
      };
      expect([200, 201], type.key).toContain(await call('PUT', url, bodyOf(place)));
      expect(await call('PUT', withQuery(url, 'dry_run=true'), bodyOf(place))).toBe(200);
      expect(await call('PATCH', url, put({}, place.path, place.secret))).toBe(200);
      expect(await call('GET', url)).toBe(200);
      expect(await call('GET', url.replace('/documents/', '/revisions/'))).toBe(200);
      expect(await call('PUT', url, bodyOf(place), { 'if-match': '"999999"' })).toBe(412);
      expect(await call('PUT', url, { ...bodyOf(place), surprise: place.secret })).toBe(400);
      expect(
        await call(
          'PUT',
          url,
          bodyOf(place, (secret) => [secret]),
        ),
      ).toBe(400);
      expect(
        await call(
          'PUT',
          url,
          bodyOf(place, (secret) => ({ [secret]: secret })),
        ),
      ).toBe(400);
      expect([200, 404, 409]).toContain(await call('POST', url.replace(/(\?|$)/, '/test$1'), bodyOf(place)));
    }
    await Promise.all(
      [BASE, `${BASE}?project=${t.project}`, `/api/v3/setting/clouds?project=${t.project}`, '/api/openapi.json'].map(
        async (url) => answers.push(await t.owner.call('GET', url)),
      ),
    );
    expectSilence('answers', ...answers.map(textOf));
  }, 120_000);

  it('is required again without a hint if its destination changes', async () => {
    const elsewhere: Readonly<Record<string, unknown>> = {
      host: 'localhost',
      servers: [{ url: 'ldaps://127.0.0.1:2' }],
    };
    for (const place of places.filter(({ type }) => type.sentTo)) {
      const [field = ''] = place.type.sentTo ?? [];
      const moved = put(BODIES[place.type.key] ?? {}, field, elsewhere[field] ?? 'https://127.0.0.1:2');
      const answer = await t.owner.call('PUT', place.url, moved);
      expect([place.type.key, answer.body.code]).toEqual([place.type.key, 'setting.secrets_again']);
      expectSilence(place.type.key, textOf(answer));
    }
  });

  it('is shown with a placeholder of constant length', async () => {
    for (const place of places.filter(({ type }) => type.named === undefined || BODIES[type.key])) {
      const lengths = new Set<number>();
      for (const secret of ['x', 'x'.repeat(200)]) {
        const { body } = await t.owner.call(
          'PUT',
          place.url,
          bodyOf(place, () => secret),
        );
        expect(body.private.map((one: object) => Object.keys(one).toSorted())).toEqual(
          body.private.map(() => ['path', 'set', 'updated_at']),
        );
        lengths.add(JSON.stringify({ ...body, revision: 0 }).length);
      }
      expect([place.type.key, lengths.size]).toEqual([place.type.key, 1]);
      await t.owner.call('PUT', place.url, bodyOf(place));
    }
  });

  it('is in no audit entry or export, and in no backup without secrets', async () => {
    const exported = await Promise.all(
      ['ndjson', 'csv'].map(async (format) => {
        const url = `/api/v3/audit/export?format=${format}`;
        return t.app.inject({ url, headers: { authorization: `Bearer ${t.owner.token}` } });
      }),
    );
    for (const { statusCode, body } of exported) {
      expect([statusCode, body.length > 1000]).toEqual([200, true]);
      expectSilence('exports', body);
    }
    for (const query of ['', `?project=${t.project}`]) {
      const { id } = await makeBackup(t.owner, query, { secret_free: true });
      const file = await fetchFile(t, t.owner, query, id);
      const { public_key } = await readHeader(chunks(file));
      const rows: string[] = [];
      await readBackup(chunks(file), {
        trusted: new Set([fingerprintOf(Buffer.from(public_key, 'base64'))]),
        onRow: async (_section, row) => void rows.push(JSON.stringify(row)),
      });
      expect(rows.length).toBeGreaterThan(0);
      if (query === '') expect(rows.some((row) => row.includes('127.0.0.1'))).toBe(true);
      expectSilence('a backup', ...rows);
    }
  }, 120_000);

  it('is in no table except in encrypted form', async () => {
    const stored = await Promise.all(
      (['settings', 'setting_revisions', 'outbox', 'audit_log', 'jobs'] as const).map((table) =>
        t.database.owner.selectFrom(table).selectAll().execute(),
      ),
    );
    const fields = stored.flat().flatMap((row) => Object.values(row));
    expect(fields.some((field) => Buffer.isBuffer(field))).toBe(true);
    // Converts bytes to text: JSON would write them as numbers, in which no secret is found.
    expectSilence('tables', JSON.stringify(stored), ...fields.map(toBytesText));
  });
});

const toBytesText = (field: unknown) => (Buffer.isBuffer(field) ? field.toString('latin1') : '');

async function* chunks(file: Buffer): AsyncGenerator<Buffer> {
  yield file;
}
