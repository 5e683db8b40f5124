import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { TEST_VERSION } from '../../../../testing/fleet.ts';
import { lockDocuments } from '../../../configuration/documents/index.ts';
import { BASE, digestTables, dryRun } from '../testing/restore.ts';
import { stageProjects } from '../testing/stage.ts';

const here = stageProjects({ documents: true });
const WITHIN = { interval: 20 };
const preview = (backup: string) => dryRun(here.owner, here.query, { backup });

it('a bundle that is too large for memory is refused before anything is written, even if its file is small', async () => {
  const text = 'x'.repeat(1024 * 1024);
  const rows = Array.from({ length: 257 }, () => ({ id: createId(), text }));
  const backup = await here.forge({ policies: rows });
  const { body: view } = await here.owner.call('GET', `${BASE}/backups/${backup}${here.query}`);
  expect(view.bytes).toBeLessThan(4 * 1024 * 1024);
  const before = await digestTables(here.t.database.owner);
  for (const answer of [
    await preview(backup),
    await here.owner.call('POST', `${BASE}/backup/import${here.query}`, { backup }),
  ])
    expect([answer.status, answer.body.code]).toEqual([400, 'backup.too_large']);
  expect(await digestTables(here.t.database.owner)).toEqual(before);
});

it('of many simultaneous dry runs one holds its bundle in memory, two more of its project wait, and another project can still wait', async () => {
  const { id } = await here.makeBackup({});
  const { otherQuery } = await here.createOther();
  const theirs = await here.carry(id, otherQuery);
  let previews: ReturnType<typeof preview>[] = [];
  let other: ReturnType<typeof preview> | undefined;
  const ended: string[] = [];
  await here.t.database.db.transaction().execute(async (tx) => {
    await lockDocuments(tx, { project: here.project, version: TEST_VERSION });
    previews = Array.from({ length: 12 }, () => preview(id));
    for (const one of previews) void one.then(({ body }) => ended.push(body.code));
    await vi.waitFor(() => expect(ended).toEqual(Array(9).fill('backup.busy')), WITHIN);
    await vi.waitFor(async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`.execute(
        here.t.database.owner,
      );
      expect(rows).toHaveLength(1);
    }, WITHIN);
    expect(ended).toHaveLength(9);
    other = dryRun(here.owner, otherQuery, { backup: theirs });
  });
  // Only the first is certain to succeed: on a slow machine, the other two may have waited too long.
  const answers = await Promise.all(previews);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  expect((await other)?.status).toBe(200);
});
