import { Buffer } from 'node:buffer';
import { ZONES_MAX } from '@flotilla/contract';
import { createId, SIGNATURE_WINDOW_S, signRequest } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';
import { openEverything, rotateDataKey } from '../../operations/keys/testing/secrets.ts';
import { verifyZoneSignature } from './index.ts';

const BASE = '/api/v3/setting/zone-secrets';
const PARTS = { method: 'GET', target: '/dns/snapshot?zone=www.example', body: Buffer.alloc(0) };

let t: TestController;
let other: string;
let admin: TestCaller;
let stranger: TestCaller;
beforeAll(async () => {
  t = await createTestController();
  other = await t.createProject('other');
  admin = await t.createMember('admin');
  stranger = await t.createMember('admin', other);
});
afterAll(() => t.close());

const url = (rest = '', project = t.project) => `${BASE}${rest}?project=${project}`;
const make = async (zone: string, by = admin, project = t.project) => {
  const { status, body } = await by.call('POST', url('', project), { zone });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
};
type Key = { key_id: string; secret: string };
const sign = ({ key_id, secret }: Key, now = new Date(), parts = PARTS) =>
  signRequest(parts, { id: key_id, secret }, now);
/** Returns the signer, or the code of the refusal. */
const verify = (authorization: string | undefined, now = new Date(), parts = PARTS) =>
  verifyZoneSignature({ db: t.database.db, keyring: t.controller.keyring }, { ...parts, authorization }, now).catch(
    (error: { code: string }) => error.code,
  );

describe('the secrets of a zone', () => {
  it('are shown once, listed without their value, rotated with an overlap, and ended', async () => {
    const first = await make('www.example');
    expect(first).toMatchObject({ zone: 'www.example', project: t.project, secret: expect.stringMatching(/^fltz_/) });
    const second = (await admin.call('POST', url('/www.example/rotate'), {})).body;
    expect(second.secrets.map(({ key_id }: Key) => key_id)).toEqual([second.key_id, first.key_id]);
    expect(second.secrets[0].expires_at).toBeNull();
    const left = Date.parse(second.secrets[1].expires_at) - Date.now();
    expect(left).toBeGreaterThan(23 * 3_600_000);
    const listed = await admin.call('GET', url());
    const { secret: _, key_id: __, ...shown } = second;
    expect(listed.body).toEqual({ items: [shown], next_cursor: null });
    for (const { secret } of [first, second]) expect(JSON.stringify(listed.body)).not.toContain(secret);
    for (const key of [first, second])
      expect(await verify(sign(key))).toEqual({ zone: 'www.example', projectId: t.project, keyId: key.key_id });
    expect((await admin.call('POST', url('/www.example/rotate'), {})).body.code).toBe('token.overlap');

    const third = (await admin.call('POST', url('/www.example/rotate'), { overlap_s: 0 })).body;
    expect(await Promise.all([first, second].map((key) => verify(sign(key))))).toEqual([
      'auth.invalid',
      'auth.invalid',
    ]);
    expect(await verify(sign(third))).toMatchObject({ keyId: third.key_id });
    expect((await admin.call('DELETE', url('/www.example'))).status).toBe(204);
    expect(await verify(sign(third))).toBe('auth.invalid');
    expect((await admin.call('DELETE', url('/www.example'))).status).toBe(404);
  });

  it('end when the overlap of a rotation is over', async () => {
    const first = await make('over.example');
    await admin.call('POST', url('/over.example/rotate'), { overlap_s: 60 });
    const late = new Date(Date.now() + 61_000);
    expect(await verify(sign(first))).toMatchObject({ zone: 'over.example' });
    expect(await verify(sign(first, late), late)).toBe('auth.invalid');
  });

  it("are separate for two projects with a zone of the same name, which cannot see or end the other's", async () => {
    const ours = await make('both.example');
    const theirs = await make('both.example', stranger, other);
    expect(await verify(sign(ours))).toMatchObject({ projectId: t.project });
    expect(await verify(sign(theirs))).toMatchObject({ projectId: other });
    expect(await verify(sign({ key_id: theirs.key_id, secret: ours.secret }))).toBe('auth.invalid');
    const listed = await stranger.call('GET', url('', other));
    expect(listed.body.items.map(({ zone }: { zone: string }) => zone)).toEqual(['both.example']);
    for (const [method, path] of [
      ['GET', url()],
      ['POST', url('/both.example/rotate')],
      ['DELETE', url('/both.example')],
    ] as const)
      expect((await stranger.call(method, path)).body.code, path).toBe('project.forbidden');
    await make('only.example');
    expect((await stranger.call('POST', url('/only.example/rotate', other), {})).body.code).toBe('record.not_found');
    expect((await stranger.call('DELETE', url('/both.example', other))).status).toBe(204);
    expect(await verify(sign(ours))).toMatchObject({ projectId: t.project });
  });

  it('are for admins only, and not for tokens', async () => {
    const editor = await t.createMember('editor');
    for (const [method, path, body] of [
      ['GET', url()],
      ['POST', url(), { zone: 'x.example' }],
      ['DELETE', url('/both.example')],
    ] as const)
      expect((await editor.call(method, path, body)).body.code, path).toBe('role.forbidden');
    const token = await admin.call('POST', `/api/v3/setting/tokens?project=${t.project}`, {
      name: 'ci',
      role: 'admin',
    });
    const answer = await t.app.inject({
      method: 'POST',
      url: url('/both.example/rotate'),
      headers: { authorization: `Bearer ${token.body.token}` },
      payload: {},
    });
    expect(answer.json().code).toBe('auth.session_required');
  });

  it('need a DNS name as the zone, once per project, up to a limit', async () => {
    expect((await admin.call('POST', url(), { zone: 'both.example' })).body.code).toBe('record.exists');
    for (const zone of ['', 'WWW.example', 'a..b', 'a.', '-a.b', `${'a'.repeat(64)}.b`, 'a b', 'a/b', 'a\n'])
      expect((await admin.call('POST', url(), { zone })).status, zone).toBe(400);
    const { id: project } = (await t.owner.call('POST', '/api/v3/setting/projects', { name: 'zones' })).body;
    const zone = { project_id: project, kind: 'zone', created_at: new Date(), created_by: 'admin' } as const;
    const there = Array.from({ length: ZONES_MAX - 3 }, (_, n) => ({ ...zone, id: createId(), name: `there${n}` }));
    await t.database.db.insertInto('service_tokens').values(there).execute();
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, n) => t.owner.call('POST', url('', project), { zone: `z${n}` })),
    );
    expect(made.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(new Set(made.filter(({ status }) => status !== 201).map(({ body }) => body.code))).toEqual(
      new Set(['zone.too_many']),
    );
  });

  it('leave no trace of a dry run, which shows no secret', async () => {
    const tried = await admin.call('POST', `${url()}&dry_run=true`, { zone: 'dry.example' });
    expect(tried.body).toMatchObject({ dry_run: true, zone: 'dry.example' });
    expect(JSON.stringify(tried.body)).not.toMatch(/fltz_\w{10}/);
    expect((await admin.call('POST', url('/dry.example/rotate'), {})).status).toBe(404);
  });

  it('are encrypted for their own id, even after a rotation of the data key', async () => {
    const key = await make('sealed.example');
    const readEncrypted = () =>
      t.database.db.selectFrom('token_secrets').selectAll().where('token_kind', '=', 'zone').execute();
    const rows = await readEncrypted();
    for (const row of rows) expect(row.sealed_secret?.includes(key.secret.slice(5))).toBe(false);
    const newest = await rotateDataKey(t.owner);
    const counts = await openEverything(t.database.db, t.controller.keyring);
    expect(counts.get(newest)).toBeGreaterThanOrEqual(rows.length);
    expect(await verify(sign(key))).toMatchObject({ zone: 'sealed.example' });
    const moved = (await readEncrypted()).find(({ id }) => id !== key.key_id)?.sealed_secret ?? null;
    await t.database.owner
      .updateTable('token_secrets')
      .set({ sealed_secret: moved })
      .where('id', '=', key.key_id)
      .execute();
    await expect(
      verifyZoneSignature(
        { db: t.database.db, keyring: t.controller.keyring },
        { ...PARTS, authorization: sign(key) },
        new Date(),
      ),
    ).rejects.toThrow();
  });
});

