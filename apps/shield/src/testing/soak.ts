import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { extProc } from '@flotilla/proto';
import { readRssMb } from '@flotilla/testkit';
import { FilterProcess } from './filter-process.ts';

const PATH = '/envoy.service.ext_proc.v3.ExternalProcessor/Process';
const HOST = 'api.example.com';
const WORKERS = 32;
const EXCHANGES_PER_CONNECTION = 20_000;
const RELOAD_EVERY_MS = 250;
const SAMPLE_EVERY_MS = 1000;

type Message = Parameters<typeof create<typeof extProc.ProcessingRequestSchema>>[1];

/** A kind of traffic: what is sent, and its correct endings. */
interface Traffic {
  readonly messages: (n: number) => readonly Message[];
  readonly endings: readonly string[];
  /** Aborts the exchange after its last message, like a disconnecting client. */
  readonly breaksOff?: boolean;
}

function headers(fields: Readonly<Record<string, string>>, endOfStream = true): Message {
  const all = { ':method': 'GET', ':path': '/v1/x', ':authority': HOST, ...fields };
  const list = Object.entries(all).map(([key, value]) => ({ key, rawValue: Buffer.from(value) }));
  return { request: { case: 'requestHeaders', value: { headers: { headers: list }, endOfStream } } };
}

const body = (bytes: Uint8Array): Message => ({
  request: { case: 'requestBody', value: { body: bytes, endOfStream: true } },
});
const POST = { ':method': 'POST', ':path': '/graphql', 'content-type': 'application/json', 'x-api-key': 'k1' };
const query = (depth: number) => Buffer.from(JSON.stringify({ query: `${'{a'.repeat(depth)}${'}'.repeat(depth)}` }));

const TRAFFIC: readonly Traffic[] = [
  { messages: () => [headers({ 'x-api-key': 'k1' })], endings: ['requestHeaders'] },
  { messages: (n) => [headers({ 'x-api-key': `wrong-${n}` })], endings: ['apikey.unknown'] },
  { messages: () => [headers({})], endings: ['apikey.missing'] },
  { messages: (n) => [headers({ ':authority': `h${n}.example.org` })], endings: ['requestHeaders'] },
  { messages: (n) => [headers({ ':path': `/v1/%2e%2e/x;${n}//y`, 'x-api-key': 'k1' })], endings: ['requestHeaders'] },
  // A new key each, which fills the limiter.
  {
    messages: (n) => [headers({ ':path': '/limited/', 'x-forwarded-for': `2001:db8::${(n % 65_536).toString(16)}` })],
    endings: ['requestHeaders', 'ratelimit.exceeded'],
  },
  { messages: () => [headers(POST, false), body(query(2))], endings: ['requestBody'] },
  { messages: () => [headers(POST, false), body(query(20))], endings: ['graphql.depth'] },
  { messages: () => [headers(POST, false), body(Buffer.alloc(20_000, ' '))], endings: ['body.too_large'] },
  {
    messages: () => [headers({ ...POST, 'content-encoding': 'gzip' }, false), body(gzipSync(query(20)))],
    endings: ['graphql.depth'],
  },
  { messages: () => [headers(POST, false)], endings: ['broken off'], breaksOff: true },
];

function describePolicy(revision: number): string {
  const spec = {
    defaults: { inspect_request_body: true, max_request_body_bytes: 10_000, timeout: '900ms' },
    domains: [
      {
        hosts: [HOST],
        policy: { engines: { api_key: { keys: [{ key: 'k1' }, { key: `k-${revision}` }] } } },
        routes: [
          { match: { path_prefix: '/graphql' }, policy: { engines: { graphql: { max_depth: 5 } } } },
          {
            match: { path_prefix: '/limited/' },
            policy: { engines: { api_key: null, rate_limit: { requests_per_second: 1, burst: 3 } } },
          },
        ],
      },
    ],
  };
  return JSON.stringify({ apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'soak' }, spec });
}

export interface SoakReport {
  /** Resident memory in MB, once a second. */
  readonly rssMb: readonly number[];
  readonly exchanges: number;
  readonly reloads: number;
  /** Descriptions of exchanges that ended incorrectly; empty if all is well. */
  readonly surprises: readonly string[];
}

