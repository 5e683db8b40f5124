import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSilentLogger } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { ReleaseArchive } from './archive.ts';

/** Has all specified fields, an unknown one, and unusual white space. */
const CATALOG = `{ "releases": [ {"version":"1.40.0",  "date": "2026-07-14", "extra": 1.0, "binaries": [
  { "arch": "linux-amd64", "download_url": "https://archive.example.com/envoy-1.40.0", "sha256": "${'a'.repeat(64)}" } ]} ],
 "svc_client_releases": [ {"version": "0.1.0"} ], "ui_releases": [] }`;
let server: Server;
let base: string;
let t: TestController;
let dir: string;
let mood: 'well' | 'broken' = 'well';
/** The tags with which the index was asked for. */
const tags: Array<string | undefined> = [];
const REDIRECTS: Readonly<Record<string, string>> = {
  '/moved/index.json': '/good/index.json',
  '/inward/index.json': 'http://192.0.2.1/latest/meta-data',
  '/circle/index.json': '/circle/index.json',
};

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'archive-'));
  server = createServer((request, response) => {
    if (request.url === '/good/index.json') {
      response.setHeader('content-type', 'application/vnd.example+json').end(CATALOG);
    } else if (request.url === '/huge/index.json') {
      response.write('x'.repeat(9_000_000));
      response.end();
    } else if (request.url === '/slow/index.json') {
      response.writeHead(200).write('{');
    } else if (request.url === '/page/index.json') {
      response.end('<html>Sign in</html>');
    } else if (request.url === '/tagged/index.json' && mood === 'well') {
      tags.push(request.headers['if-none-match']);
      if (request.headers['if-none-match'] === '"one"') response.writeHead(304).end();
      else response.setHeader('etag', '"one"').end(CATALOG);
    } else if (REDIRECTS[request.url ?? '']) {
      response.writeHead(302, { location: REDIRECTS[request.url ?? ''] }).end();
    } else {
      response.writeHead(500).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t = await createTestController({ SVC_ARCHIVE_URL: `${base}/good/` });
});
afterAll(async () => {
  await t.close();
  await rm(dir, { recursive: true, force: true });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** An archive whose last index is in a file of its own. */
function openArchive(url: string | undefined, options: { timeoutMs?: number; file?: string } = {}) {
  return new ReleaseArchive({
    address: () => Promise.resolve(url),
    file: options.file ?? join(dir, `${Math.random()}.json`),
    logger: createSilentLogger(),
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
  });
}
const reasonOf = (url: string | undefined, timeoutMs?: number) =>
  openArchive(url, timeoutMs === undefined ? {} : { timeoutMs })
    .read()
    .then(
      () => 'no error',
      (error: Error & { httpStatus?: number }) => `${error.httpStatus} ${error.message}`,
    );

describe('the release catalog', () => {
  it('is relayed unchanged with its content type', async () => {
    const answer = await t.app.inject({
      url: '/api/v3/custom/available_versions',
      headers: { authorization: `Bearer ${t.owner.token}` },
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('application/vnd.example+json');
    expect(answer.headers).not.toHaveProperty('x-archive-stale');
    expect(answer.body).toBe(CATALOG);
    expect((await t.app.inject({ url: '/api/v3/custom/available_versions' })).statusCode).toBe(401);
  });

  it('is a 503 with the reason if it is unreachable', async () => {
    expect(await reasonOf(undefined)).toMatch(/^503 .*SVC_ARCHIVE_URL/);
    expect(await reasonOf(`${base}/broken`)).toMatch(/^503 .*500/);
    expect(await reasonOf(`${base}/huge`)).toMatch(/^503 .*larger/);
    expect(await reasonOf(`${base}/slow`, 200)).toMatch(/^503 .*200 ms/);
    expect(await reasonOf('http://127.0.0.1:1')).toMatch(/^503 .*connection failed/);
    expect(await reasonOf(`${base}/page`)).toMatch(/^503 .*not JSON/);
    expect(await reasonOf('http://user:key@127.0.0.1:1')).toMatch(/^503 .*user name/);
    expect(await reasonOf('http://archive.example.com')).toMatch(/^503 .*https/);
  });

  it('asks for a retry only if an archive is configured (fault L11)', async () => {
    const extraOf = (url: string | undefined) =>
      openArchive(url)
        .read()
        .then(
          () => undefined,
          (error: { extra?: unknown }) => error.extra ?? {},
        );
    expect(await extraOf(undefined)).not.toHaveProperty('retry_after');
    expect(await extraOf(`${base}/broken`)).toMatchObject({ retry_after: 10 });
  });

  it('follows redirects, but never to an address that is not allowed', async () => {
    expect(await openArchive(`${base}/moved`).read()).toMatchObject({ stale: undefined });
    expect(await reasonOf(`${base}/inward`)).toMatch(/^503 .*redirects to one that must use https/);
    expect(await reasonOf(`${base}/circle`)).toMatch(/^503 .*redirects more than 5 times/);
  });

  it('is asked with its entity tag, and counts during an outage, also after a restart, with the reason', async () => {
    const file = join(dir, 'kept.json');
    tags.length = 0;
    const archive = openArchive(`${base}/tagged`, { file });
    await archive.read();
    await archive.read();
    expect(tags).toEqual([undefined, '"one"']);
    mood = 'broken';
    expect(await archive.read()).toMatchObject({ stale: 'it answered 500' });
    const restarted = openArchive(`${base}/tagged`, { file });
    const { stale, index, bytes } = await restarted.read();
    expect([stale, index.envoy[0]?.version, String(bytes)]).toEqual(['it answered 500', '1.40.0', CATALOG]);
    const wanted = { kind: 'envoy', version: '1.40.0', arch: 'linux-amd64' } as const;
    expect(await restarted.offer(wanted)).toMatchObject({ ok: true, value: { sha256: 'a'.repeat(64) } });
    // The index of another archive says nothing about this one.
    expect(await openArchive(`${base}/broken`, { file }).offer(wanted)).toMatchObject({
      ok: false,
      error: expect.stringContaining('it answered 500'),
    });
    mood = 'well';
    expect(await archive.read()).toMatchObject({ stale: undefined });
  });

  it('offers a release to hosts of its architecture, and nothing if no archive is configured', async () => {
    const archive = openArchive(`${base}/good`);
    const offerTo = (arch: string, version = '1.40.0') => archive.offer({ kind: 'envoy', version, arch });
    expect(await offerTo('linux-amd64')).toEqual({
      ok: true,
      value: { url: 'https://archive.example.com/envoy-1.40.0', sha256: 'a'.repeat(64) },
    });
    expect(await offerTo('linux-arm64')).toMatchObject({ ok: false, error: expect.stringContaining('linux-arm64') });
    expect(await offerTo('linux-amd64', '1.2.3')).toMatchObject({ ok: false, error: expect.stringContaining('1.2.3') });
    const none = openArchive(undefined);
    expect(await none.offer({ kind: 'envoy', version: '1.40.0', arch: 'linux-amd64' })).toBeUndefined();
  });
});

describe('the address of the archive', () => {
  it('is a setting that replaces the one of the environment at once', async () => {
    const releases = () => t.owner.call('GET', '/api/v3/custom/archive_releases');
    expect((await releases()).body).toMatchObject({
      archive_url: `${base}/good/`,
      stale: null,
      envoy: [{ version: '1.40.0', binaries: [{ arch: 'linux-amd64' }] }],
      waf: [],
      skipped: [],
    });
    const put = (archive_url: unknown) => t.owner.call('PUT', '/api/v3/setting/documents/archive', { archive_url });
    expect((await put('http://archive.example.com')).status).toBe(400);
    expect((await put(`${base}/broken`)).status).toBe(200);
    expect(await releases()).toMatchObject({ status: 503, body: { code: 'archive.unavailable' } });
    expect((await put(null)).status).toBe(200);
    expect((await releases()).status).toBe(200);
  });
});
