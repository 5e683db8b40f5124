// What a decision of the filter costs, and how many header exchanges a second its transport carries.
// node bench/src/shield.ts [runs]
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { buildRuntime, type PolicyRuntime } from '@flotilla/decision';
import { loadPolicyFiles } from '@flotilla/policy';
import { extProc } from '@flotilla/proto';
import { openExchange } from '../../apps/shield/src/filter.ts';
import { ShieldMetrics } from '../../apps/shield/src/metrics.ts';
import { FilterProcess } from '../../apps/shield/src/testing/filter-process.ts';
import { median } from './table.ts';

const runs = Number(process.argv[2] ?? 5);
const DECISIONS = 200_000;
const EXCHANGE_SECONDS = 2;
const CONCURRENCY = 64;
const DOMAINS = 10_000;

const ENGINES = {
  none: {},
  api_key: { api_key: { keys: [{ key: 'the-key' }] } },
  rate_limit: { rate_limit: { requests_per_second: 1e9, burst: 1_000_000_000 } },
  exhausted: { rate_limit: { requests_per_second: 0.000_001, burst: 1 } },
};

function describePolicy(engines: object, domains = 1): string {
  const spec = {
    domains: Array.from({ length: domains }, (_, n) => ({
      hosts: [n === 0 ? 'api.example.com' : `d${n}.example.com`],
      routes: ['/v1/users', '/v1/orders', '/admin'].map((path_prefix) => ({
        match: { path_prefix },
        policy: { engines },
      })),
    })),
  };
  return JSON.stringify({ apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'bench' }, spec });
}

function compile(engines: object, domains = 1): PolicyRuntime {
  const loaded = loadPolicyFiles([{ path: 'p.json', content: describePolicy(engines, domains) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error[0]));
  return buildRuntime(loaded.value, { nowMs: Date.now() });
}

/** What Envoy sends for a browser's request. */
function encodeRequest(path: string, key = 'the-key'): Uint8Array {
  const headers = Object.entries({
    ':authority': 'api.example.com',
    ':path': path,
    ':method': 'GET',
    ':scheme': 'https',
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    accept: 'application/json',
    'accept-encoding': 'gzip, deflate, br',
    'x-forwarded-for': '198.51.100.23,192.0.2.17',
    'x-forwarded-proto': 'https',
    'x-request-id': '2b7f5a1e-7d0c-4d5e-9b0e-0b8f6f3f6a51',
    'x-api-key': key,
  }).map(([name, value]) => ({ key: name, rawValue: Buffer.from(value) }));
  return toBinary(
    extProc.ProcessingRequestSchema,
    create(extProc.ProcessingRequestSchema, {
      request: { case: 'requestHeaders', value: { headers: { headers }, endOfStream: true } },
      attributes: { 'envoy.filters.http.ext_proc': { 'source.address': '192.0.2.17:40022' } },
    }),
  );
}

function measureDecision(runtime: PolicyRuntime, request: Uint8Array) {
  const metrics = new ShieldMetrics({ engines: () => runtime.engines, onEngineFailure: () => undefined });
  const message = fromBinary(extProc.ProcessingRequestSchema, request);
  const options = { trustedHops: 0, metrics, currentRuntime: () => runtime };
  const samples = { decide: [] as number[], decoded: [] as number[] };
  for (let run = 0; run <= runs; run++) {
    let began = performance.now();
    for (let n = 0; n < DECISIONS; n++) openExchange(options).answer(message);
    const decide = ((performance.now() - began) / DECISIONS) * 1e6;
    began = performance.now();
    for (let n = 0; n < DECISIONS; n++)
      openExchange(options).answer(fromBinary(extProc.ProcessingRequestSchema, request));
    const decoded = ((performance.now() - began) / DECISIONS) * 1e6;
    if (run === 0) continue;
    samples.decide.push(decide);
    samples.decoded.push(decoded);
  }
  return {
    'decision (ns)': Math.round(median(samples.decide)),
    'with protobuf decoding (ns)': Math.round(median(samples.decoded)),
  };
}

/** One gRPC message with its five bytes of framing. */
function frame(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

async function countExchanges(socket: string, body: Buffer, seconds: number): Promise<number> {
  const session: ClientHttp2Session = connect('http://filter', { createConnection: () => connectSocket(socket) });
  const until = performance.now() + seconds * 1000;
  const headers = {
    ':method': 'POST',
    ':path': '/envoy.service.ext_proc.v3.ExternalProcessor/Process',
    'content-type': 'application/grpc',
    te: 'trailers',
  };
  const exchange = async (): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stream = session.request(headers);
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    stream.on('error', reject);
    stream.on('close', () => (bytes > 0 ? resolve() : reject(new Error('the exchange had no answer'))));
    stream.end(body);
    await promise;
  };
  let count = 0;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (performance.now() < until) {
        await exchange();
        count += 1;
      }
    }),
  );
  session.close();
  return count / seconds;
}

