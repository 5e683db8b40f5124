import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { create, toJsonString } from '@bufbuild/protobuf';
import { createEnvoyDist, probeEnvoy } from '@flotilla/envoy-dist';
import { selectForTier } from '@flotilla/kit/testing';
import { fleet } from '@flotilla/proto';
import { type ArchiveFile, type ArchiveServer, startArchive, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const VERSION = TEST_ENVOY_VERSIONS.newest;
const PROGRAM = join(import.meta.dirname, '../../testing/install-process.ts');
let archive: ArchiveServer;
let old: ArchiveFile;
let rebuilt: ArchiveFile;
let dir: string;

beforeAll(async () => {
  archive = await startArchive();
  old = await archive.makeEnvoy(VERSION);
  rebuilt = await archive.makeEnvoy(VERSION, Buffer.from('rebuilt'));
  archive.serve('/old', old);
});
afterAll(() => archive.close());
beforeEach(async () => {
  archive.serve('/new', rebuilt);
  dir = await mkdtemp(join(tmpdir(), 'install-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

function commandOf(commandId: string, payload: object): string {
  return toJsonString(
    fleet.CommandSchema,
    create(fleet.CommandSchema, {
      commandId,
      type: 'DATAPLANE_VERSION',
      payloadJson: Buffer.from(JSON.stringify({ version: VERSION, ...payload })),
    }),
  );
}
const install = (force: boolean) =>
  commandOf(`install-${force}`, {
    operation: 'SET_VERSION',
    force_download: force,
    archive: { url: `${archive.url}/new`, sha256: rebuilt.sha256 },
  });

/** Runs the agent's part. Undefined: it was killed. */
async function run(command: string, killAt = '') {
  const child = spawn(process.execPath, [PROGRAM, dir, command, killAt], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  const printed = await text(child.stdout);
  const [, signal] = (await gone) as [number | null, string | null];
  expect(signal).toBe(killAt === '' ? null : 'SIGKILL');
  return printed === '' ? undefined : JSON.parse(printed);
}

/** The digests of the installed versions, each of which must run. */
async function digests(): Promise<string[]> {
  const found = await createEnvoyDist({ cacheDir: join(dir, 'envoy'), env: {} }).installed();
  for (const { path } of found) expect(await probeEnvoy(path)).toMatchObject({ ok: true, value: { version: VERSION } });
  return found.map(({ sha256 }) => sha256);
}

async function installOld(): Promise<void> {
  const payload = { operation: 'SET_VERSION', archive: { url: `${archive.url}/old`, sha256: old.sha256 } };
  expect(await run(commandOf('first', payload))).toMatchObject({ outcome: 'DONE' });
}

const BEFORE = 'before';
const AFTER = 'after';

describe('kill -9 of the agent during an install', () => {
  const stepsOfNew = [
    ['download', BEFORE],
    ['verify', BEFORE],
    ['probe', BEFORE],
    ['place', BEFORE],
    ['settle', AFTER],
  ] as const;
  test.each(selectForTier(stepsOfNew, 2))(
    'at the step %s of a new version leaves the host as %s, and its successor ends the command',
    async (step, left) => {
      expect(await run(install(false), step)).toBeUndefined();
      expect(await digests()).toEqual(left === BEFORE ? [] : [rebuilt.sha256]);
      expect(await run(install(false))).toMatchObject({
        outcome: 'DONE',
        result: { installed_version: VERSION, operation_summary: { action: 'version_installed' } },
      });
      expect(await digests()).toEqual([rebuilt.sha256]);
      expect(await readdir(join(dir, 'envoy'))).toEqual([VERSION]);
    },
  );

  const stepsOfReplacement = [
    ['download', BEFORE],
    ['verify', BEFORE],
    ['probe', BEFORE],
    ['describe', BEFORE],
    ['switch', BEFORE],
    ['settle', AFTER],
  ] as const;
  test.each(selectForTier(stepsOfReplacement, 2))(
    'at the step %s of a replacement leaves the host as %s, and its successor ends the command',
    async (step, left) => {
      await installOld();
      expect(await run(install(true), step)).toBeUndefined();
      expect(await digests()).toEqual([left === BEFORE ? old.sha256 : rebuilt.sha256]);
      // Whether the archive still has it decides what the successor can do, and the command says what it is.
      archive.serve('/new', (_, response) => response.writeHead(404).end());
      const ended = await run(install(true));
      expect(ended).toMatchObject(
        left === BEFORE
          ? {
              outcome: 'FAILED',
              errorCode: 'version.missing',
              result: { operation_summary: { action: 'nothing_changed' } },
            }
          : { outcome: 'DONE', result: { operation_summary: { action: 'version_installed' } } },
      );
      const [digest] = await digests();
      expect(ended.result.installed).toMatchObject([{ version: VERSION, sha256: digest }]);
      expect(digest).toBe(left === BEFORE ? old.sha256 : rebuilt.sha256);
    },
  );
});
