import { TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FilteredEnvoy, startFilteredEnvoy } from './testing/filtered-envoy.ts';
import { RawClient } from './testing/raw-client.ts';

const CAP = 65_536;
const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: uploads }
spec:
  defaults: { inspect_request_body: true, max_request_body_bytes: ${CAP} }
  domains:
    - hosts: [api.example.com]
      policy:
        engines:
          graphql: { paths: [/graphql], content_types: [application/json, multipart/form-data], any_method: true, max_depth: 3 }
`;
const SHALLOW = '{"query":"{ a { b } }"}';
const DEEP = '{"query":"{ a { b { c { d } } } }"}';

describe.each(TIER_ENVOY_VERSIONS)('behind Envoy %s,', (version) => {
  let filtered: FilteredEnvoy;

  beforeAll(async () => {
    filtered = await startFilteredEnvoy({ version, policy: POLICY, listeners: { plain: {} } });
  });

  afterAll(async () => {
    await filtered?.close();
  });

  /** The response to the client, and what the upstream got. */
  async function send(method: string, type: string, body: Buffer) {
    const { envoy } = filtered;
    const client = new RawClient(envoy.portOf('plain'));
    const before = envoy.upstream.seen.length;
    const head = `${method} /graphql HTTP/1.1\r\nhost: api.example.com\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`;
    const { status } = await client.send(Buffer.concat([Buffer.from(head), body]));
    client.close();
    return { status, body: envoy.upstream.seen[before]?.body };
  }

  /** A typical upload, with a file of this many random bytes. */
  async function toUpload(operations: string, fileBytes: number) {
    const form = new FormData();
    form.set('operations', operations);
    form.set('map', '{"0":["variables.file"]}');
    const bytes = Buffer.alloc(fileBytes);
    for (let at = 0; at < fileBytes; at++) bytes[at] = (at * 7919) >>> 3;
    form.set('0', new Blob([bytes], { type: 'image/png' }), 'a.png');
    const request = new Request('http://a.example.com/', { method: 'POST', body: form });
    return { type: request.headers.get('content-type') ?? '', body: Buffer.from(await request.arrayBuffer()) };
  }

  it.each(['POST', 'PUT', 'PATCH'])(
    'uploads by %s get the verdict for their parts, and arrive unchanged at the upstream',
    async (method) => {
      const shallow = await toUpload(SHALLOW, 40_000);
      expect(await send(method, shallow.type, shallow.body)).toEqual({ status: 200, body: shallow.body });
      const deep = await toUpload(DEEP, 40_000);
      expect(await send(method, deep.type, deep.body)).toEqual({ status: 403, body: undefined });
      expect(await send(method, 'application/json', Buffer.from(DEEP))).toEqual({ status: 403, body: undefined });
    },
  );

  it('uploads are not awaited for methods without content', async () => {
    const nothing = Buffer.alloc(0);
    for (const method of ['DELETE', 'OPTIONS', 'PUT'])
      expect(await send(method, 'application/json', nothing)).toEqual({ status: 200, body: nothing });
  });

  it('uploads pass up to the limit, including files', async () => {
    const { type, body } = await toUpload(SHALLOW, CAP);
    expect(body.length).toBeGreaterThan(CAP);
    expect(await send('POST', type, body)).toEqual({ status: 403, body: undefined });
  });
});
