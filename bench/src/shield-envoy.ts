// Measures the shipped filter behind a real Envoy: CPU of filter and Envoy per request, throughput and percentiles, by
// what the filter does. Allowed requests go to a second Envoy; with `direct` the first one answers them itself.
// Build first: npm run build
// node bench/src/shield-envoy.ts [runs] [seconds] [direct]
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureTestEnvoy, findFreePorts } from '@flotilla/testkit';
import { describeEnvoy } from './shield/bench-envoy.ts';
import { bundleProgram } from './shield/bundle.ts';
import { describePolicy, ENGINES, HOST, KEY } from './shield/describe-policy.ts';
import { end, readCpuSeconds, requireTool, runOn, startOn } from './shield/processes.ts';
import { median } from './table.ts';

const runs = Number(process.argv[2] ?? 3);
const seconds = Number(process.argv[3] ?? 5);
const isDirect = process.argv[4] === 'direct';
const FILTER_CORE = 0;
const ENVOY_CORE = 1;
const CONNECTIONS = 32;
const WARM_UP_SECONDS = 1;

const wrk = requireTool('wrk', 'wrk');
const folder = await mkdtemp(join(tmpdir(), 'bench-shield-'));
const PROGRAM = join(import.meta.dirname, '../../dist/flotilla.mjs');
const VARIANT = join(import.meta.dirname, 'shield/serve-variant.ts');

const QUERY = JSON.stringify({ query: '{ user(id: 42) { name orders(first: 10) { id total items { sku price } } } }' });
const POLICIES = {
  header: { ...ENGINES.api_key, ...ENGINES.rate_limit },
  body: ENGINES.graphql,
} as const;

interface Scenario {
  readonly listener: string;
  readonly request: string;
}

/** wrk reads its requests from a script. */
const GET = `wrk.headers["Host"] = "${HOST}"\nwrk.headers["X-Api-Key"] = "${KEY}"\n`;
const BAD = `wrk.headers["Host"] = "${HOST}"\nwrk.headers["X-Api-Key"] = "another-key"\n`;
const POST = `${GET}wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = [[${QUERY}]]\n`;
const DEEP = POST.replace('{ sku price }', '{ sku price a { b { c { d { e { f { g { h } } } } } } } }');

const BARE = 'bare wire, always continue';
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'no filter': { listener: 'plain', request: GET },
  [BARE]: { listener: 'bare', request: GET },
  'no policy for the host': { listener: 'header', request: GET.replace(HOST, 'other.example.com') },
  'api_key and rate_limit, allowed': { listener: 'header', request: GET },
  'blocked by api_key': { listener: 'header', request: BAD },
  'graphql body, allowed': { listener: 'body', request: POST },
  'graphql body, blocked': { listener: 'body', request: DEEP },
};

const children: ChildProcess[] = [];

async function startFilter(name: keyof typeof POLICIES): Promise<ChildProcess> {
  const policy = join(folder, `${name}.json`);
  await writeFile(policy, describePolicy(POLICIES[name]));
  const args = [PROGRAM, 'shield', '--policy', policy, '--listen', `unix:${join(folder, `${name}.sock`)}`];
  return startOn(FILTER_CORE, process.execPath, args, '"event":"serving"');
}

async function startEnvoy(name: string, config: object): Promise<ChildProcess> {
  const bootstrap = join(folder, `${name}.json`);
  await writeFile(bootstrap, JSON.stringify(config));
  const { path } = await ensureTestEnvoy();
  const args = ['-c', bootstrap, '--disable-hot-restart', '--concurrency', '1', '-l', 'info'];
  const child = await startOn(ENVOY_CORE, path, args, 'starting main dispatch loop');
  children.push(child);
  return child;
}

async function untilServed(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const served = await new Promise<boolean>((resolve) => {
      get({ port, host: '127.0.0.1' }, (response) => resolve(response.resume().statusCode !== undefined)).on(
        'error',
        () => resolve(false),
      );
    });
    if (served) return;
    await sleep(50);
  }
  throw new Error('Envoy did not start');
}

interface Sample {
  readonly rate: number;
  readonly filterUs: number;
  readonly envoyUs: number;
  readonly p50: number;
  readonly p99: number;
}

