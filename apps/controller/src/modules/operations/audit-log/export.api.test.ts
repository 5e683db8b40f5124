import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';
import { openExport } from './export.ts';

const EXPORT = '/api/v3/audit/export';
let t: TestController;
let admin: TestCaller;
beforeAll(async () => {
  t = await createTestController();
  admin = await t.createMember('admin');
});
afterAll(() => t.close());
afterEach(() => {
  vi.useRealTimers();
});

/** Inserts entries of a project, one millisecond apart. */
async function fill(project: string, count: number, name = 'c_'): Promise<void> {
  await sql`
    insert into audit_log (id, at, actor_kind, actor_id, actor_name, project_id, action, resource_type, resource_name, outcome, status, changes)
    select gen_random_uuid(), '2026-02-01T00:00:00Z'::timestamptz + n * interval '1 ms', 'user', 'u', 'anna', ${project}::uuid,
      'document.replace', 'clusters', ${name} || n, 'done', 200, jsonb_build_object('n', n, 'text', repeat('x', 500))
    from generate_series(1, ${sql.lit(count)}) n`.execute(t.database.db);
}

it('an export contains every matching entry, newest first, as lines of JSON', async () => {
  const project = await t.createProject('lines');
  await fill(project, 2500);
  const answer = await t.owner.call('GET', `${EXPORT}?project=${project}&action=document.replace&q=C_1`);
  expect(answer.headers['content-type']).toContain('application/x-ndjson');
  const lines = (answer.body as string).trimEnd().split('\n');
  const listed = await t.owner.call('GET', `/api/v3/audit/logs?project=${project}&q=c_1&limit=1000`);
  expect(lines).toHaveLength(1 + 10 + 100 + 1000);
  expect(lines.slice(0, 1000).map((line) => JSON.parse(line))).toEqual(listed.body.items);
});

it('an export is itself recorded with its filters before its first line', async () => {
  const project = await t.createProject('exported');
  await t.owner.call('GET', `${EXPORT}?project=${project}&format=csv&user=anna`);
  const { items } = (await t.owner.call('GET', `/api/v3/audit/logs?project=${project}`)).body;
  expect(items).toMatchObject([
    { action: 'audit.export', outcome: 'done', changes: { format: 'csv', filter: { user: ['anna'] } } },
  ]);
});

it('an export as CSV contains no formula, and keeps quotes and line breaks in their cells', async () => {
  const project = await t.createProject('cells');
  for (const name of ['=HYPERLINK("http://x","y")', '+1', '-1+2', '@SUM(A1)', '\tx', 'a,b', 'two\r\nlines', 'say "it"'])
    await fill(project, 1, name);
  const { body, headers } = await t.owner.call(
    'GET',
    `${EXPORT}?project=${project}&format=csv&action=document.replace`,
  );
  expect(headers['content-type']).toContain('text/csv');
  expect(headers['content-disposition']).toMatch(/^attachment; filename="audit-[\d-]+\.csv"$/);
  const lines = body as string;
  for (const cell of [
    `"'=HYPERLINK(""http://x"",""y"")1"`,
    `'+11`,
    `'-1+21`,
    `'@SUM(A1)1`,
    `'\tx1`,
    '"a,b1"',
    '"two\r\nlines1"',
    '"say ""it""1"',
  ])
    expect(lines).toContain(`,clusters,,${cell},`);
  expect(lines).not.toMatch(/(?:^|,)"?[=+@]/m);
});

it('an export contains nothing of another project, even for a caller who names both', async () => {
  const [mine, foreign] = [t.project, await t.createProject('foreign')];
  await fill(mine, 3, 'same');
  await fill(foreign, 3, 'same');
  const stranger = await t.createMember('admin', foreign);
  const lines = String((await admin.call('GET', `${EXPORT}?project=${mine}`)).body);
  expect(lines).toContain('"same');
  expect(lines).not.toContain(foreign);
  for (const query of [`project=${foreign}`, `project=${mine}&project=${foreign}`, ''])
    expect((await admin.call('GET', `${EXPORT}?${query}`)).status).toBeGreaterThanOrEqual(400);
  expect((await stranger.call('GET', `${EXPORT}?project=${mine}`)).status).toBe(403);
  for (const role of ['viewer', 'editor'] as const) {
    const member = await t.createMember(role);
    expect((await member.call('GET', `${EXPORT}?project=${mine}`)).status).toBe(403);
  }
});

/** Opens an export on its own connection, which ends with the answer, without reading from it. */
function open(project: string): Promise<IncomingMessage> {
  const url = `${t.app.listeningOrigin}${EXPORT}?project=${project}`;
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { authorization: `Bearer ${t.owner.token}` } }, resolve).on('error', reject);
  });
}

it('an export is read from the database page by page as it is consumed', async () => {
  const project = await t.createProject('long');
  await fill(project, 20_000);
  await t.app.listen({ host: '127.0.0.1', port: 0 });
  const answer = await open(project);
  // Unread entries are still only in the database, so deleting them there affects the export.
  const { owner } = t.database;
  await owner.deleteFrom('audit_log').where('project_id', '=', project).where('resource_name', '!=', 'c_1').execute();
  const lines = (await text(answer)).split('\n');
  expect(lines.length).toBeLessThan(15_000);
  expect(lines.at(-2)).toContain('"c_1"');
});

it('only a few exports run at a time, and a reader that disconnects makes room', async () => {
  const project = await t.createProject('few');
  await fill(project, 20_000);
  const answers = await Promise.all(Array.from({ length: 4 }, () => open(project)));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
  const fifth = await open(project);
  expect([fifth.statusCode, JSON.parse(await text(fifth)).code]).toEqual([503, 'audit.exports_busy']);
  for (const answer of answers) answer.destroy();
  const status = async () => {
    const answer = await open(project);
    answer.destroy();
    return answer.statusCode;
  };
  await expect.poll(status).toBe(200);
});

it('an export ends if its reader stalls, so that it cannot occupy its place for ever', async () => {
  const project = await t.createProject('still');
  await fill(project, 5000);
  const body = openExport(t.database.db, { projectId: project }, 'ndjson', 50);
  const closed = new Promise((resolve) => body.once('error', resolve));
  // The first page arrives and is never consumed.
  body.once('readable', () => undefined);
  expect(await closed).toMatchObject({ message: 'the reader of an export stands still' });
  const read = await text(openExport(t.database.db, { projectId: project }, 'ndjson', 600_000));
  expect(read.split('\n')).toHaveLength(5001);
});

it('an export continues for a slow reader: the time limit applies to a piece of a page', async () => {
  const project = await t.createProject('slow');
  await fill(project, 1000);
  const stalledMs = 60_000;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const body = openExport(t.database.db, { projectId: project }, 'ndjson', stalledMs);
  const pieces: Buffer[] = [];
  body.once('end', () => pieces.push(Buffer.from('the end')));
  while (!body.readableEnded) {
    await Promise.race([once(body, 'readable'), once(body, 'end')]);
    vi.advanceTimersByTime(stalledMs - 1);
    const piece: Buffer | null = body.read(64 * 1024) ?? body.read();
    if (piece) pieces.push(piece);
  }
  const lines = Buffer.concat(pieces).toString().split('\n');
  expect([lines.length, lines.at(-1)]).toEqual([1001, 'the end']);
  expect(pieces.length).toBeGreaterThan(10);
});

it('an empty export ends without a line', async () => {
  const answer = await t.owner.call('GET', `${EXPORT}?project=${t.project}&user=${createId()}`);
  expect([answer.status, answer.body]).toEqual([200, '']);
});
