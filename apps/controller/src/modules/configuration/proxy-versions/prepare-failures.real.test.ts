import { createReadStream } from 'node:fs';
import { copyFile, open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { selectForTier } from '@flotilla/kit/testing';
import type { ArchiveFile, PublishedBinary } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type ArchiveStage,
  endOf,
  KNOWN,
  NEW,
  openArchiveStage,
  prepare,
  writeCluster,
} from './testing/archive-stage.ts';

let stage: ArchiveStage;
let envoy: ArchiveFile;

beforeAll(async () => {
  stage = await openArchiveStage();
  envoy = await stage.archive.makeEnvoy(NEW);
});
afterAll(() => stage.close());

/** The Envoy, changed by `change`. */
async function alter(name: string, change: (path: string) => Promise<unknown>): Promise<ArchiveFile> {
  const path = join(stage.archive.dir, name);
  await copyFile(envoy.path, path);
  await change(path);
  return stage.archive.describe(path);
}

async function writeAt(path: string, position: number, bytes: Buffer): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(bytes, 0, bytes.length, position);
  await file.close();
}

async function makeFile(name: string, content: Buffer): Promise<ArchiveFile> {
  return alter(name, async (path) => {
    await truncate(path, 0);
    await writeAt(path, 0, content);
  });
}

/** The published binary, and the error that the job ends with. */
const REFUSED: Record<string, [() => Promise<Partial<PublishedBinary>>, string, RegExp]> = {
  'has another digest than the index says': [
    async () => ({ sha256: 'a'.repeat(64) }),
    'version.digest',
    /has SHA-256 [0-9a-f]{64}, and the index says a{64}/,
  ],
  'is a program for another processor than the index says': [
    async () => ({ file: await alter('arm', (path) => writeAt(path, 18, Buffer.from([183, 0]))) }),
    'version.wrong_architecture',
    /is a program for arm64, not for x64/,
  ],
  'is no program': [
    async () => ({ file: await makeFile('page', Buffer.from('<html>Sign in</html>')) }),
    'version.not_usable',
    /is not a program/,
  ],
  'is a program, but not Envoy': [
    async () => {
      const path = join(stage.archive.dir, 'node');
      await copyFile(process.execPath, path);
      return { file: await stage.archive.describe(path) };
    },
    'version.not_usable',
    /is not an Envoy/,
  ],
  'is another version of Envoy': [
    async () => ({ file: await stage.archive.makeEnvoy(KNOWN) }),
    'version.not_usable',
    new RegExp(`is not Envoy ${NEW.replaceAll('.', '\\.')}`),
  ],
  'was cut before it was published': [
    async () => ({ file: await alter('cut', (path) => truncate(path, 20_000_000)) }),
    'version.not_usable',
    /is not (?:an|a complete) Envoy/,
  ],
  'is a bomb that is decompressed on the way': [
    async () => ({
      answer: (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000)));
      },
    }),
    'version.too_large',
    /encoding gzip/,
  ],
  'is larger than any Envoy': [
    async () => ({
      answer: (_, response) => {
        response.writeHead(200, { 'content-length': 50_000_000_000 }).write('x');
      },
    }),
    'version.too_large',
    /more than the limit/,
  ],
  'is not there': [
    async () => ({ answer: (_, response) => response.writeHead(404).end() }),
    'version.missing',
    /answered 404/,
  ],
  'redirects to another place without https': [
    async () => ({
      answer: (_, response) => response.writeHead(302, { location: 'http://192.0.2.1/envoy' }).end(),
    }),
    'version.address',
    /redirects to an address/,
  ],
};

/** A good Envoy with a digest of its own: the version is prepared again for it. */
const makeAnother = () => stage.archive.makeEnvoy(NEW, Buffer.from(`${Math.random()}`));

async function digestOfPrepared(): Promise<string | null> {
  const { body } = await stage.t.owner.call('GET', `/api/v3/custom/proxy_versions?project=${stage.t.project}`);
  return body.items.find((one: { version: string }) => one.version === NEW)?.sha256 ?? null;
}