/**
 * Sends every kind of traffic to a filter (in a separate process) at once for `seconds`, with continuous policy
 * reloads. Every exchange must end correctly, and memory must not grow.
 */
export async function soak(seconds: number): Promise<SoakReport> {
  const folder = await mkdtemp(join(tmpdir(), 'shield-soak-'));
  const socket = join(folder, 's.sock');
  const policy = join(folder, 'p.json');
  await writeFile(policy, describePolicy(0));
  const filter = new FilterProcess(['--policy', policy, '--listen', `unix:${socket}`], join(folder, 'a.sock'));
  await filter.start();
  const connections = new Connections(socket);
  const until = performance.now() + seconds * 1000;
  const surprises: string[] = [];
  const rssMb: number[] = [];
  let exchanges = 0;
  let reloads = 0;
  const drive = async (worker: number) => {
    for (let n = worker; performance.now() < until; n += WORKERS) {
      const traffic = TRAFFIC[n % TRAFFIC.length];
      if (traffic === undefined) continue;
      const ending = await exchange(connections.take(), traffic.messages(n), traffic.breaksOff === true);
      exchanges += 1;
      if (!traffic.endings.includes(ending)) surprises.push(`${ending} instead of ${traffic.endings.join(' or ')}`);
    }
  };
  const reload = async () => {
    for (; performance.now() < until; await sleep(RELOAD_EVERY_MS)) {
      reloads += 1;
      await writeFile(`${policy}.tmp`, describePolicy(reloads));
      await rename(`${policy}.tmp`, policy);
    }
  };
  const watch = async () => {
    for (; performance.now() < until; await sleep(SAMPLE_EVERY_MS)) rssMb.push(await readRssMb(filter.pid));
  };
  try {
    await Promise.all([...Array.from({ length: WORKERS }, (_, worker) => drive(worker)), reload(), watch()]);
    return { rssMb, exchanges, reloads, surprises };
  } finally {
    connections.close();
    await filter.end();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Sequential connections: Node's client closes one itself (ENHANCE_YOUR_CALM) after enough aborted exchanges. */
class Connections {
  readonly #socket: string;
  #session: ClientHttp2Session | undefined;
  #taken = 0;

  constructor(socket: string) {
    this.#socket = socket;
  }

  take(): ClientHttp2Session {
    if (this.#taken % EXCHANGES_PER_CONNECTION === 0) {
      this.#session?.close();
      this.#session = undefined;
    }
    this.#taken += 1;
    this.#session ??= connect('http://filter', { createConnection: () => connectSocket(this.#socket) });
    return this.#session;
  }

  close(): void {
    this.#session?.destroy();
  }
}

async function exchange(
  session: ClientHttp2Session,
  messages: readonly Message[],
  breaksOff: boolean,
): Promise<string> {
  const stream = session.request({
    ':method': 'POST',
    ':path': PATH,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const chunks: Buffer[] = [];
  stream.on('error', () => undefined);
  stream.on('close', resolve);
  let next = 0;
  const sendNext = () => {
    const message = messages[next];
    next += 1;
    if (message !== undefined) stream.write(frame(message));
    else if (breaksOff) stream.close(8);
    else stream.end();
  };
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    sendNext();
  });
  sendNext();
  await promise;
  return breaksOff ? 'broken off' : describeEnding(Buffer.concat(chunks));
}

function frame(init: Message): Buffer {
  const message = toBinary(extProc.ProcessingRequestSchema, create(extProc.ProcessingRequestSchema, init));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** The last answer of an exchange: what was continued, or the reason of the block. */
function describeEnding(bytes: Buffer): string {
  let last = 'no answer';
  for (let at = 0; at + 5 <= bytes.length; at += 5 + bytes.readUInt32BE(at + 1)) {
    const message = bytes.subarray(at + 5, at + 5 + bytes.readUInt32BE(at + 1));
    const { response } = fromBinary(extProc.ProcessingResponseSchema, message);
    last = response.case === 'immediateResponse' ? response.value.details : String(response.case);
  }
  return last;
}
