// Measures the CPU time of one reading of an Envoy's statistics, in the agent's code and in Envoy, while every cluster has
// traffic. The baselines fetch the same statistics in other forms, without any code that reads them.
// node bench/src/traffic-read.ts [clusters] [routes] [endpoints] [rounds] [version]
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clusterOf, listenerOf, MeasuredService, STATS_PATH } from '@flotilla/agent/testing/measured-service';
import { findFreePorts, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { median } from './table.ts';

const numbers = process.argv.slice(2, 6).map(Number);
const [clusters = 1_000, routes = 3_000, endpoints = 64, rounds = 10] = numbers;
const version = process.argv[6] ?? TEST_ENVOY_VERSIONS.newest;
const INTERVAL_MS = 10_000;
const LANES = 16;
const FORMS = {
  'the same, not read': STATS_PATH,
  'all statistics, text': '/stats',
  'used, text': '/stats?usedonly&histogram_buckets=disjoint',
  'used, JSON': '/stats?usedonly&histogram_buckets=disjoint&format=json',
  'used, Prometheus': '/stats/prometheus?usedonly',
};

// Without keep-alive, Envoy does not keep a connection to every endpoint of every cluster.
const backends = Array.from({ length: endpoints }, () =>
  createServer((_, response) => response.setHeader('connection', 'close').end('ok')).listen(0, '127.0.0.1'),
);
const backendPorts = await Promise.all(
  backends.map(async (backend) => {
    await once(backend, 'listening');
    return (backend.address() as AddressInfo).port;
  }),
);
const [port = 0] = await findFreePorts(1);
const service = await MeasuredService.start({
  version,
  intervalMs: 3_600_000,
  listeners: [listenerOf('main', port, { prefix: 'main', route: 'main', host: { name: 'all', routes: listRoutes() } })],
  clusters: Array.from({ length: clusters }, (_, i) => clusterOf(`cluster-${i}`, backendPorts)),
});
const client = new Agent({ keepAlive: true, maxSockets: LANES });
try {
  const read = service.createReading();
  const forms: Record<string, () => Promise<number>> = {
    'the agent': async () => (await read()).length,
    ...Object.fromEntries(Object.entries(FORMS).map(([name, path]) => [name, () => service.fetchAdmin(path)])),
  };
  const samples = new Map<string, Sample[]>(Object.keys(forms).map((name) => [name, []]));
  await send(routes);
  for (const run of Object.values(forms)) await run();
  for (let round = 0; round < rounds; round += 1) {
    await send(routes);
    for (const [name, run] of Object.entries(forms)) samples.get(name)?.push(await measure(run));
  }
  console.log(
    `Envoy ${version}, ${clusters} clusters of ${endpoints} endpoints, ${routes} routes, median of ${rounds} readings`,
  );
  console.table(Object.fromEntries([...samples].map(([name, all]) => [name, describe(name, all)])));
} finally {
  client.destroy();
  for (const backend of backends) backend.close();
  await service.close();
}

interface Sample {
  readonly ownMs: number;
  readonly envoyMs: number;
  readonly bytes: number;
}

async function measure(run: () => Promise<number>): Promise<Sample> {
  const own = process.cpuUsage();
  const envoy = await readEnvoyMs();
  const bytes = await run();
  const { user, system } = process.cpuUsage(own);
  return { ownMs: (user + system) / 1000, envoyMs: (await readEnvoyMs()) - envoy, bytes };
}

/** The CPU time of all threads of Envoy. */
async function readEnvoyMs(): Promise<number> {
  const folder = `/proc/${service.report?.envoyPid}/task`;
  const times = await Promise.all(
    (await readdir(folder)).map(async (thread) =>
      Number((await readFile(`${folder}/${thread}/schedstat`, 'utf8')).split(' ')[0]),
    ),
  );
  return times.reduce((sum, ns) => sum + ns, 0) / 1e6;
}

function describe(name: string, all: readonly Sample[]) {
  const ms = (of: keyof Sample) => median(all.map((sample) => sample[of]));
  const share = (value: number) => `${((value / INTERVAL_MS) * 100).toFixed(2)} %`;
  return {
    'own code (ms)': Number(ms('ownMs').toFixed(1)),
    'of a core': share(ms('ownMs')),
    'Envoy (ms)': Number(ms('envoyMs').toFixed(1)),
    'Envoy, of a core': share(ms('envoyMs')),
    [name === 'the agent' ? 'message (kB)' : 'response (kB)']: Math.round(ms('bytes') / 1000),
  };
}

function listRoutes() {
  return Array.from({ length: routes }, (_, i) => ({
    match: { path: `/r${i}` },
    route: { cluster: `cluster-${i % clusters}` },
  }));
}

async function send(count: number): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const path = `/r${next}`;
      next += 1;
      await new Promise<void>((resolve, reject) => {
        request({ agent: client, host: '127.0.0.1', port, path }, (response) => {
          response.resume().on('end', () => resolve());
        })
          .on('error', reject)
          .end();
      });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