describe('a preparation fails with the reason, and the version stays unknown, if the file', () => {
  it.each(selectForTier(Object.keys(REFUSED), 5))('%s', async (title) => {
    const { t } = stage;
    const [publish, code, message] = REFUSED[title] ?? expect.unreachable();
    await stage.publish([{ version: NEW, file: envoy, ...(await publish()) }]);
    const { body } = await prepare(t.owner, t.project);
    const job = await endOf(t.owner, t.project, body.job.id);
    expect(job).toMatchObject({ status: 'failed', error: { code, message: expect.stringMatching(message) } });
    const write = await writeCluster(t.owner, t.project);
    expect([write.status, write.body.code]).toEqual([409, 'version.preparation_failed']);
    expect(write.body.message).toContain(job.error.message);
    const listed = await t.owner.call('GET', `/api/v3/custom/proxy_versions?project=${t.project}`);
    expect(listed.body.items.map((one: { version: string }) => one.version)).toEqual([KNOWN]);
    expect(listed.body.preparations).toMatchObject([{ version: NEW, status: 'failed', error: { code } }]);
  });
});

describe('an archive', () => {
  it('that breaks off the first download is asked again', async () => {
    let asked = 0;
    const file = await makeAnother();
    await stage.publish([
      {
        version: NEW,
        file,
        answer: (_, response) => {
          asked += 1;
          response.writeHead(200, { 'content-length': file.size });
          if (asked > 1) createReadStream(file.path).pipe(response);
          else
            createReadStream(file.path, { end: 1_000_000 })
              .on('end', () => response.destroy())
              .pipe(response, { end: false });
        },
      },
    ]);
    const { body } = await prepare(stage.t.owner, stage.t.project);
    expect(await endOf(stage.t.owner, stage.t.project, body.job.id)).toMatchObject({ status: 'done' });
    expect(asked).toBe(2);
    expect(await digestOfPrepared()).toBe(file.sha256);
  });

  it('that has a version only for another processor is enough, because nothing of it is run', async () => {
    const arm = await alter('arm', (path) => writeAt(path, 18, Buffer.from([183, 0])));
    await stage.publish([{ version: NEW, file: arm, arch: 'linux-arm64' }]);
    const { body } = await prepare(stage.t.owner, stage.t.project);
    expect(await endOf(stage.t.owner, stage.t.project, body.job.id)).toMatchObject({ status: 'done' });
    expect(await digestOfPrepared()).toBe(arm.sha256);
  });

  it('that sends nothing does not keep a cancelled preparation, and those who ask share one job meanwhile', async () => {
    const { t } = stage;
    let asked = 0;
    await stage.publish([
      {
        version: NEW,
        file: await makeAnother(),
        answer: (_, response) => {
          asked += 1;
          response.writeHead(200, { 'content-length': 1000 }).write('x');
        },
      },
    ]);
    const started = await Promise.all([1, 2, 3].map(() => prepare(t.owner, t.project)));
    const jobs = new Set<string>(started.map(({ body }) => body.job.id));
    expect(jobs.size).toBe(1);
    await vi.waitFor(() => expect(asked).toBe(1));
    const [job = ''] = jobs;
    expect((await t.owner.call('POST', `/api/v3/jobs/${job}/cancel`, {})).status).toBeLessThan(300);
    expect(await endOf(t.owner, t.project, job)).toMatchObject({ status: 'cancelled' });
    const file = await makeAnother();
    await stage.publish([{ version: NEW, file }]);
    const again = await prepare(t.owner, t.project);
    expect(await endOf(t.owner, t.project, again.body.job.id)).toMatchObject({ status: 'done' });
  });

  it('that is gone makes a write say that the version is unknown, and a preparation that the archive cannot be read', async () => {
    const { t, archive } = stage;
    archive.serve('/index.json', (_, response) => response.writeHead(500).end());
    await t.owner.call('GET', '/api/v3/custom/archive_releases');
    const write = await writeCluster(t.owner, t.project, { version: '9.9.9' });
    expect([write.status, write.body.code]).toEqual([400, 'version.unknown']);
    const started = await prepare(t.owner, t.project, '9.9.9');
    expect([started.status, started.body.code]).toEqual([503, 'archive.unavailable']);
    expect(started.body.message).toContain('it answered 500');
  });
});
