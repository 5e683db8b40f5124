import { Buffer } from 'node:buffer';
import { SETTINGS, secretPathsOf } from '@flotilla/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { turnFactorOn } from '../../modules/identity/second-factor/testing/factor.ts';
import { createTestController, type TestCaller, type TestController } from '../../testing/controller.ts';

const SECRET = 'Zq8-hush-hush-"quoted"-3141592653';
const BASE = '/api/v3/setting/documents';
const AUTH = { auth_url: 'https://keystone.example:5000/v3', application_credential_id: 'abc' };
const CLOUD = { auth: { ...AUTH, application_credential_secret: SECRET }, region_name: 'north' };

/** A value other than the defaults for each kind; a kind without one fails the table test. */
const CHANGES: Record<string, Record<string, unknown>> = {
  general: { name: 'Test fleet' },
  syslog: { enabled: true, host: 'log.example' },
  webhook: { enabled: true, url: 'https://hook.example/x' },
  api_discovery: { policy: { raw_sample_rate: 0.5 } },
  smtp: { host: 'mail.example' },
  ai: { model: 'm1' },
  cloud: { ...CLOUD, interface: 'internal' },
  ldap: { base_dn: 'dc=example,dc=org' },
  oidc: { title: 'Corp', issuer: 'https://accounts.example', client_id: 'flotilla' },
  sign_in: { password_min_length: 14 },
  otp: { otp_enforced: true },
  tokens: { longest_days: 90 },
  audit: { retention_days: 30 },
  archive: { archive_url: 'https://releases.example/envoy' },
  outgoing: { allowed_networks: ['10.20.0.0/16'] },
};

let t: TestController;
let other: string;
let admin: TestCaller;
let stranger: TestCaller;
beforeAll(async () => {
  t = await createTestController();
  other = await t.createProject('other');
  admin = await t.createMember('admin');
  stranger = await t.createMember('admin', other);
  // One of the settings requires a second factor from the project's members.
  for (const caller of [t.owner, admin]) await turnFactorOn(caller);
});
afterAll(() => t.close());

const addressOf = (key: string, project = t.project) => {
  const type = SETTINGS.find((one) => one.key === key);
  return `${BASE}/${key}${type?.named ? '/main' : ''}${type?.scope === 'project' ? `?project=${project}` : ''}`;
};

function withSecret(body: Record<string, unknown>, path: string, secret: string | null): Record<string, unknown> {
  const [name = '', ...rest] = path.split('.');
  const inner = (body[name] ?? {}) as Record<string, unknown>;
  return { ...body, [name]: rest.length === 0 ? secret : withSecret(inner, rest.join('.'), secret) };
}

