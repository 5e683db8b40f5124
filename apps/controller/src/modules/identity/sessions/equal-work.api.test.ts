import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { TestController } from '../../../testing/controller.ts';

/** The cost parameters of every password check; the real work is still done. */
const works = vi.hoisted((): string[] => []);
vi.mock('node:crypto', async (importOriginal) => {
  const crypto = await importOriginal<typeof import('node:crypto')>();
  const argon2: typeof crypto.argon2 = (algorithm, of, done) => {
    works.push([algorithm, of.memory, of.passes, of.parallelism, of.tagLength].join(' '));
    crypto.argon2(algorithm, of, done);
  };
  return { ...crypto, argon2 };
});

let t: TestController;
beforeAll(async () => {
  // Earlier files may have loaded the controller with the unmocked module, and later ones need it again.
  vi.resetModules();
  const { createTestController } = await import('../../../testing/controller.ts');
  t = await createTestController();
});
afterAll(async () => {
  await t.close();
  vi.doUnmock('node:crypto');
  vi.resetModules();
});

/** A new address per attempt, so that no wait applies. */
let address = 0;
async function tryIn(username: string, password: string) {
  address += 1;
  works.length = 0;
  const answer = await t.app.inject({
    method: 'POST',
    url: '/auth/login',
    payload: { username, password },
    remoteAddress: `198.51.100.${address}`,
  });
  const { request_id: _, ...body } = answer.json();
  return { status: answer.statusCode, body, works: [...works] };
}

it('only the right password of an active account makes a difference, in the answer as well as in the work', async () => {
  const [member, off, directory] = [
    await t.createMember('viewer'),
    await t.createMember('viewer'),
    await t.createMember('viewer'),
  ];
  await t.owner.call('PATCH', `/api/v3/setting/users/${off.userId}`, { active: false });
  await t.database.db.updateTable('users').set({ password_hash: null }).where('id', '=', directory.userId).execute();
  const composed = 'žluťoučký kůň u řeky';
  for (const wrong of ['wrong', composed, composed.normalize('NFD')]) {
    const unknown = await tryIn('nobody-of-this-name', wrong);
    expect(unknown).toMatchObject({ status: 401, body: { code: 'auth.wrong_credentials' } });
    expect(unknown.works.length).toBeGreaterThan(0);
    for (const { username } of [member, off, directory]) expect(await tryIn(username, wrong)).toEqual(unknown);
  }
  const unknown = await tryIn('nobody-of-this-name', off.password);
  expect(await tryIn(off.username, off.password)).toEqual(unknown);
  expect(await tryIn(directory.username, directory.password)).toEqual(unknown);
  const right = await tryIn(member.username, member.password);
  expect([right.status, right.works]).toEqual([200, unknown.works]);
});
