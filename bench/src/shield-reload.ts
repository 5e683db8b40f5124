// A policy of 10,000 routes is replaced while requests come: time until the new one decides, and what requests notice.
// node bench/src/shield-reload.ts [reloads]
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runLoad } from '@flotilla/grpc-wire/testing';
import { stringify } from 'yaml';
import { FilterProcess } from '../../apps/shield/src/testing/filter-process.ts';
import { HOST } from './shield/describe-policy.ts';
import { encodeRequest } from './shield/encode-request.ts';
import { median, percentile } from './table.ts';

const reloads = Number(process.argv[2] ?? 7);
const DOMAINS = 3334;
const PROCESS_PATH = '/envoy.service.ext_proc.v3.ExternalProcessor/Process';
const QUIET_MS = 1000;

/** 3,334 domains of three routes; every revision has other keys, so that nothing is carried over. */
function describe(revision: number): object {
  const domains = Array.from({ length: DOMAINS }, (_, n) => ({
    hosts: [n === 0 ? HOST : `d${n}.example.com`],
    policy: { engines: { api_key: { keys: [{ key: 'the-key' }, { key: `k-${revision}-${n}` }] } } },
    routes: ['/v1/users', '/v1/orders', '/admin'].map((path_prefix) => ({ match: { path_prefix }, policy: {} })),
  }));
  return { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'bench' }, spec: { domains } };
}

const message = encodeRequest();

/** Milliseconds of single exchanges, one after the other, until `isOver`. */
async function sampleExchanges(socket: string, isOver: () => boolean): Promise<number[]> {
  const samples: number[] = [];
  const address = { kind: 'unix', path: socket } as const;
  while (!isOver()) {
    const began = performance.now();
    await runLoad({
      address,
      path: PROCESS_PATH,
      message,
      concurrency: 1,
      exchanges: 1,
      end: 'reset',
    });
    samples.push(performance.now() - began);
  }
  return samples;
}

async function measure(name: string, render: (revision: number) => string) {
  const folder = await mkdtemp(join(tmpdir(), 'bench-reload-'));
  const socket = join(folder, 's.sock');
  const policy = join(folder, name);
  await writeFile(policy, render(0));
  const filter = new FilterProcess(['--policy', policy, '--listen', `unix:${socket}`], join(folder, 'a.sock'));
  await filter.start();
  const took: number[] = [];
  const longest: number[] = [];
  const p999: number[] = [];
  const quiet: number[] = [];
  try {
    for (let revision = 1; revision <= reloads + 1; revision++) {
      const until = performance.now() + QUIET_MS;
      const calm = await sampleExchanges(socket, () => performance.now() > until);
      const text = render(revision);
      const before = (await filter.configz()).version;
      let isLive = false;
      await writeFile(`${policy}.tmp`, text);
      const began = performance.now();
      await rename(`${policy}.tmp`, policy);
      const watch = (async () => {
        while ((await filter.configz()).version === before) await sleep(2);
        const live = performance.now() - began;
        isLive = true;
        return live;
      })();
      const busy = await sampleExchanges(socket, () => isLive);
      const live = await watch;
      // The first one warms up.
      if (revision === 1) continue;
      took.push(live);
      longest.push(Math.max(...busy));
      p999.push(percentile(busy, 0.999));
      quiet.push(Math.max(...calm));
    }
    const ms = (value: number) => Number(value.toFixed(1));
    return {
      'rename to live (ms)': ms(median(took)),
      'longest exchange while reloading, median (ms)': ms(median(longest)),
      'p99.9 while reloading (ms)': ms(median(p999)),
      'longest exchange in a quiet second, median (ms)': ms(median(quiet)),
    };
  } finally {
    await filter.end();
    await rm(folder, { recursive: true, force: true });
  }
}

console.log(
  `${DOMAINS} domains of 3 routes, median of ${reloads} reloads; 50 ms of it are the wait for further changes`,
);
console.table({
  JSON: await measure('p.json', (revision) => JSON.stringify(describe(revision))),
  YAML: await measure('p.yaml', (revision) => stringify(describe(revision))),
});
