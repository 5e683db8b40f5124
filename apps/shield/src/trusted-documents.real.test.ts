import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type FilteredEnvoy, startFilteredEnvoy } from './testing/filtered-envoy.ts';
import { RawClient } from './testing/raw-client.ts';

const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: documents }
spec:
  defaults: { inspect_request_body: true, max_request_body_bytes: 65536 }
  domains:
    - hosts: [api.example.com]
      policy:
        engines:
          graphql: { paths: [/graphql], trusted_documents_file: documents/manifest.json, max_operations: 10 }
`;
const FIRST = 'query First($id: ID!) {\n  user(id: $id) { name }\n}';
const SECOND = 'query Second { shops { name } }';
/** Enough that the file is read in a separate thread, and passed to it without a copy. */
const MANY = Array.from({ length: 20_000 }, (_, n) => `query Q${n} { shops(first: ${n}) { name } }`.padEnd(100));
const manifestOf = (...bodies: readonly string[]) =>
  JSON.stringify({
    format: 'apollo-persisted-query-manifest',
    version: 1,
    operations: bodies.map((body, n) => ({ id: String(n), name: `N${n}`, type: 'query', body })),
  });

describe.each(TIER_ENVOY_VERSIONS)('behind Envoy %s,', (version) => {
  let filtered: FilteredEnvoy;

  beforeAll(async () => {
    const files = { 'documents/manifest.json': manifestOf(...MANY, FIRST) };
    filtered = await startFilteredEnvoy({ version, policy: POLICY, files, listeners: { plain: {} } });
  });

  afterAll(async () => {
    await filtered?.close();
  });

  /** The status, and whether the upstream got the request. */
  async function send(head: string, body = ''): Promise<readonly [status: number, isSent: boolean]> {
    const { envoy } = filtered;
    const client = new RawClient(envoy.portOf('plain'));
    const before = envoy.upstream.seen.length;
    const rest = `host: api.example.com\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
    const { status } = await client.send(`${head} HTTP/1.1\r\n${rest}${body}`);
    client.close();
    return [status, envoy.upstream.seen.length > before];
  }

  const post = (content: object) => send('POST /graphql', JSON.stringify(content));

  it('trusted documents pass if they match byte by byte, in a body and in a URL', async () => {
    expect(await post({ query: FIRST, variables: { id: 1 } })).toEqual([200, true]);
    expect(await post({ query: MANY[12_345] })).toEqual([200, true]);
    expect(await post({ query: `${FIRST} ` })).toEqual([403, false]);
    expect(await post({ query: SECOND })).toEqual([403, false]);
    expect(await post([{ query: FIRST }, { query: SECOND }] as object)).toEqual([403, false]);
    expect(await send(`GET /graphql?query=${encodeURIComponent(FIRST)}`)).toEqual([200, true]);
    expect(await send(`GET /graphql?query=${encodeURIComponent(SECOND)}`)).toEqual([403, false]);
  });

  it('trusted documents are not required for a request without a text', async () => {
    expect(await post({ id: '0', variables: { id: 1 } })).toEqual([200, true]);
    expect(await send('GET /graphql?extensions=%7B%22persistedQuery%22%3A%7B%7D%7D')).toEqual([200, true]);
  });

  it('trusted documents change as soon as their file does; a bad file changes nothing', async () => {
    const replace = async (content: string) => {
      const staged = join(filtered.policyFolder, 'documents/manifest.json.tmp');
      await mkdir(join(filtered.policyFolder, 'documents'), { recursive: true });
      await writeFile(staged, content);
      await rename(staged, join(filtered.policyFolder, 'documents/manifest.json'));
    };
    await replace(manifestOf(SECOND));
    await vi.waitFor(async () => expect(await post({ query: SECOND })).toEqual([200, true]));
    expect(await post({ query: FIRST })).toEqual([403, false]);
    await replace('{"operations": []}');
    await vi.waitFor(async () => expect((await filtered.filter.configz()).last_error).not.toBeNull(), {
      timeout: 90_000,
    });
    expect(await post({ query: SECOND })).toEqual([200, true]);
    await replace(manifestOf(FIRST));
    await vi.waitFor(async () => expect(await post({ query: FIRST })).toEqual([200, true]));
  });
});