describe.each(SETTINGS.map((type) => [type.key, type] as const))('settings of %s', (key, type) => {
  const body = CHANGES[key] ?? {};

  it('can be written, read back and protected by their revision', async () => {
    const before = await t.owner.call('GET', addressOf(key));
    expect(before.status).toBe(type.named ? 404 : 200);
    const written = await t.owner.call('PUT', addressOf(key), body, { 'if-match': '"0"' });
    expect(written).toMatchObject({ status: type.named ? 201 : 200, body: { key, revision: 1 } });
    expect(written.headers.etag).toMatch(/^"1\.[\da-f]{12}"$/);
    const read = await t.owner.call('GET', addressOf(key));
    expect(read.body).toEqual(written.body);
    expect(read.body.value).not.toEqual(before.body.value);
    const again = await t.owner.call('PUT', addressOf(key), read.body.value, { 'if-match': '"1"' });
    expect(again).toMatchObject({ status: 200, body: read.body });
    const stale = await t.owner.call('PUT', addressOf(key), body, { 'if-match': '"0"' });
    expect(stale.body.code).toBe('record.stale');
    const unknown = await t.owner.call('PUT', addressOf(key), { ...body, surprise: 1 });
    expect(unknown).toMatchObject({ status: 400, body: { code: 'request.invalid', details: [{ path: 'surprise' }] } });
  });

  it('never return their secrets: set, omitted, deleted', async () => {
    const paths = secretPathsOf(type.schema);
    const audited = async () => JSON.stringify(await t.database.db.selectFrom('audit_log').selectAll().execute());
    for (const path of paths) {
      const set = await t.owner.call('PUT', addressOf(key), withSecret(body, path, SECRET));
      expect(set.body.private).toContainEqual(expect.objectContaining({ path, set: true }));
      const kept = await t.owner.call('PUT', addressOf(key), set.body.value);
      expect(kept.body.private).toEqual(set.body.private);
      const short = await t.owner.call('PUT', addressOf(key), withSecret(body, path, 'x'));
      expect(Object.keys(short.body.private[0])).toEqual(Object.keys(set.body.private[0]));
      await t.owner.call('PUT', addressOf(key), withSecret(body, path, SECRET));
      const history = await t.owner.call('GET', addressOf(key).replace('/documents/', '/revisions/'));
      expect(history.body.items.length).toBeGreaterThan(3);
      const stored = JSON.stringify([
        await t.database.db.selectFrom('settings').selectAll().execute(),
        await t.database.db.selectFrom('setting_revisions').selectAll().execute(),
        await t.database.db.selectFrom('outbox').selectAll().execute(),
      ]);
      for (const place of [set, kept, short, history]
        .map((answer) => JSON.stringify(answer))
        .concat(stored, await audited())) {
        expect(place).not.toContain('Zq8-hush');
        expect(place).not.toContain(Buffer.from('Zq8-hush-hush').toString('base64').slice(0, 16));
      }
      const cleared = await t.owner.call('PUT', addressOf(key), withSecret(body, path, null));
      if (type.wanted?.(body).includes(path))
        expect(cleared.body).toMatchObject({ code: 'request.invalid', details: [{ path }] });
      else expect(cleared.body.private).not.toContainEqual(expect.objectContaining({ path }));
    }
  });

  it('are inaccessible to everybody else', async () => {
    const [read, write] = [await admin.call('GET', addressOf(key)), await stranger.call('PUT', addressOf(key), body)];
    if (type.scope === 'project') {
      expect(read.status).toBe(200);
      expect(write.body.code).toBe('project.forbidden');
      expect((await stranger.call('GET', addressOf(key))).body.code).toBe('project.forbidden');
      const own = await stranger.call('GET', addressOf(key, other));
      expect(own.status === 404 || own.body.revision === 0).toBe(true);
    } else {
      expect(read.body.code).toBe('project.missing');
      if (type.perProject) return;
      const seen = await admin.call('GET', `${addressOf(key)}?project=${t.project}`);
      expect(seen).toMatchObject(type.ownersOnly ? { status: 403, body: { code: 'owner.required' } } : { status: 200 });
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const refused = await admin.call(
          method,
          `${addressOf(key)}?project=${t.project}`,
          method === 'DELETE' ? undefined : body,
        );
        expect(refused.body.code, method).toBe('owner.required');
      }
      const inProject = await t.owner.call('PUT', `${addressOf(key)}?project=${t.project}`, body);
      expect(inProject.body.code).toBe('setting.of_installation');
    }
  });

  it('can be patched, tried without a trace, and reset', async () => {
    const now = await t.owner.call('GET', addressOf(key));
    const tried = await t.owner.call(
      'PUT',
      `${addressOf(key)}${addressOf(key).includes('?') ? '&' : '?'}dry_run=true`,
      body,
    );
    expect(tried.body).toMatchObject({ dry_run: true, key });
    expect((await t.owner.call('GET', addressOf(key))).body).toEqual(now.body);
    expect((await t.owner.call('PATCH', addressOf(key), {})).body).toEqual(now.body);
    expect((await t.owner.call('DELETE', addressOf(key))).status).toBe(204);
    const after = await t.owner.call('GET', addressOf(key));
    if (type.named) expect(after.status).toBe(404);
    else expect(after.body).toMatchObject({ private: [], revision: now.body.revision + 1 });
  });
});

describe('secrets of settings', () => {
  it('are not sent to a changed address without being sent again', async () => {
    const at = addressOf('cloud').replace('main', 'moved');
    expect((await admin.call('PUT', at, CLOUD)).status).toBe(201);
    const elsewhere = { ...AUTH, auth_url: 'https://evil.example/v3' };
    for (const answer of [
      await admin.call('PUT', at, { ...CLOUD, auth: elsewhere }),
      await admin.call('PATCH', at, { auth: { auth_url: elsewhere.auth_url } }),
    ]) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'setting.secrets_again' } });
    }
    const given = await admin.call('PATCH', at, { auth: { ...elsewhere, application_credential_secret: 'new' } });
    expect(given.body.value.auth.auth_url).toBe(elsewhere.auth_url);
  });

  it('cannot be decrypted in another document of the same kind', async () => {
    await admin.call('PUT', addressOf('cloud').replace('main', 'a'), CLOUD);
    const mine = `${BASE}/cloud/b?project=${other}`;
    await stranger.call('PUT', mine, { ...CLOUD, auth: { ...CLOUD.auth, application_credential_secret: 'mine' } });
    const { sealed } = await t.database.db
      .selectFrom('settings')
      .select('sealed')
      .where('project_id', '=', t.project)
      .where('name', '=', 'a')
      .executeTakeFirstOrThrow();
    await t.database.db
      .updateTable('settings')
      .set({ sealed })
      .where('project_id', '=', other)
      .where('name', '=', 'b')
      .execute();
    expect((await stranger.call('PUT', mine, CLOUD)).status).toBe(500);
  });
});

