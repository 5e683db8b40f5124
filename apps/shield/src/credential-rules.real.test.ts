import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type FilteredEnvoy, startFilteredEnvoy } from './testing/filtered-envoy.ts';
import { RawClient } from './testing/raw-client.ts';

const KEYS = [
  '{ key: reading, subject: reader, methods: [GET, HEAD] }',
  '{ key: posting, subject: writer, methods: [POST] }',
  '{ key: counted, subject: batch, requests_per_second: 0.01, burst: 2 }',
].join(', ');
const CLAIMS = '{ path_prefix: /token/admin, whole_segments: true, claim: scope, any_of: [admin] }';
const JWT = `algorithms: [ES256], public_key_file: files/key.pem, max_age: 1m, type: at+jwt, require_claims_for_path: [${CLAIMS}]`;

const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: rules }
spec:
  defaults: { inspect_request_body: true, max_request_body_bytes: 4096 }
  domains:
    - hosts: [api.example.com]
      policy: { engines: { api_key: { keys: [${KEYS}] } } }
      routes:
        - match: { path_prefix: /inherits }
          policy: {}
        - match: { path_prefix: /token }
          policy: { engines: { api_key: null, jwt: { ${JWT} } } }
    - hosts: [methods.example.com]
      policy: { engines: { methods: { allow: [GET, HEAD, OPTIONS] } } }
      routes:
        - match: { path_prefix: /exact }
          policy: { engines: { methods: { allow: [GET, PURGE] } } }
        - match: { path_prefix: /forms }
          policy: { engines: { methods: { allow: [POST, OPTIONS] } } }
        - match: { path_prefix: /any }
          policy: { engines: { methods: null } }
