import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../testing/controller.ts';

const PROJECTS = '/api/v3/setting/projects';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
  for (let n = 0; n < 40; n += 1) await t.createProject(`project-${n}-${createId()}`);
});
afterAll(() => t.close());

function get(url: string, headers: Record<string, string>) {
  return t.app.inject({ url, headers: { authorization: `Bearer ${t.owner.token}`, ...headers } });
}

describe('answers of the API', () => {
  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('are sent in %s to callers who accept it if they are long', async (encoding, decode) => {
    const plain = await get(PROJECTS, {});
    expect(plain.headers['content-encoding']).toBeUndefined();
    const answer = await get(PROJECTS, { 'accept-encoding': encoding });
    expect(answer.headers).toMatchObject({
      'content-encoding': encoding,
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(String(answer.headers.vary)).toContain('accept-encoding');
    expect(answer.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
    expect(JSON.parse(decode(answer.rawPayload).toString())).toEqual(plain.json());
  });

  it('are sent uncompressed if they are short, with the ETag that If-Match accepts', async () => {
    const url = `/api/v3/setting/project/${t.project}`;
    const plain = await get(url, {});
    const answer = await get(url, { 'accept-encoding': 'br, gzip' });
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.headers.etag).toBe(plain.headers.etag);
    expect(answer.json()).toEqual(plain.json());
  });

  it('are never compressed if they contain a credential, however long they are', async () => {
    const { username, password } = t.owner;
    const headers = { 'accept-encoding': 'br, gzip' };
    const { cookie } = await t.openBrowser(t.owner);
    const answers = [
      await t.app.inject({ method: 'POST', url: '/auth/login', payload: { username, password }, headers }),
      await t.app.inject({ method: 'POST', url: '/auth/browser/login', payload: { username, password }, headers }),
      await t.app.inject({ url: '/auth/browser/session', headers: { ...headers, cookie } }),
    ];
    for (const answer of answers) {
      expect(answer.statusCode).toBe(200);
      expect(answer.rawPayload.length).toBeGreaterThan(2048);
      expect(answer.headers['content-encoding']).toBeUndefined();
    }
  });

  it('are not compressed if they are streams: each event is sent at once', async () => {
    await t.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = t.app.server.address() as AddressInfo;
    const { cookie } = await t.openBrowser(t.owner);
    const path = `/api/v3/events?project=${t.project}`;
    const headers = { cookie, accept: 'text/event-stream', 'accept-encoding': 'br, gzip' };
    const stream = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest({ host: '127.0.0.1', port, path, headers }, resolve).on('error', reject).end();
    });
    try {
      expect(stream.statusCode).toBe(200);
      expect(stream.headers['content-encoding']).toBeUndefined();
      for await (const chunk of stream) {
        expect(String(chunk)).toContain('event: hello');
        break;
      }
    } finally {
      stream.destroy();
    }
  });
});
