import { type ClientHttp2Session, connect } from 'node:http2';
import { PATH_PIECES, type PathReader, servePath } from '@flotilla/policy/testing';
import { TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FilteredEnvoy, startFilteredEnvoy } from './testing/filtered-envoy.ts';
import { RawClient } from './testing/raw-client.ts';
import type { RecordingEnvoy } from './testing/recording-envoy.ts';

const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: forms }
spec:
  domains:
    - hosts: [api.example.com]
      routes:
        - match: { path_prefix: /guarded }
          policy: { engines: { api_key: { keys: [{ key: the-key }] } } }
    - hosts: [closed.example.com, 192.0.2.1]
      policy: { engines: { api_key: { keys: [{ key: the-key }] } } }
`;

const UNTOUCHED = { normalize_path: false, merge_slashes: false, path_with_escaped_slashes_action: 'KEEP_UNCHANGED' };
const LISTENERS = {
  generated: {},
  rejecting: { manager: { path_with_escaped_slashes_action: 'REJECT_REQUEST', strip_any_host_port: true } },
  untouched: { manager: UNTOUCHED },
} as const;
type ListenerName = keyof typeof LISTENERS;
const NAMES: readonly ListenerName[] = ['generated', 'rejecting', 'untouched'];

const READERS: readonly PathReader[] = [0, 1, 2].flatMap((rounds) =>
  (['plain', 'keep', 'lenient'] as const).flatMap((decoding) =>
    [false, true].flatMap((backslashSeparates) =>
      [false, true].flatMap((parametersCut) =>
        [false, true].map((queryCut) => ({
          rounds,
          decoding,
          backslashSeparates,
          parametersCut,
          queryCut,
          caseFolded: true,
        })),
      ),
    ),
  ),
);

/** How programs read the name in a Host header. */
const HOST_READERS: readonly ((host: string) => string)[] = [
  (host) => host,
  (host) => host.split(':')[0] ?? '',
  (host) => host.replace(/:[^:]*$/, ''),
  (host) => host.split(',')[0]?.trim() ?? '',
  (host) => host.split(',').at(-1)?.trim() ?? '',
  (host) => host.slice(host.lastIndexOf('@') + 1),
  (host) => host.replace(/\.+$/, ''),
  (host) => URL.parse(`http://${host}/`)?.hostname ?? '',
];

