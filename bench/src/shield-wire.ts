// Measures header exchanges per second on one core, by wire and policy, with load from h2load on the other core; and
// the tail latency at half load.
// node bench/src/shield-wire.ts [runs] [seconds]
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts, readRssMb } from '@flotilla/testkit';
import { describePolicy, ENGINES } from './shield/describe-policy.ts';
import { encodeRequest, toGrpcFrame } from './shield/encode-request.ts';
import { end, readCpuSeconds, readDurationsMs, requireTool, runOn, startOn } from './shield/processes.ts';
import { median, percentile } from './table.ts';

const runs = Number(process.argv[2] ?? 5);
const seconds = Number(process.argv[3] ?? 3);
const SERVER_CORE = 0;
const LOAD_CORE = 1;
const CLIENTS = 4;
const STREAMS = 64;
const WARM_UP_EXCHANGES = 200_000;

const h2load = requireTool('h2load', 'nghttp2-client');
const folder = await mkdtemp(join(tmpdir(), 'bench-wire-'));
const policies = {
  bare: 'bare',
  both: join(folder, 'both.json'),
  blocked: join(folder, 'blocked.json'),
};
await writeFile(policies.both, describePolicy({ ...ENGINES.api_key, ...ENGINES.rate_limit }));
await writeFile(policies.blocked, describePolicy(ENGINES.api_key));

async function writeBody(name: string, key?: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, toGrpcFrame(encodeRequest(key === undefined ? {} : { key })));
  return path;
}
const good = await writeBody('good.bin');
const bad = await writeBody('bad.bin', 'another-key');

function load(port: number, body: string, args: readonly string[]): Promise<string> {
  const headers = ['-H', 'content-type: application/grpc', '-H', 'te: trailers'];
  const url = `http://127.0.0.1:${port}/envoy.service.ext_proc.v3.ExternalProcessor/Process`;
  return runOn(LOAD_CORE, h2load, ['-t', '1', '-d', body, ...headers, ...args, url]);
}

function rateOf(output: string): number {
  const failed = Number(/(\d+) failed/.exec(output)?.[1] ?? 0);
  if (failed > 0) throw new Error(`${failed} exchanges failed:\n${output}`);
  return Number(/, ([\d.]+) req\/s/.exec(output)?.[1] ?? Number.NaN);
}

async function measure(variant: string, policy: string, body: string) {
  const [port = 0] = await findFreePorts(1);
  const script = join(import.meta.dirname, 'shield/serve-variant.ts');
  const server = await startOn(SERVER_CORE, process.execPath, [script, variant, String(port), policy], 'serving');
  const pid = server.pid ?? 0;
  try {
    const clients = ['-c', String(CLIENTS), '-m', String(STREAMS)];
    await load(port, body, ['-n', String(WARM_UP_EXCHANGES), ...clients]);
    const rates: number[] = [];
    const costs: number[] = [];
    for (let run = 0; run < runs; run++) {
      const before = await readCpuSeconds(pid);
      const rate = rateOf(await load(port, body, ['-D', String(seconds), ...clients]));
      costs.push((((await readCpuSeconds(pid)) - before) / (rate * seconds)) * 1e6);
      rates.push(rate);
    }
    const rate = median(rates);
    return {
      'exchanges/s': Math.round(rate),
      'CPU (us)': Number(median(costs).toFixed(2)),
      'p99 at half load (ms)': Number((await measureTail(port, body, rate / 2)).toFixed(2)),
      'RSS (MB)': Math.round(await readRssMb(pid)),
    };
  } finally {
    await end(server);
  }
}

async function measureTail(port: number, body: string, rate: number): Promise<number> {
  const log = join(folder, 'exchanges.log');
  await rm(log, { force: true });
  const perClient = Math.max(1, Math.round(rate / CLIENTS));
  await load(port, body, [
    '-D',
    String(seconds),
    '-c',
    String(CLIENTS),
    '-m',
    '64',
    `--rps=${perClient}`,
    `--log-file=${log}`,
  ]);
  return percentile(await readDurationsMs(log), 0.99);
}

try {
  console.log(`one connection set of ${CLIENTS} with ${STREAMS} streams each, median of ${runs} runs of ${seconds} s`);
  console.table({
    'wire, bare': await measure('wire', policies.bare, good),
    'wire, api_key and rate_limit': await measure('wire', policies.both, good),
    'wire, blocked by api_key': await measure('wire', policies.blocked, bad),
    'node:http2, bare': await measure('http2', policies.bare, good),
    'node:http2, api_key and rate_limit': await measure('http2', policies.both, good),
    'grpc-js, bare': await measure('grpc-js', policies.bare, good),
    'grpc-js, api_key and rate_limit': await measure('grpc-js', policies.both, good),
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}