describe('cloud settings', () => {
  const at = (name: string, project = t.project) => `/api/v3/setting/clouds/${name}?project=${project}`;

  it('with the same name in two projects are independent', async () => {
    expect((await admin.call('POST', at('os'), CLOUD)).status).toBe(201);
    expect((await stranger.call('GET', at('os', other))).status).toBe(404);
    expect((await stranger.call('PUT', at('os', other), CLOUD)).body.code).toBe('record.not_found');
    expect((await stranger.call('POST', at('os', other), { ...CLOUD, region_name: 'south' })).status).toBe(201);
    expect((await admin.call('POST', at('os'), CLOUD)).body.code).toBe('record.exists');
    expect((await admin.call('GET', at('os'))).body.value.region_name).toBe('north');
    expect((await stranger.call('DELETE', at('os', other))).status).toBe(204);
    expect((await admin.call('GET', at('os'))).status).toBe(200);
    const kinds = await stranger.call('GET', `${BASE}?project=${other}`);
    const names = kinds.body.items.flatMap((kind: { names: string[] }) => kind.names);
    expect(names).not.toContain('os');
    expect(names).not.toContain('a');
    const listed = await stranger.call('GET', `/api/v3/setting/clouds?project=${other}`);
    expect(listed.body.items.map((cloud: { project: string }) => cloud.project)).toEqual([other]);
  });

  it('have no reserved names and need their secret', async () => {
    expect((await admin.call('POST', at('Default'), CLOUD)).body.code).toBe('request.invalid');
    expect((await admin.call('PUT', `${BASE}/cloud/root?project=${t.project}`, CLOUD)).status).toBe(404);
    const bare = await admin.call('POST', at('bare'), { ...CLOUD, auth: AUTH });
    expect(bare.body.details).toMatchObject([{ path: 'auth.application_credential_secret' }]);
  });
});

it('the settings of the collector are read, replaced and reset at their own address', async () => {
  const at = '/api/v3/setting/api_discovery';
  const put = await t.owner.call('PUT', at, { policy: { raw_sample_rate: 0.25 } });
  expect(put).toMatchObject({
    status: 200,
    body: { key: 'api_discovery', value: { policy: { raw_sample_rate: 0.25 } } },
  });
  expect((await t.owner.call('GET', at)).body).toEqual(put.body);
  expect((await t.owner.call('GET', addressOf('api_discovery'))).body).toEqual(put.body);
  expect((await t.owner.call('DELETE', at)).status).toBe(204);
  expect((await t.owner.call('GET', at)).body.value.policy.raw_sample_rate).not.toBe(0.25);
});

it('the list of settings has schemas, and says whether the caller may write them', async () => {
  const mine = await admin.call('GET', `${BASE}?project=${t.project}`);
  const general = mine.body.items.find((kind: { key: string }) => kind.key === 'general');
  expect(general).toMatchObject({ may_write: false, json_schema: { properties: { name: { type: 'string' } } } });
  const all = await t.owner.call('GET', BASE);
  expect(
    all.body.items.every(
      (kind: { scope: string; may_write: boolean }) => kind.scope === 'installation' && kind.may_write,
    ),
  ).toBe(true);
});

it('concurrent writers lose nothing: each gets a revision, and one wins for each If-Match', async () => {
  const { body } = await t.owner.call('GET', addressOf('general'));
  const race = (headers: Record<string, string>) =>
    Promise.all([1, 2, 3, 4].map((n) => t.owner.call('PATCH', addressOf('general'), { name: `n${n}` }, headers)));
  const won = (await race({ 'if-match': `"${body.revision}"` })).filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  const all = await race({});
  expect(new Set(all.map((answer) => answer.body.revision)).size).toBe(4);
});
