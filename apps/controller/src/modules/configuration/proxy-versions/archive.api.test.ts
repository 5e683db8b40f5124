import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { fetchCatalog } from './archive.ts';

/** Has all specified fields, an unknown one, and unusual white space. */
const CATALOG = `{ "releases": [ {"version":"1.40.0",  "date": "2026-07-14", "extra": 1.0, "binaries": [
  { "arch": "linux-amd64", "download_url": "https://archive.example.com/envoy-1.40.0", "sha256": "${'a'.repeat(64)}" } ]} ],
 "svc_client_releases": [ {"version": "0.1.0"} ], "ui_releases": [] }`;
let server: Server;
let base: string;
let t: TestController;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/good/index.json') {
      response.setHeader('content-type', 'application/vnd.example+json').end(CATALOG);
    } else if (request.url === '/huge/index.json') {
      response.write('x'.repeat(9_000_000));
      response.end();
    } else if (request.url === '/slow/index.json') {
      response.writeHead(200).write('{');
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
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('the release catalog', () => {
  it('is relayed unchanged with its content type', async () => {
    const answer = await t.app.inject({
      url: '/api/v3/custom/available_versions',
      headers: { authorization: `Bearer ${t.owner.token}` },
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('application/vnd.example+json');
    expect(answer.body).toBe(CATALOG);
    expect((await t.app.inject({ url: '/api/v3/custom/available_versions' })).statusCode).toBe(401);
  });

  it('is a 503 with the reason if it is unreachable', async () => {
    const reasonOf = (url: string | undefined, timeoutMs?: number) =>
      fetchCatalog(url, timeoutMs).then(
        () => 'no error',
        (error: Error & { httpStatus?: number }) => `${error.httpStatus} ${error.message}`,
      );
    expect(await reasonOf(undefined)).toMatch(/^503 .*SVC_ARCHIVE_URL/);
    expect(await reasonOf(`${base}/broken`)).toMatch(/^503 .*500/);
    expect(await reasonOf(`${base}/huge`)).toMatch(/^503 .*larger/);
    expect(await reasonOf(`${base}/slow`, 200)).toMatch(/^503 .*200 ms/);
    expect(await reasonOf('http://127.0.0.1:1')).toMatch(/^503 .*connection failed/);
  });

  it('asks for a retry only if an archive is configured (fault L11)', async () => {
    const extraOf = (url: string | undefined) =>
      fetchCatalog(url).then(
        () => undefined,
        (error: { extra?: unknown }) => error.extra ?? {},
      );
    expect(await extraOf(undefined)).not.toHaveProperty('retry_after');
    expect(await extraOf(`${base}/broken`)).toMatchObject({ retry_after: 10 });
  });
});