async function sample(port: number, script: string, filter: number | undefined, envoy: number): Promise<Sample> {
  const load = (forSeconds: number) => {
    const args = ['-t', '1', '-c', String(CONNECTIONS), '-d', `${forSeconds}s`, '--latency', '-s', script];
    return runOn(ENVOY_CORE, wrk, [...args, `http://127.0.0.1:${port}/v1/users/42`]);
  };
  // Warms up: the filter was idle while the others were measured.
  await load(WARM_UP_SECONDS);
  const before = { filter: filter ? await readCpuSeconds(filter) : 0, envoy: await readCpuSeconds(envoy) };
  const output = await load(seconds);
  const requests = Number(/(\d+) requests in/.exec(output)?.[1] ?? Number.NaN);
  const used = { filter: filter ? await readCpuSeconds(filter) : 0, envoy: await readCpuSeconds(envoy) };
  return {
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]),
    filterUs: ((used.filter - before.filter) / requests) * 1e6,
    envoyUs: ((used.envoy - before.envoy) / requests) * 1e6,
    p50: readLatency(output, '50'),
    p99: readLatency(output, '99'),
  };
}

/** wrk prints `99%    1.20ms`; microseconds, milliseconds or seconds. */
function readLatency(output: string, percent: string): number {
  const [, amount = 'NaN', unit = ''] = new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s)`).exec(output) ?? [];
  return Number(amount) * (unit === 'us' ? 0.001 : unit === 's' ? 1000 : 1);
}

try {
  const [plain = 0, bare = 0, header = 0, body = 0, upstream = 0] = await findFreePorts(5);
  const ports: Readonly<Record<string, number>> = { plain, bare, header, body };
  const filters: Record<string, number | undefined> = {};
  const bareChild = await startOn(
    FILTER_CORE,
    process.execPath,
    [await bundleProgram(VARIANT, folder), 'wire', join(folder, 'bare.sock'), 'bare'],
    'serving',
  );
  children.push(bareChild);
  filters.bare = bareChild.pid;
  for (const name of ['header', 'body'] as const) {
    const child = await startFilter(name);
    children.push(child);
    filters[name] = child.pid;
  }
  if (!isDirect) await startEnvoy('upstream', describeEnvoy({ upstream: { port: upstream } }, 'none'));
  const listeners = {
    plain: { port: plain },
    bare: { port: bare, filterSocket: join(folder, 'bare.sock') },
    header: { port: header, filterSocket: join(folder, 'header.sock') },
    body: { port: body, filterSocket: join(folder, 'body.sock') },
  };
  const envoy = await startEnvoy('envoy', describeEnvoy(listeners, isDirect ? 'none' : upstream));
  await untilServed(plain);

  const rows: Record<string, Sample[]> = {};
  // In rounds, so that a slow phase of the machine affects all of them. The first one warms up.
  for (let run = 0; run <= runs; run++) {
    for (const [name, { listener, request }] of Object.entries(SCENARIOS)) {
      const script = join(folder, 'request.lua');
      await writeFile(script, request);
      const taken = await sample(ports[listener] ?? 0, script, filters[listener], envoy.pid ?? 0);
      if (run > 0) rows[name] = [...(rows[name] ?? []), taken];
    }
  }
  const bareCosts = rows[BARE]?.map(({ filterUs }) => filterUs) ?? [];
  const of = (samples: readonly Sample[], field: keyof Sample, digits: number) =>
    Number(median(samples.map((one) => one[field])).toFixed(digits));
  const behind = isDirect ? 'that answers by itself' : 'in front of another one';
  console.log(`Envoy with one worker ${behind}, ${CONNECTIONS} connections, median of ${runs} runs of ${seconds} s`);
  console.table(
    Object.fromEntries(
      Object.entries(rows).map(([name, samples]) => [
        name,
        {
          'requests/s': Math.round(of(samples, 'rate', 0)),
          'filter CPU (us)': of(samples, 'filterUs', 2),
          'of bare wire': Number(
            median(samples.map(({ filterUs }, run) => filterUs / (bareCosts[run] ?? Number.NaN))).toFixed(2),
          ),
          'Envoy CPU (us)': of(samples, 'envoyUs', 1),
          'p50 (ms)': of(samples, 'p50', 2),
          'p99 (ms)': of(samples, 'p99', 2),
        },
      ]),
    ),
  );
} finally {
  for (const child of children.reverse()) await end(child);
  await rm(folder, { recursive: true, force: true });
}
