import { connect, type IncomingHttpHeaders } from 'node:http2';
import { TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type FilteredEnvoy, startFilteredEnvoy } from './testing/filtered-envoy.ts';
import { RawClient } from './testing/raw-client.ts';
import type { RecordingEnvoy } from './testing/recording-envoy.ts';

const KEYS = 'api_key: { keys: [{ key: the-key }] }';
const LIMIT = 'rate_limit: { requests_per_second: 0.001, burst: 1, key: host }';
const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: answers }
spec:
  defaults: { inspect_request_body: true, max_request_body_bytes: 1000 }
  domains:
    - hosts: [api.example.com]
      routes:
        - match: { path_prefix: /plain }
          policy: { engines: { ${KEYS} } }
        - match: { path_prefix: /limited }
          policy: { engines: { ${LIMIT} } }
        - match: { path_prefix: /problem-limited }
          policy: { engines: { ${LIMIT} }, block_response: { format: problem_json } }
        - match: { path_prefix: /problem }
          policy: { engines: { ${KEYS} }, block_response: { format: problem_json, unauthorized_status: 401, realm: shop } }
        - match: { path_prefix: /challenge }
          policy: { engines: { ${KEYS} }, block_response: { unauthorized_status: 401 } }
        - match: { path_prefix: /graphql }
          policy: { engines: { graphql: { max_depth: 3 } } }
        - match: { path_prefix: /watched }
          policy: { mode: detect, engines: { graphql: { max_depth: 3 } } }
`;

describe.each(TIER_ENVOY_VERSIONS)('behind Envoy %s,', (version) => {
  let filtered: FilteredEnvoy;
  let envoy: RecordingEnvoy;
  let client: RawClient;

  beforeAll(async () => {
    filtered = await startFilteredEnvoy({ version, policy: POLICY, listeners: { generated: {} } });
    envoy = filtered.envoy;
    client = new RawClient(envoy.portOf('generated'));
  });

  afterAll(async () => {
    client?.close();
    await filtered?.close();
  });

  const get = (target: string, headers = '') =>
    client.send(`GET ${target} HTTP/1.1\r\nhost: api.example.com\r\n${headers}\r\n`);

  /** The only headers of the response to a unary gRPC call. */
  async function call(path: string): Promise<IncomingHttpHeaders> {
    const session = connect(`http://127.0.0.1:${envoy.portOf('generated')}`);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingHttpHeaders>();
    session.on('error', reject);
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      ':authority': 'api.example.com',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.on('response', resolve);
    stream.on('error', reject);
    stream.end(Buffer.alloc(5));
    try {
      return await promise;
    } finally {
      session.destroy();
    }
  }

  it('blocks are a line of text and 403 by default', async () => {
    const { status, head, body } = await get('/plain');
    expect([status, body.toString()]).toEqual([403, 'Request blocked.\n']);
    expect(head).toMatch(/^x-svc-shield: blocked\r?$/m);
    expect(head).toMatch(/^content-type: text\/plain\r?$/m);
    expect(head).not.toMatch(/^www-authenticate/im);
  });

  it('blocks can be a problem document with the id under which the proxy logs the request', async () => {
    const { status, head, body } = await get('/problem');
    expect(status).toBe(401);
    expect(head).toMatch(/^content-type: application\/problem\+json\r?$/m);
    expect(head).toMatch(/^www-authenticate: ApiKey realm="shop"\r?$/m);
    const problem = JSON.parse(body.toString());
    expect(problem).toEqual({
      title: 'Unauthorized',
      status: 401,
      detail: 'Request blocked.',
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const other = JSON.parse((await get('/problem')).body.toString());
    expect(other.request_id).not.toBe(problem.request_id);
  });

  it('blocks contain the time to wait, in a problem document too', async () => {
    await get('/problem-limited');
    const { status, head, body } = await get('/problem-limited');
    expect(status).toBe(429);
    expect(head).toMatch(/^retry-after: \d+\r?$/m);
    expect(JSON.parse(body.toString())).toMatchObject({ title: 'Too Many Requests', status: 429 });
  });

  it('blocks of gRPC requests are gRPC: the status of the call corresponds to the HTTP status', async () => {
    expect(await call('/plain')).toMatchObject({ ':status': 200, 'grpc-status': '7', 'x-svc-shield': 'blocked' });
    expect(await call('/challenge')).toMatchObject({
      ':status': 200,
      'grpc-status': '16',
      'www-authenticate': 'ApiKey realm="restricted"',
    });
    await call('/limited');
    const limited = await call('/limited');
    expect(limited).toMatchObject({ ':status': 200, 'grpc-status': '8', 'x-svc-shield': 'blocked' });
    expect(Number(limited['retry-after'])).toBeGreaterThan(0);
    for (const answer of [await call('/plain'), await call('/problem')]) {
      expect(answer['content-type']).toBe('application/grpc');
      expect(JSON.stringify(answer)).not.toContain('apikey');
    }
  });

  it('blocks come before the upload if the headers decide, and mode detect lets it pass uninspected', async () => {
    const head = (path: string, headers: string) =>
      `POST ${path} HTTP/1.1\r\nhost: api.example.com\r\ncontent-type: application/json\r\n${headers}\r\n`;
    const early = new RawClient(envoy.portOf('generated'));
    // No byte of these bodies is ever sent.
    for (const [headers, reason] of [
      ['content-length: 1001\r\n', 'body.too_large'],
      ['content-length: 100\r\ncontent-encoding: lzma\r\n', 'body.undecodable'],
      ['transfer-encoding: chunked\r\ncontent-encoding: lzma\r\n', 'body.undecodable'],
    ]) {
      expect((await early.send(head('/graphql', headers ?? ''))).status).toBe(403);
      early.close();
      await vi.waitFor(async () => expect(await envoy.accessLog()).toContain(`403 ${reason} /graphql`), 5000);
    }
    const query = encodeURIComponent('{a{b{c{d}}}}');
    expect((await early.send(head(`/graphql?query=${query}`, 'content-length: 100\r\n'))).status).toBe(403);
    early.close();
    await vi.waitFor(async () => expect(await envoy.accessLog()).toContain('403 graphql.depth /graphql?query'), 5000);
    envoy.upstream.seen.length = 0;
    const watched = await client.send(`${head('/watched', 'content-length: 2000\r\n')}${' '.repeat(2000)}`);
    expect(watched.status).toBe(200);
    expect(envoy.upstream.seen).toHaveLength(1);
  });
});
