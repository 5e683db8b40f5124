import { addDocuments, createTestFleet, TEST_VERSION, type TestFleet } from '@flotilla/controller/testing/fleet';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

let t: TestFleet;
let terminal: TestTerminal;

beforeAll(async () => {
  t = await createTestFleet();
  terminal = await openOwnersTerminal(t);
});
afterAll(async () => {
  await terminal?.close();
  await t?.close();
});

it('a clean-up is previewed, applied and undone, but blocked while a listener has the version', async () => {
  const project = await t.createProject('old');
  const cleanUp = (...command: string[]) => terminal.run(['cleanup', ...command, '--project', 'old']);
  const preview = (...more: string[]) => cleanUp('preview', TEST_VERSION, ...more);
  const apply = (digest: string, ...more: string[]) => cleanUp('apply', TEST_VERSION, '--digest', digest, ...more);
  expect((await preview()).out).toContain(`There is nothing of ${TEST_VERSION} to delete.`);
  for (const name of ['one', 'two']) {
    const body = { name, version: TEST_VERSION, resource: { type: 'STATIC' } };
    expect((await t.owner.call('POST', `/api/v3/xds/clusters?project=${project}`, body)).status).toBe(201);
  }
  const shown = await preview();
  expect([shown.code, shown.out]).toEqual([EXIT.ok, expect.stringContaining('deletes 2 clusters: one, two')]);
  expect(JSON.parse((await preview('--mode', 'default-only', '--json')).out)).toMatchObject({ total: 0 });
  expect((await apply('0'.repeat(64))).code).toBe(EXIT.conflict);
  const { digest } = JSON.parse((await preview('--json')).out);
  expect(shown.out).toContain(digest);
  const done = JSON.parse((await apply(digest, '--json')).out);
  expect(done).toMatchObject({ total: 2, deleted_counts: { clusters: 2 } });
  expect((await preview()).out).toContain('nothing');
  expect((await cleanUp('list')).out).toContain(done.clean_up);
  const back = await cleanUp('undo', done.clean_up);
  expect([back.code, back.out]).toEqual([EXIT.ok, expect.stringContaining('2 documents')]);
  expect((await cleanUp('undo', done.clean_up)).code).toBe(EXIT.notFound);
  const again = JSON.parse((await apply(JSON.parse((await preview('--json')).out).digest, '--json')).out);
  expect((await cleanUp('purge', again.clean_up)).code).toBe(EXIT.ok);
  await t.owner.call('POST', `/api/v3/xds/clusters?project=${project}`, {
    name: 'alone',
    version: TEST_VERSION,
    resource: { type: 'STATIC' },
  });
  const single = await apply(JSON.parse((await preview('--json')).out).digest);
  expect(single.out).toContain('Deleted: 1 document.');
  expect((await cleanUp('purge', single.out.trim().split(' ').at(-1) ?? '')).code).toBe(EXIT.ok);
  expect(JSON.parse((await cleanUp('list', '--json')).out)).toEqual({ items: [] });
  await addDocuments(t, project);
  const held = await preview();
  expect([held.code, held.out]).toEqual([EXIT.conflict, expect.stringContaining('blocked by: web (listeners)')]);
  const { digest: blocked } = JSON.parse((await preview('--json')).out);
  expect((await apply(blocked)).code).toBe(EXIT.conflict);
  expect((await preview('--mode', 'some')).code).toBe(EXIT.usage);
});
