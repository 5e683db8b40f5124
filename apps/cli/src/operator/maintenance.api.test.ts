import { addDocuments, createTestFleet, TEST_VERSION, type TestFleet } from '@flotilla/controller/test-fleet';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { openOwnersTerminal, type TestTerminal } from './test-terminal.ts';

let t: TestFleet;
let terminal: TestTerminal;

beforeAll(async () => {
  t = await createTestFleet();
  const url = await t.app.listen({ host: '127.0.0.1', port: 0 });
  terminal = await openOwnersTerminal(t, url);
});
afterAll(async () => {
  await terminal?.close();
  await t?.close();
});

it('a version is looked at, deleted only with --yes, and never while a listener is of it', async () => {
  const project = await t.createProject('old');
  const cleanUp = (...more: string[]) =>
    terminal.run(['maintenance', 'cleanup', TEST_VERSION, '--project', 'old', ...more]);
  expect((await cleanUp()).out).toContain(`There is nothing of ${TEST_VERSION} to delete.`);
  for (const name of ['one', 'two']) {
    const body = { name, version: TEST_VERSION, resource: { type: 'STATIC' } };
    expect((await t.owner.call('POST', `/api/v3/xds/clusters?project=${project}`, body)).status).toBe(201);
  }
  const shown = await cleanUp();
  expect([shown.code, shown.out]).toEqual([EXIT.ok, expect.stringContaining('deletes 2 clusters: one, two')]);
  expect(JSON.parse((await cleanUp('--mode', 'default-only', '--json')).out)).toMatchObject({ total: 0 });
  const done = await cleanUp('--yes', '--json');
  expect(done.code).toBe(EXIT.ok);
  expect(JSON.parse(done.out)).toMatchObject({ total: 2, deleted_counts: { clusters: 2 } });
  expect((await cleanUp('--yes')).out).toContain('nothing');
  await addDocuments(t, project);
  const held = await cleanUp();
  expect([held.code, held.out]).toEqual([EXIT.conflict, expect.stringContaining('in the way: web (listeners)')]);
  expect((await cleanUp('--yes')).code).toBe(EXIT.conflict);
  expect((await cleanUp('--mode', 'some')).code).toBe(EXIT.usage);
});