describe('a request signed for a zone', () => {
  it('is refused in the same way for an unknown key, another secret, another request and a malformed signature', async () => {
    const key = await make('signed.example');
    const refused = [
      sign({ ...key, key_id: createId() }),
      sign({ ...key, secret: `${key.secret.slice(0, -1)}!` }),
      sign(key, new Date(), { ...PARTS, target: '/dns/changes?zone=www.example' }),
      sign(key, new Date(), { ...PARTS, method: 'POST' }),
      `Bearer ${key.secret}`,
      `${sign(key)} `,
    ];
    for (const authorization of refused) expect(await verify(authorization), authorization).toBe('auth.invalid');
    expect(await verify(undefined)).toBe('auth.missing');
  });

  it('is refused if it is too old or too far ahead, and only the holder of the secret learns about the clock', async () => {
    const key = await make('clock.example');
    const now = new Date();
    const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);
    for (const off of [-(SIGNATURE_WINDOW_S + 2), SIGNATURE_WINDOW_S + 2]) {
      expect(await verify(sign(key, at(off)), now)).toBe('signature.time');
      expect(await verify(sign({ ...key, secret: 'guessed' }, at(off)), now)).toBe('auth.invalid');
    }
    expect(await verify(sign(key, at(-(SIGNATURE_WINDOW_S - 2))), now)).toMatchObject({ keyId: key.key_id });
  });

  it('is refused with the secret of another kind of token', async () => {
    const { body } = await admin.call('POST', `/api/v3/setting/discovery-token/generate?project=${t.project}`, {});
    const row = await t.database.db
      .selectFrom('token_secrets')
      .select('id')
      .where('token_kind', '=', 'discovery')
      .executeTakeFirstOrThrow();
    expect(await verify(sign({ key_id: row.id, secret: body.token }))).toBe('auth.invalid');
  });
});
