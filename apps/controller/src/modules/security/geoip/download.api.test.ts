import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';
import { download } from './download.ts';
import { createMmdb } from './testing/mmdb.ts';

const BASE = '/api/v3/setting/geoip';

let t: TestController;
let admin: TestCaller;
let origin: string;
let asked: string[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const server = createServer((request, response) => {
  asked.push(request.url ?? '');
  answer(request, response);
});

beforeAll(async () => {
  t = await createTestController();
  admin = await t.createMember('admin');
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await t.close();
});

const digestOf = (file: Buffer) => createHash('sha256').update(file).digest('hex');
const serve = (file: Buffer) => {
  answer = (_, response) => response.end(file);
};
const fetchFile = (path: string, sha256: string, caller = t.owner, kind = 'city') =>
  caller.call('POST', `${BASE}/download`, { kind, url: `${origin}${path}`, sha256 });
const countParts = async () => (await t.database.db.selectFrom('geoip_chunks').select('upload_id').execute()).length;

it("a database is downloaded from the owner's address, compressed or not, and its key is not recorded", async () => {
  const file = createMmdb('GeoLite2-City', { nodes: 200_000 });
  serve(file);
  const made = await fetchFile('/city.mmdb?license_key=hunter2', digestOf(file));
  expect(made, JSON.stringify(made.body)).toMatchObject({
    status: 200,
    body: { kind: 'city', present: true, size: file.length, sha256: digestOf(file), source: 'download' },
  });
  expect(asked).toEqual(['/city.mmdb?license_key=hunter2']);
  const { body } = await t.owner.call('GET', '/api/v3/audit/logs?action=geoip.download');
  expect(body.items).toMatchObject([{ changes: { from: `${origin}/city.mmdb`, sha256: [null, digestOf(file)] } }]);
  expect(JSON.stringify(body)).not.toContain('hunter2');

  const newer = createMmdb('DBIP-City-Lite');
  serve(gzipSync(newer));
  const unpacked = await fetchFile('/city.mmdb.gz', digestOf(gzipSync(newer)));
  expect(unpacked.body).toMatchObject({ size: newer.length, sha256: digestOf(newer) });
  expect(await countParts()).toBe(1);
  expect((await t.owner.call('DELETE', `${BASE}/city`)).status).toBe(204);
});

it('a wrong digest, a truncated file, an invalid database or a missing file changes nothing', async () => {
  const before = createMmdb('GeoLite2-City');
  serve(before);
  expect((await fetchFile('/city.mmdb', digestOf(before))).status).toBe(200);
  const file = createMmdb('GeoLite2-City', { nodes: 100_000 });
  const codeOf = async (path: string, sha256 = digestOf(file)) => (await fetchFile(path, sha256)).body.code;
  serve(file);
  expect(await codeOf('/city.mmdb', '0'.repeat(64))).toBe('geoip.digest');
  const page = Buffer.from('<html>'.repeat(1000));
  serve(page);
  expect(await codeOf('/city.mmdb', digestOf(page))).toBe('geoip.invalid');
  expect(await codeOf('/city.mmdb.gz', digestOf(page))).toBe('geoip.not_fetched');
  answer = (_, response) => {
    response.writeHead(200, { 'content-length': file.length });
    response.write(file.subarray(0, 1000), () => response.destroy());
  };
  expect(await codeOf('/city.mmdb')).toBe('geoip.not_fetched');
  answer = (_, response) => response.writeHead(404).end();
  expect(await codeOf('/city.mmdb')).toBe('geoip.not_fetched');
  const kept = (await t.owner.call('GET', BASE)).body.databases[0];
  expect(kept).toMatchObject({ sha256: digestOf(before) });
  expect(await countParts()).toBe(1);
});

it("only the owner's address is requested: redirects are not followed", async () => {
  const file = createMmdb('GeoLite2-City');
  answer = (request, response) => {
    if (request.url === '/city.mmdb') response.writeHead(302, { location: '/elsewhere' }).end();
    else response.end(file);
  };
  expect((await fetchFile('/city.mmdb', digestOf(file))).body.code).toBe('geoip.not_fetched');
  expect(asked).toEqual(['/city.mmdb']);
  for (const url of [
    'file:///etc/passwd',
    'ftp://example.com/x',
    'http://user:pass@example.com/x',
    'http://:pass@example.com/x',
    'city.mmdb',
  ]) {
    const body = { kind: 'city', url, sha256: digestOf(file) };
    expect((await t.owner.call('POST', `${BASE}/download`, body)).status, url).toBe(400);
  }
  expect((await fetchFile('/city.mmdb', digestOf(file), admin)).body.code).toBe('owner.required');
  expect(asked).toEqual(['/city.mmdb']);
});

it('a silent source is given up', async () => {
  answer = () => undefined;
  const chunks = download({ url: `${origin}/silent`, sha256: '0'.repeat(64) }, 200);
  await expect(chunks[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'geoip.not_fetched' });
});