describe.each(TIER_ENVOY_VERSIONS)('behind Envoy %s,', (version) => {
  let filtered: FilteredEnvoy;
  let envoy: RecordingEnvoy;
  const clients = new Map<ListenerName, RawClient>();

  beforeAll(async () => {
    filtered = await startFilteredEnvoy({ version, policy: POLICY, listeners: LISTENERS });
    envoy = filtered.envoy;
    for (const name of NAMES) clients.set(name, new RawClient(envoy.portOf(name)));
  });

  afterAll(async () => {
    for (const client of clients.values()) client.close();
    await filtered?.close();
  });

  /** The upstream's view of a request with exactly this head, if it arrived. */
  async function passes(listener: ListenerName, head: string): Promise<{ target: string; host: string } | undefined> {
    const { seen } = envoy.upstream;
    const before = seen.length;
    const client = clients.get(listener);
    const answer = await client?.send(`${head}\r\n\r\n`);
    const request = seen[before];
    expect(answer?.status === 200).toBe(request !== undefined);
    return request && { target: request.target, host: request.header('host').join() };
  }

  const isGuarded = (target: string) =>
    READERS.some((reader) => servePath(target.split('?')[0] ?? '', reader).startsWith('/guarded'));

  // Gunicorn trusts its neighbours by default, and cuts a script name from the path: it serves /guarded.
  it.each(['SCRIPT_NAME: /x', 'Path_Info: /guarded'])('no header can give another path: %s', async (line) => {
    const before = envoy.upstream.seen.length;
    await clients.get('generated')?.send(`GET /x/guarded HTTP/1.1\r\nhost: api.example.com\r\n${line}\r\n\r\n`);
    const reached = envoy.upstream.seen[before];
    expect(reached?.target).toBe('/x/guarded');
    expect([reached?.header('script_name'), reached?.header('path_info')]).toEqual([[], []]);
  });

  it('no spelling of a protected path gets to an upstream that would read it as the protected path', async () => {
    const path = fc
      .array(fc.constantFrom(...PATH_PIECES.filter((piece) => piece !== '\\')), { maxLength: 10 })
      .map((pieces) => `/${pieces.join('')}`);
    const counts = { guarded: 0, passed: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(path, { minLength: 20, maxLength: 40 }), async (paths) => {
        for (const target of paths) {
          for (const listener of NAMES) {
            const passed = await passes(listener, `GET ${target} HTTP/1.1\r\nhost: api.example.com`);
            if (passed === undefined) counts.guarded += 1;
            else {
              counts.passed += 1;
              expect([target, passed.target, isGuarded(passed.target)]).toEqual([target, passed.target, false]);
            }
          }
        }
      }),
      { numRuns: 12 },
    );
    // Guards against a property that holds because nothing, or everything, passes.
    expect(Math.min(counts.guarded, counts.passed)).toBeGreaterThan(50);
  });

  it('the path of a request with the key is never read as another', async () => {
    for (const target of ['/guarded/a', '//guarded', '/x/..;/guarded', '/%67uarded', '/GUARDED']) {
      const passed = await passes('untouched', `GET ${target} HTTP/1.1\r\nhost: api.example.com\r\nx-api-key: the-key`);
      expect(passed).toEqual({ target, host: 'api.example.com' });
    }
  });

  it('no spelling of a protected host gets to an upstream that would read it as the protected host', async () => {
    const piece = fc.constantFrom(
      ...['closed.example.com', 'Closed.Example.com', 'open.example.com', '192.0.2.1', '192.0.513', '0xc0.0.2.1'],
      ...[':', '@', ',', ', ', '.', '80', '[', ']', '::1', '%2e'],
    );
    const authority = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''));
    const counts = { guarded: 0, passed: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(authority, { minLength: 20, maxLength: 40 }), async (authorities) => {
        for (const host of authorities) {
          for (const listener of NAMES) {
            const passed = await passes(listener, `GET / HTTP/1.1\r\nhost: ${host}`);
            if (passed === undefined) {
              counts.guarded += 1;
              continue;
            }
            counts.passed += 1;
            const read = HOST_READERS.map((reader) => reader(passed.host.toLowerCase()));
            expect([host, read.filter((name) => /^(?:closed\.example\.com|192\.0\.2\.1)$/.test(name))]).toEqual([
              host,
              [],
            ]);
          }
        }
      }),
      { numRuns: 12 },
    );
    expect(Math.min(counts.guarded, counts.passed)).toBeGreaterThan(50);
  });

  it.each([
    ['two Host lines', 'GET / HTTP/1.1\r\nhost: open.example.com\r\nhost: closed.example.com'],
    ['two Host lines, the guarded first', 'GET / HTTP/1.1\r\nhost: closed.example.com\r\nhost: open.example.com'],
    ['an absolute target', 'GET http://closed.example.com/ HTTP/1.1\r\nhost: open.example.com'],
    ['a port', 'GET / HTTP/1.1\r\nhost: closed.example.com:8443'],
    ['a trailing dot', 'GET / HTTP/1.1\r\nhost: closed.example.com.'],
    ['two ports', 'GET / HTTP/1.1\r\nhost: closed.example.com:80:80'],
    ['userinfo', 'GET / HTTP/1.1\r\nhost: closed.example.com:80@open.example.com'],
    ['a short address', 'GET / HTTP/1.1\r\nhost: 192.0.513'],
  ])('a host given by %s is protected', async (_how, head) => {
    for (const listener of NAMES) expect(await passes(listener, head)).toBeUndefined();
  });

  it.each([
    ['CONNECT', 'CONNECT closed.example.com:443 HTTP/1.1\r\nhost: closed.example.com:443'],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nhost: closed.example.com'],
    ['no host', 'GET /guarded HTTP/1.1'],
    ['HTTP/1.0', 'GET /guarded HTTP/1.0\r\nhost: api.example.com'],
    ['a fragment', 'GET /x#/../guarded HTTP/1.1\r\nhost: api.example.com'],
    ['a relative target', 'GET guarded HTTP/1.1\r\nhost: api.example.com'],
    ['a NUL', 'GET /guarded\x00 HTTP/1.1\r\nhost: api.example.com'],
    ['raw UTF-8', 'GET /guarded\xc3\xa9 HTTP/1.1\r\nhost: api.example.com'],
  ])('a request never passes: %s', async (_what, head) => {
    for (const listener of NAMES) expect(await passes(listener, head)).toBeUndefined();
  });

  it('paths and authorities of HTTP/2 are read alike', async () => {
    let session: ClientHttp2Session | undefined;
    // Envoy closes the connection for some of them.
    const ask = async (headers: Record<string, string>): Promise<number> => {
      if (session === undefined || session.closed || session.destroyed) {
        session = connect(`http://127.0.0.1:${envoy.portOf('untouched')}`);
        session.on('error', () => undefined);
      }
      const { promise, resolve } = Promise.withResolvers<number>();
      const stream = session.request({ ':method': 'GET', ':authority': 'api.example.com', ...headers });
      stream.on('response', (response) => resolve(Number(response[':status'])));
      stream.on('error', () => resolve(0));
      stream.on('close', () => resolve(0));
      stream.resume();
      stream.end();
      return promise;
    };
    const targets = fc.sample(fc.array(fc.constantFrom(...PATH_PIECES), { maxLength: 8 }), 150);
    const spellings = [
      ...targets.map((pieces) => `/${pieces.join('')}`),
      'guarded',
      '*',
      '/guarded\t',
      '/a b/../guarded',
    ];
    for (const target of spellings) {
      const before = envoy.upstream.seen.length;
      await ask({ ':path': target });
      const passed = envoy.upstream.seen[before];
      if (passed) expect([target, isGuarded(passed.target)]).toEqual([target, false]);
    }
    for (const authority of [
      'closed.example.com',
      'closed.example.com:80:80',
      'x@closed.example.com',
      'CLOSED.example.com.',
    ])
      expect([403, 400, 0]).toContain(await ask({ ':path': '/', ':authority': authority }));
    expect(await ask({ ':path': '/', ':authority': 'open.example.com', host: 'closed.example.com' })).toBe(200);
    expect(envoy.upstream.seen.at(-1)?.header('host')).toEqual(['open.example.com']);
    session?.destroy();
  });
});
