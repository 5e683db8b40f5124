import { randomBytes } from 'node:crypto';
import { createId, createSilentLogger, systemClock } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createControllerDatabase } from '../../testing/database.ts';
import { DenialBuffer, type DenialBufferDeps } from './denial-buffer.ts';
import type { AuditEntry } from './entry.ts';

let database: TestDatabase;
let buffer: DenialBuffer;
beforeEach(async () => {
  database = await createControllerDatabase();
  buffer = open();
});
afterEach(async () => {
  await buffer.close();
  await database.close();
});

function open(deps: Partial<DenialBufferDeps> = {}): DenialBuffer {
  return new DenialBuffer({ db: database.db, logger: createSilentLogger(), clock: systemClock, ...deps });
}

function denial(projectId: string | undefined, name = 'anna'): AuditEntry {
  return {
    at: new Date(),
    actor: { kind: 'anonymous' },
    actorRole: undefined,
    projectId,
    action: 'session.login',
    outcome: 'denied',
    status: 401,
    errorCode: 'auth.wrong_credentials',
    subject: { type: 'user', name },
  };
}

const rows = () => database.db.selectFrom('audit_log').selectAll().orderBy('id').execute();

it('denials are written without waiting', async () => {
  for (let i = 0; i < 1200; i += 1) buffer.record(denial(undefined, `n${i}`));
  await vi.waitFor(async () => expect(await rows()).toHaveLength(1200));
  expect((await rows()).map(({ resource_name: name }) => name)).toContain('n1199');
});

it('denials that do not fit are counted with their time and reasons, per project', async () => {
  const [a, b] = [createId(), createId()];
  const small = open({ waitingMax: 10 });
  for (let i = 0; i < 10; i += 1) small.record(denial(a));
  for (let i = 0; i < 500; i += 1) small.record(denial(a));
  for (let i = 0; i < 7; i += 1) small.record(denial(b));
  small.omit({ at: new Date(), projectId: b, code: 'request.too_many' });
  await small.close();
  const gaps = (await rows()).filter(({ action }) => action === 'audit.gap');
  gaps.sort((left) => (left.project_id === a ? -1 : 1));
  expect(gaps.map(({ project_id: id, actor_kind: kind, changes }) => [id, kind, changes])).toEqual([
    [a, 'system', expect.objectContaining({ dropped: 500, by_code: { 'auth.wrong_credentials': 500 } })],
    [
      b,
      'system',
      expect.objectContaining({ dropped: 8, by_code: { 'auth.wrong_credentials': 7, 'request.too_many': 1 } }),
    ],
  ]);
  expect((await rows()).length - gaps.length).toBe(10);
});

it('a continuing flood is recorded once a second, and each denial counts once', async () => {
  let ms = 0;
  const clock = { now: () => Date.now(), monotonic: () => ms };
  const small = open({ waitingMax: 1, clock });
  const flood = async (count: number) => {
    for (let i = 0; i < count; i += 1) small.omit({ at: new Date(), projectId: undefined, code: 'request.too_many' });
    small.record(denial(undefined));
    await small.flush();
  };
  const dropped = async () =>
    (await rows())
      .filter(({ action }) => action === 'audit.gap')
      .map(({ changes }) => (changes as { dropped: number }).dropped);
  await flood(5);
  await flood(3);
  expect(await dropped()).toEqual([]);
  ms += 1000;
  await flood(2);
  expect(await dropped()).toEqual([10]);
  await flood(4);
  expect(await dropped()).toEqual([10]);
  await small.close();
  expect(await dropped()).toEqual([10, 4]);
});

it('denials are kept while the database is unreachable, and each is written once when it is back', async () => {
  await database.owner.schema.alterTable('audit_log').renameTo('audit_away').execute();
  for (let i = 0; i < 3; i += 1) buffer.record(denial(undefined, `n${i}`));
  await buffer.flush();
  await database.owner.schema.alterTable('audit_away').renameTo('audit_log').execute();
  await buffer.flush();
  expect((await rows()).map(({ resource_name: name }) => name).toSorted()).toEqual(['n0', 'n1', 'n2']);
});

it.each([
  ['an octet that no text has', { type: 'user', name: 'nul \u0000 in it' }],
  ['an id that no index takes', { type: 'user', id: randomBytes(20_000).toString('hex') }],
])('denials are not blocked by one that no database can store: %s', async (_, subject) => {
  const project = createId();
  buffer.record(denial(undefined, 'before'));
  buffer.record({ ...denial(undefined), subject: { ...subject, projectId: project } });
  buffer.record(denial(undefined, 'after'));
  await buffer.close();
  const entries = (await rows()).map(({ action, resource_name: name, project_id: id }) => [action, name, id]);
  expect(entries.toSorted()).toEqual([
    ['audit.gap', null, project],
    ['session.login', 'after', null],
    ['session.login', 'before', null],
  ]);
});
