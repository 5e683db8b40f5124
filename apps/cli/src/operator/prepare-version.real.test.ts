import { join } from 'node:path';
import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { type ArchiveServer, startArchive, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { type OwnersTerminal, openOwnersTerminal } from './testing/terminal.ts';

const { oldest: KNOWN, newest: NEW } = TEST_ENVOY_VERSIONS;
let archive: ArchiveServer;
let t: TestController;
let terminal: OwnersTerminal;

beforeAll(async () => {
  archive = await startArchive();
  const env = { SVC_ARCHIVE_URL: archive.url, FLOTILLA_CACHE: join(archive.dir, 'cache') };
  t = await createTestController(env, { knownVersions: [KNOWN] });
  terminal = await openOwnersTerminal(t);
});
afterAll(async () => {
  await terminal?.close();
  await t?.close();
  await archive?.close();
});

it('a version that only the archive knows is prepared by a command, which reports what is wrong with a broken one', async () => {
  const file = await archive.makeEnvoy(NEW);
  archive.publish([{ version: NEW, file, sha256: 'a'.repeat(64) }]);
  const broken = await terminal.run(['versions', 'prepare', NEW]);
  expect([broken.code, broken.err]).toEqual([EXIT.failed, expect.stringMatching(/Job \d+ is failed: .*has SHA-256/)]);
  const unknown = await terminal.run(['versions', 'prepare', '9.9.9']);
  expect([unknown.code, unknown.err]).toEqual([EXIT.notFound, expect.stringContaining('does not list Envoy 9.9.9')]);

  archive.publish([{ version: NEW, file }]);
  await terminal.run(['versions', 'releases']);
  const prepared = await terminal.run(['versions', 'prepare', `v${NEW}`]);
  expect([prepared.code, prepared.out]).toEqual([EXIT.ok, `Envoy ${NEW} can be used for documents and services.\n`]);
  const listed = await terminal.run(['versions']);
  expect(listed.out).toMatch(new RegExp(`^${NEW} .*its Envoy, from the archive$`, 'm'));
  const started = await terminal.run(['versions', 'prepare', NEW, '--no-wait']);
  expect(started.out).toMatch(/^Job \d+ prepares Envoy .*: flotilla jobs watch \d+$/m);
});