`;

const issuer = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function tokenOf({ typ = 'at+jwt', ageSeconds = 0, scope = 'read' }): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const claims = { sub: 'alice', iat: now - ageSeconds, exp: now + 3600, scope };
  const text = `${encode({ alg: 'ES256', typ })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key: issuer.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

describe.each(TIER_ENVOY_VERSIONS)('behind Envoy %s,', (version) => {
  let filtered: FilteredEnvoy;
  let client: RawClient;

  beforeAll(async () => {
    const files = { 'files/key.pem': issuer.publicKey.export({ format: 'pem', type: 'spki' }).toString() };
    filtered = await startFilteredEnvoy({ version, policy: POLICY, files, listeners: { generated: {} } });
    client = new RawClient(filtered.envoy.portOf('generated'));
  });

  afterAll(async () => {
    client?.close();
    await filtered?.close();
  });

  const send = (line: string, headers: string) =>
    client.send(`${line} HTTP/1.1\r\nhost: api.example.com\r\ncontent-length: 0\r\n${headers}\r\n\r\n`);
  const ask = async (line: string, headers: string) => (await send(line, headers)).status;

  it('a key works only for its methods, whatever override a header or the query contains', async () => {
    const reading = 'x-api-key: reading';
    const posting = 'x-api-key: posting';
    expect(await ask('GET /a', reading)).toBe(200);
    expect(await ask('POST /a', reading)).toBe(403);
    expect(await ask('GET /a', `${reading}\r\nX-HTTP-Method-Override: DELETE`)).toBe(403);
    expect(await ask('GET /a', `${reading}\r\nx-method-override: head`)).toBe(200);
    expect(await ask('POST /a', posting)).toBe(200);
    expect(await ask('POST /a?%5fmethod=DELETE', posting)).toBe(403);
    await vi.waitFor(async () => expect(await filtered.envoy.accessLog()).toContain('apikey.method'), {
      timeout: 90_000,
    });
  });

  it('a body field cannot turn an allowed method of a key into another', async () => {
    const post = (type: string, body: string | Buffer, more = '') => {
      const bytes = Buffer.from(body);
      const head = `POST /a HTTP/1.1\r\nhost: api.example.com\r\nx-api-key: posting\r\n${type}content-length: ${bytes.length}\r\n${more}\r\n`;
      return client.send(Buffer.concat([Buffer.from(head), bytes])).then(({ status }) => status);
    };
    const form = 'content-type: application/x-www-form-urlencoded\r\n';
    const parts = 'content-type: multipart/form-data; boundary=b\r\n';
    const json = 'content-type: application/json\r\n';
    const part = (method: string) =>
      `--b\r\nContent-Disposition: form-data; name="_method"\r\n\r\n${method}\r\n--b--\r\n`;
    const gzip = 'content-encoding: gzip\r\n';
    expect(await post(form, 'a=1&_method=post')).toBe(200);
    expect(await post(parts, part('POST'))).toBe(200);
    expect(await post(json, '{"a":{"_method":"DELETE"}}')).toBe(200);
    expect(await post('content-type: text/plain\r\n', '_method=DELETE'.padEnd(5000))).toBe(200);
    expect(await post(form, gzipSync('a=1'), gzip)).toBe(200);
    const before = filtered.envoy.upstream.seen.length;
    expect(await post(form, 'a=1&%5Fmethod=delete')).toBe(403);
    expect(await post('', '_method=DELETE')).toBe(403);
    expect(await post(parts, part('DELETE'))).toBe(403);
    expect(await post(json, '{"_method":"DELETE"}')).toBe(403);
    expect(await post(form, gzipSync('_method=DELETE'), gzip)).toBe(403);
    expect(await post(form, 'a=1'.padEnd(5000))).toBe(403);
    expect(filtered.envoy.upstream.seen.length).toBe(before);
  });

  it('the limit of a key counts wherever its block is inherited, and continues after a reload', async () => {
    const counted = 'x-api-key: counted';
    expect(await ask('GET /a', counted)).toBe(200);
    expect(await ask('GET /inherits', counted)).toBe(200);
    const limited = await send('GET /inherits', counted);
    expect(limited.status).toBe(429);
    expect(Number(/^retry-after: (\d+)/im.exec(limited.head)?.[1])).toBeGreaterThan(90);
    const { version: before } = await filtered.filter.configz();
    await writeFile(
      join(filtered.policyFolder, 'policy.yaml'),
      POLICY.replace('path_prefix: /inherits', 'path_prefix: /in'),
    );
    await vi.waitFor(async () => expect((await filtered.filter.configz()).version).not.toBe(before), {
      timeout: 90_000,
      interval: 50,
    });
    expect(await ask('GET /a', counted)).toBe(429);
    expect(await ask('GET /a', 'x-api-key: reading')).toBe(200);
  });

  it('an old token or one of another type is rejected, and required claims are checked per path every time', async () => {
    const bearer = (token: string) => `authorization: Bearer ${token}`;
    const [reader, admin] = [bearer(tokenOf({})), bearer(tokenOf({ scope: 'read admin' }))];
    for (let round = 0; round < 2; round++) {
      expect(await ask('GET /token/x', reader)).toBe(200);
      for (const path of ['/token/admin', '/token/%61dmin/x', '/token//admin', '/token/x/../admin'])
        expect([await ask(`GET ${path}`, reader), await ask(`GET ${path}`, admin)]).toEqual([403, 200]);
      expect(await ask('GET /token/administrator', reader)).toBe(200);
    }
    expect(await ask('GET /token', bearer(tokenOf({ ageSeconds: 120 })))).toBe(403);
    expect(await ask('GET /token', bearer(tokenOf({ typ: 'JWT' })))).toBe(403);
    expect(await ask('GET /token', bearer(tokenOf({ typ: 'application/AT+JWT' })))).toBe(200);
    const reasons = ['jwt.age', 'jwt.type', 'jwt.scope'];
    await vi.waitFor(
      async () => {
        const log = await filtered.envoy.accessLog();
        expect(reasons.filter((reason) => !log.includes(reason))).toEqual([]);
      },
      { timeout: 90_000 },
    );
  });

  describe('a list of methods', () => {
    let session: ClientHttp2Session;
    beforeAll(() => {
      // HTTP/2 has no list of methods: Envoy refuses HTTP/1.1 requests with unknown ones before the filter sees them.
      session = connect(`http://127.0.0.1:${filtered.envoy.portOf('generated')}`);
    });
    afterAll(() => session?.destroy());

    const ask2 = (method: string, path: string, headers: OutgoingHttpHeaders = {}, body = '') => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const stream = session.request(
        { ':method': method, ':path': path, ':authority': 'methods.example.com', ...headers },
        { endStream: body === '' },
      );
      stream.on('response', ({ ':status': status }) => resolve(Number(status)));
      stream.on('error', reject);
      stream.resume();
      if (body !== '') stream.end(body);
      return promise;
    };
    /** The requests that arrive at the upstream while `work` runs. */
    const arrivals = async (work: () => Promise<unknown>) => {
      const before = filtered.envoy.upstream.seen.length;
      await work();
      return filtered.envoy.upstream.seen.slice(before).map(({ method, target }) => `${method} ${target}`);
    };

    it('lets exactly these through: HEAD and OPTIONS are methods of their own, and case matters', async () => {
      const preflight = { origin: 'https://web.example', 'access-control-request-method': 'DELETE' };
      const passed = await arrivals(async () => {
        expect(await ask2('GET', '/a')).toBe(200);
        expect(await ask2('HEAD', '/a')).toBe(200);
        expect(await ask2('OPTIONS', '/a', preflight)).toBe(200);
        expect(await ask2('PURGE', '/exact')).toBe(200);
        expect(await ask2('DELETE', '/any')).toBe(200);
      });
      expect(passed).toEqual(['GET /a', 'HEAD /a', 'OPTIONS /a', 'PURGE /exact', 'DELETE /any']);
      const refused = await arrivals(async () => {
        for (const method of ['POST', 'DELETE', 'get', 'Get', 'GETS', 'PURGE'])
          expect([method, await ask2(method, '/a')]).toEqual([method, 403]);
        for (const method of ['HEAD', 'OPTIONS', 'purge'])
          expect([method, await ask2(method, '/exact')]).toEqual([method, 403]);
        expect((await client.send('get /a HTTP/1.1\r\nhost: methods.example.com\r\n\r\n')).status).toBe(400);
      });
      expect(refused).toEqual([]);
      await vi.waitFor(async () => expect(await filtered.envoy.accessLog()).toContain('method.not_allowed'), {
        timeout: 30_000,
      });
    });

    it('is about every method that a header or the query asks for', async () => {
      const passed = await arrivals(async () => {
        expect(await ask2('GET', '/a', { 'x-http-method-override': 'head' })).toBe(200);
        expect(await ask2('GET', '/a?_method=get&method=DELETE')).toBe(200);
        expect(await ask2('POST', '/any', { 'x-http-method-override': 'DELETE' })).toBe(200);
      });
      expect(passed).toHaveLength(3);
      const headers = ['x-http-method-override', 'x-http-method', 'x-method-override', 'x_http_method_override'];
      const queries = ['_method=DELETE', '%5Fmethod=delete', 'a=1;_METHOD=put', 'x-http-method-override=PATCH'];
      const refused = await arrivals(async () => {
        for (const name of headers) {
          for (const value of ['DELETE', 'delete', 'GET, DELETE', 'unknown'])
            expect([name, value, await ask2('GET', '/a', { [name]: value })]).toEqual([name, value, 403]);
        }
        expect(await ask2('GET', '/a', { 'x-http-method': ['GET', 'DELETE'] })).toBe(403);
        for (const query of queries) expect([query, await ask2('GET', `/a?${query}`)]).toEqual([query, 403]);
      });
      expect(refused).toEqual([]);
    });

    it('is about the method that a field of an inspected body asks for', async () => {
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const json = { 'content-type': 'application/json' };
      expect(await ask2('POST', '/forms', form, 'a=1&_method=post')).toBe(200);
      expect(await ask2('POST', '/forms', json, '{"_method":"POST"}')).toBe(200);
      expect(await ask2('POST', '/any', form, '_method=DELETE')).toBe(200);
      const refused = await arrivals(async () => {
        expect(await ask2('POST', '/forms', form, 'a=1&_method=DELETE')).toBe(403);
        expect(await ask2('POST', '/forms', json, '{"_method":"DELETE"}')).toBe(403);
        expect(await ask2('POST', '/forms', {}, '_method=DELETE')).toBe(403);
        expect(await ask2('POST', '/forms', form, 'a=1'.padEnd(5000))).toBe(403);
      });
      expect(refused).toEqual([]);
    });
  });
});
