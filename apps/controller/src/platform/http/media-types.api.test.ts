import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../testing/controller.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t?.close());

const MERGE_PATCH = 'application/merge-patch+json';

function send(method: 'POST' | 'PATCH' | 'PUT', url: string, payload: string, type: string | undefined) {
  const headers = { authorization: `Bearer ${t.owner.token}`, ...(type !== undefined && { 'content-type': type }) };
  return t.app.inject({ method, url, headers, payload });
}

it('a merge patch may use its own media type (RFC 7396), and nothing else may', async () => {
  const url = `/api/v3/setting/project/${t.project}`;
  const patched = await send('PATCH', url, '{"description": "by its name"}', MERGE_PATCH);
  expect([patched.statusCode, patched.json().description]).toEqual([200, 'by its name']);
  const posted = await send('POST', '/api/v3/setting/projects', '{"name": "a"}', MERGE_PATCH);
  expect([posted.statusCode, posted.json().code]).toEqual([415, 'request.media_type']);
});

it('a body of another type is refused with the accepted type', async () => {
  const json = await send('POST', '/api/v3/setting/projects', '{"name": "a"}', 'text/plain');
  expect([json.statusCode, json.json().message]).toEqual([415, 'Send the body as application/json.']);
  const file = await send('POST', '/api/v3/setting/geoip/upload?kind=city', '{}', 'application/json');
  expect([file.statusCode, file.json().message]).toEqual([415, 'Send the body as application/octet-stream.']);
});

it('a missing body is reported as missing', async () => {
  for (const type of ['application/json', undefined]) {
    const answer = await send('POST', '/api/v3/setting/projects', '', type);
    expect([answer.statusCode, answer.json().details]).toEqual([
      400,
      [{ path: '', rule: 'required', message: 'the body is missing: send a JSON object' }],
    ]);
  }
});

it('a 401 answer names the authentication scheme (RFC 9110 11.6.1)', async () => {
  for (const headers of [{}, { authorization: 'Bearer no-token' }, { authorization: 'Basic YTpi' }]) {
    const answer = await t.app.inject({ url: '/api/v3/profile', headers });
    expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  }
  expect((await t.owner.call('GET', '/api/v3/profile')).headers['www-authenticate']).toBeUndefined();
});
