import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { TEST_VERSION } from '../../../../testing/fleet.ts';
import { lockDocuments } from '../../../configuration/documents/index.ts';
import { BASE, digestTables, dryRun } from '../testing/restore.ts';
import { stageProjects } from '../testing/stage.ts';

const here = stageProjects({ documents: true });
const WITHIN = { timeout: 20_000, interval: 20 };
const preview = (backup: string) => dryRun(here.owner, here.query, { backup });

it('a backup with more than is held is refused before anything is written, however small its file is', async () => {
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

it('of many dry runs at once one is held in memory: of its project two wait, of others as well', async () => {
  const { id } = await here.makeBackup({});
  const { far } = await here.createFar();
  const theirs = await here.carry(id, far);
  let asked: ReturnType<typeof preview>[] = [];
  let other: ReturnType<typeof preview> | undefined;
  const ended: string[] = [];
  await here.t.database.db.transaction().execute(async (tx) => {
    await lockDocuments(tx, { project: here.project, version: TEST_VERSION });
    asked = Array.from({ length: 12 }, () => preview(id));
    for (const one of asked) void one.then(({ body }) => ended.push(body.code));
    await vi.waitFor(() => expect(ended).toEqual(Array(9).fill('backup.busy')), WITHIN);
    await vi.waitFor(async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`.execute(
        here.t.database.owner,
      );
      expect(rows).toHaveLength(1);
    }, WITHIN);
    expect(ended).toHaveLength(9);
    other = dryRun(here.owner, far, { backup: theirs });
  });
  // The one that had its turn; two others may have waited for too long on a slow machine.
  const answers = await Promise.all(asked);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  expect((await other)?.status).toBe(200);
});
