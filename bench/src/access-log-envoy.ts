// Measures what API discovery costs a real Envoy: the same load goes through an Envoy with the access log and through one without, which take turns. The agent
// with its spool runs in this process, the controller's streams too: `node bench/src/access-log-envoy.ts [ROUNDS] [SECONDS] [RATE]`. Envoy answers by itself.
// Costs are those of full load, latencies also those of RATE requests a second.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeCollector } from '@flotilla/agent/testing/fake-collector';
import { LoggedEdge } from '@flotilla/agent/testing/logged-edge';
import { createTestStreams } from '@flotilla/controller/testing/streams';
import { sleep } from '@flotilla/kit';
import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { readCpuSeconds, readDurationsMs, requireTool, runOn } from './shield/processes.ts';
import { median, percentile } from './table.ts';

const rounds = Number(process.argv[2] ?? 5);
const seconds = Number(process.argv[3] ?? 4);
const pacedRate = Number(process.argv[4] ?? 2000);
const CONNECTIONS = 16;
const LOAD_CORE = 1;
/** Envoy answers these paths itself. */
const PATH = '/missing/v1/orders/42?page=3';

const AUTHORIZATION = 'authorization: Bearer abcdefghijklmnopqrstuvwxyz';

const wrk = requireTool('wrk', 'wrk');
const h2load = requireTool('h2load', 'nghttp2-client');
const folder = await mkdtemp(join(tmpdir(), 'bench-access-log-'));

interface Sample {
  readonly rate: number;
  readonly envoyUs: number;
  readonly agentUs: number;
  readonly p50: number;
  readonly p99: number;
  readonly pacedP50: number;
  readonly pacedP99: number;
}

interface Side {
  readonly edge: LoggedEdge;
  readonly samples: Sample[];
  close(): Promise<void>;
}

async function open(isLogged: boolean): Promise<Side> {
  const collector = new FakeCollector();
  // The agent keeps everything on its disk, as it does without a controller: no collector shares the machine.
  collector.mode = 'hang';
  const streams = await createTestStreams({ logs: collector });
  const edge = await LoggedEdge.create(streams, TEST_ENVOY_VERSIONS.newest, { isLogged });
  await edge.start({ accessLogs: { delayMs: 500 } });
  while ((await edge.get('/ready')) !== 'answer') await sleep(50);
  const close = async () => {
    await edge.close();
    await streams.close();
  };
  return { edge, samples: [], close };
}

async function measure({ edge }: Side): Promise<Sample> {
  const url = `http://127.0.0.1:${edge.httpPort}${PATH}`;
  const args = ['-t', '1', '-c', String(CONNECTIONS), '--latency', '-H', AUTHORIZATION];
  // Envoy hands over its entries up to a second later.
  await sleep(2000);
  await runOn(LOAD_CORE, wrk, [...args, '-d', '1s', url]);
  const pid = edge.envoyPid();
  const [envoy, agent] = [await readCpuSeconds(pid), process.cpuUsage()];
  const output = await runOn(LOAD_CORE, wrk, [...args, '-d', `${seconds}s`, url]);
  const requests = Number(/(\d+) requests in/.exec(output)?.[1]);
  const { user, system } = process.cpuUsage(agent);
  const paced = await measurePaced(url);
  return {
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]),
    envoyUs: (((await readCpuSeconds(pid)) - envoy) / requests) * 1e6,
    agentUs: (user + system) / requests,
    p50: readLatency(output, '50'),
    p99: readLatency(output, '99'),
    pacedP50: median(paced),
    pacedP99: percentile(paced, 0.99),
  };
}

/** Milliseconds of requests that are sent at a rate below saturation. */
async function measurePaced(url: string): Promise<number[]> {
  const log = join(folder, 'requests.log');
  await rm(log, { force: true });
  const pace = [`--rps=${Math.round(pacedRate / CONNECTIONS)}`, `--log-file=${log}`, '-D', String(seconds)];
  await runOn(LOAD_CORE, h2load, ['--h1', '-t', '1', '-c', String(CONNECTIONS), ...pace, '-H', AUTHORIZATION, url]);
  return readDurationsMs(log);
}

/** wrk prints `99%    1.20ms`; microseconds, milliseconds or seconds. */
function readLatency(output: string, percent: string): number {
  const [, amount = 'NaN', unit = ''] = new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s)`).exec(output) ?? [];
  return Number(amount) * (unit === 'us' ? 0.001 : unit === 's' ? 1000 : 1);
}

const [plain, logged] = [await open(false), await open(true)];
try {
  for (let round = 0; round <= rounds; round += 1) {
    for (const side of [plain, logged]) {
      const sample = await measure(side);
      // The first round warms up.
      if (round > 0) side.samples.push(sample);
    }
  }
  const of = ({ samples }: Side, field: keyof Sample) => Number(median(samples.map((one) => one[field])).toFixed(2));
  const row = (side: Side) => ({
    'requests/s': Math.round(of(side, 'rate')),
    'Envoy CPU (us)': of(side, 'envoyUs'),
    'agent CPU (us)': of(side, 'agentUs'),
    'p50 (ms)': of(side, 'p50'),
    'p99 (ms)': of(side, 'p99'),
    [`p50 at ${pacedRate}/s (ms)`]: of(side, 'pacedP50'),
    [`p99 at ${pacedRate}/s (ms)`]: of(side, 'pacedP99'),
  });
  console.log(`${CONNECTIONS} connections, median of ${rounds} rounds of ${seconds} s`);
  console.table({ 'without API discovery': row(plain), 'with API discovery': row(logged) });
  const more = logged.samples.map((one, at) => one.envoyUs / (plain.samples[at]?.envoyUs ?? Number.NaN));
  console.log(
    `Envoy's CPU time per request with API discovery: ${median(more).toFixed(2)} of the other (median of the rounds)`,
  );
} finally {
  await logged.close();
  await plain.close();
  await rm(folder, { recursive: true });
}