async function measureTransport(engines: object, request: Uint8Array) {
  const folder = await mkdtemp(join(tmpdir(), 'bench-shield-'));
  const socket = join(folder, 's.sock');
  await writeFile(join(folder, 'p.json'), describePolicy(engines));
  const filter = new FilterProcess(
    ['--policy', join(folder, 'p.json'), '--listen', `unix:${socket}`],
    join(folder, 'a.sock'),
  );
  await filter.start();
  try {
    await countExchanges(socket, frame(request), 1);
    const cpuBefore = await filter.counter('process_cpu_seconds_total');
    const rates: number[] = [];
    for (let run = 0; run < runs; run++) rates.push(await countExchanges(socket, frame(request), EXCHANGE_SECONDS));
    const cpu = (await filter.counter('process_cpu_seconds_total')) - cpuBefore;
    const exchanges = rates.reduce((sum, rate) => sum + rate * EXCHANGE_SECONDS, 0);
    return {
      'exchanges/s': Math.round(median(rates)),
      'filter CPU per exchange (us)': Number(((cpu / exchanges) * 1e6).toFixed(1)),
      'RSS after (MB)': Math.round((await filter.counter('process_resident_memory_bytes')) / 1e6),
    };
  } finally {
    await filter.end();
    await rm(folder, { recursive: true, force: true });
  }
}

const plain = encodeRequest('/v1/users/42');
console.log(`decisions, median of ${runs} runs of ${DECISIONS}`);
console.table({
  'no engine (baseline)': measureDecision(compile(ENGINES.none), plain),
  'api_key allowed': measureDecision(compile(ENGINES.api_key), plain),
  'api_key blocked': measureDecision(compile(ENGINES.api_key), encodeRequest('/v1/users/42', 'other')),
  'rate_limit allowed': measureDecision(compile(ENGINES.rate_limit), plain),
  'rate_limit blocked': measureDecision(compile(ENGINES.exhausted), plain),
  'both, 10,000 domains': measureDecision(compile({ ...ENGINES.api_key, ...ENGINES.rate_limit }, DOMAINS), plain),
  'both, path with many readings': measureDecision(
    compile({ ...ENGINES.api_key, ...ENGINES.rate_limit }),
    encodeRequest('/x/..;/v1%2f../v1/users/%2542'),
  ),
});

const began = performance.now();
compile(ENGINES.api_key, DOMAINS);
console.log(`load and compile ${DOMAINS} domains of 3 routes (JSON): ${Math.round(performance.now() - began)} ms\n`);

console.log(
  `transport, one connection, ${CONCURRENCY} exchanges at once, median of ${runs} runs of ${EXCHANGE_SECONDS} s`,
);
console.table({
  'no engine (baseline)': await measureTransport(ENGINES.none, plain),
  'api_key and rate_limit': await measureTransport({ ...ENGINES.api_key, ...ENGINES.rate_limit }, plain),
  'blocked by api_key': await measureTransport(ENGINES.api_key, encodeRequest('/v1/users/42', 'other')),
});
