import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildRuntime } from '@flotilla/decision';
import { MemoryPeer } from '@flotilla/grpc-wire/testing';
import { loadPolicyFiles } from '@flotilla/policy';
import { ensureTestEnvoy, TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExchangeListener, ExchangeServer } from './exchange/exchange.ts';
import { createExchangeTransport, PROCESS_PATH } from './exchange/exchange-transport.ts';
import { RawClient } from './testing/raw-client.ts';
import { RecordingEnvoy } from './testing/recording-envoy.ts';

const SPEC = {
  // Far above what they need, so that waiting for a core causes no other verdict.
  defaults: { inspect_request_body: true, max_request_body_bytes: 65_536, timeout: '900ms' },
  domains: [
    {
      hosts: ['api.example.com'],
      routes: [
        { match: { path_prefix: '/graphql' }, policy: { engines: { graphql: { max_depth: 3 } } } },
        { match: { path_prefix: '/keyed' }, policy: { engines: { api_key: { keys: [{ key: 'the-key' }] } } } },
      ],
    },
  ],
};

const SHALLOW = '{"query":"{ a { b } }"}';
const DEEP = '{"query":"{ a { b { c { d { e } } } } }"}';
const HOST = 'host: api.example.com\r\n';
const QUERY = `POST /graphql HTTP/1.1\r\n${HOST}content-type: application/json\r\n`;
const withLength = (body: string) => `${QUERY}content-length: ${body.length}\r\n\r\n${body}`;
const inChunks = (body: string) =>
  `${QUERY}transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\nx-trailer: 1\r\n\r\n`;

const REQUESTS: readonly (readonly [request: string, status: number])[] = [
  [`GET /keyed HTTP/1.1\r\n${HOST}x-api-key: the-key\r\n\r\n`, 200],
  [`GET /keyed HTTP/1.1\r\n${HOST}\r\n`, 403],
  [withLength(SHALLOW), 200],
  [withLength(DEEP), 403],
  [inChunks(SHALLOW), 200],
];

/** Records the events of the exchanges in order. */
class Notes implements ExchangeListener {
  lines: string[] = [];
  readonly onFinding: ExchangeListener['onFinding'] = ({ engine, verdict }) =>
    this.#note(`${engine} ${verdict.reason}`);
  readonly onEngineError = (engine: string) => this.#note(`broken ${engine}`);
  readonly onDecided = (isBlocked: boolean) => this.#note(isBlocked ? 'blocked' : 'allowed');
  readonly onBodyInspected = (bytes: number) => this.#note(`inspected ${bytes}`);
  readonly onBodyAsked = () => this.#note('body asked');
  readonly onBodyArrived = (isComplete: boolean) => this.#note(isComplete ? 'body arrived' : 'body cut');
  readonly onBodyCut = () => this.#note('cut');
  readonly onHeadersMissing = () => this.#note('headers missing');
  readonly onBodyMissing = () => this.#note('body missing');
  readonly onBodyIgnored = () => this.#note('body ignored');
  readonly onBodyAbandoned = () => this.#note('body abandoned');

  #note(line: string): void {
    this.lines.push(line);
  }
}

function createExchanges(): { exchanges: ExchangeServer; notes: Notes } {
  const document = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'p' }, spec: SPEC };
  const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  const runtime = buildRuntime(loaded.value, { nowMs: 0 });
  const notes = new Notes();
  return { exchanges: new ExchangeServer({ trustedHops: 0, listener: notes, currentRuntime: () => runtime }), notes };
}

describe.each(TIER_ENVOY_VERSIONS)('behind Envoy %s,', (version) => {
  let folder: string;
  let recorder: Server;
  let recorded: Buffer;
  const { exchanges, notes } = createExchanges();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cut-'));
    const transport = createExchangeTransport(exchanges, () => undefined);
    await transport.listen({ kind: 'unix', path: join(folder, 'filter.sock') });
    const connections: Buffer[][] = [];
    recorder = createServer((envoy) => {
      const chunks: Buffer[] = [];
      connections.push(chunks);
      const filter = connect(join(folder, 'filter.sock'));
      envoy.on('data', (chunk: Buffer) => chunks.push(Buffer.from(chunk)));
      for (const socket of [envoy, filter]) socket.on('error', () => undefined);
      envoy.pipe(filter).pipe(envoy);
    });
    recorder.listen(join(folder, 's.sock'));
    await once(recorder, 'listening');
    const envoy = new RecordingEnvoy({ folder, shieldSocket: join(folder, 's.sock'), listeners: { plain: {} } });
    await envoy.start((await ensureTestEnvoy(version)).path);
    const client = new RawClient(envoy.portOf('plain'));
    for (const [request, status] of REQUESTS) expect((await client.send(request)).status).toBe(status);
    client.close();
    await envoy.close();
    await transport.close(0);
    recorded = Buffer.concat(connections.toSorted((a, b) => b.length - a.length)[0] ?? []);
  });

  afterAll(async () => {
    recorder?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Returns what the filter finds and answers, per stream, when the bytes arrive in these pieces. */
  function serve(pieces: readonly Buffer[]) {
    notes.lines = [];
    const peer = new MemoryPeer({ path: PROCESS_PATH, open: (call) => exchanges.open(call) });
    for (const piece of pieces) peer.send(piece);
    const answers = new Map<number, string>();
    for (const { type, flags, id, payload } of peer.frames) {
      if (id > 0) answers.set(id, `${answers.get(id) ?? ''} ${type} ${flags} ${payload.toString('hex')}`);
    }
    const { errors, counters } = peer;
    return { notes: notes.lines, answers, errors, open: counters.openStreams, messages: counters.messages };
  }

  it('split connections give the same verdicts and answers wherever they are cut, even byte by byte', () => {
    const whole = serve([recorded]);
    const decided = whole.notes.filter((line) => line === 'allowed' || line === 'blocked');
    // Preceded by the request that checked whether Envoy was up.
    expect(decided).toEqual(['allowed', ...REQUESTS.map(([, status]) => (status === 200 ? 'allowed' : 'blocked'))]);
    expect([whole.errors, whole.open]).toEqual([[], 0]);
    for (let at = 1; at < recorded.length; at++) {
      expect(serve([recorded.subarray(0, at), recorded.subarray(at)]), `cut at ${at}`).toEqual(whole);
    }
    expect(serve(Array.from(recorded, (byte) => Buffer.of(byte)))).toEqual(whole);
  });
});
