// Replaces a policy of 10,000 routes under load: measures the time until the new one decides, and the effect on
// requests.
// node bench/src/shield-reload.ts [reloads]
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runLoad } from '@flotilla/grpc-wire/testing';
import { stringify } from 'yaml';
import { FilterProcess } from '../../apps/shield/src/testing/filter-process.ts';
import { HOST } from './shield/describe-policy.ts';
import { encodeRequest } from './shield/encode-request.ts';
import { TURNS_FILE_VARIABLE } from './shield/turn-probe.ts';
import { median } from './table.ts';

const reloads = Number(process.argv[2] ?? 7);
const DOMAINS = 3334;
const PROCESS_PATH = '/envoy.service.ext_proc.v3.ExternalProcessor/Process';
const QUIET_MS = 1000;
/** Longer than the policy-reading thread waits for the next one. */
const APART_MS = 5000;

/** 3,334 domains with three routes; every revision has other keys, so that nothing is carried over. */
function describe(revision: number): object {
  const domains = Array.from({ length: DOMAINS }, (_, n) => ({
    hosts: [n === 0 ? HOST : `d${n}.example.com`],
    policy: { engines: { api_key: { keys: [{ key: 'the-key' }, { key: `k-${revision}-${n}` }] } } },
    routes: ['/v1/users', '/v1/orders', '/admin'].map((path_prefix) => ({ match: { path_prefix }, policy: {} })),
  }));
  return { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'bench' }, spec: { domains } };
}

const message = encodeRequest();

/** Milliseconds of sequential exchanges until `isOver`. */
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

const form = (name: string) => (name.endsWith('.json') ? JSON.stringify : stringify);

/** Runs a separate filter with a policy file, and ends it after `use`. */
async function withFilter<T>(name: string, use: (filter: FilterProcess, files: BenchFiles) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-reload-'));
  const files = { policy: join(folder, name), socket: join(folder, 's.sock'), turns: join(folder, 'turns') };
  await writeFile(files.policy, form(name)(describe(0)));
  process.env[TURNS_FILE_VARIABLE] = files.turns;
  const filter = new FilterProcess(
    ['--policy', files.policy, '--listen', `unix:${files.socket}`],
    join(folder, 'a.sock'),
  );
  try {
    await filter.start();
    return await use(filter, files);
  } finally {
    await filter.end();
    await rm(folder, { recursive: true, force: true });
  }
}

interface BenchFiles {
  readonly policy: string;
  readonly socket: string;
  readonly turns: string;
}

/** Milliseconds from the rename of a new policy until it decides. */
async function reload(filter: FilterProcess, { policy }: BenchFiles, text: string): Promise<number> {
  const before = (await filter.configz()).version;
  await writeFile(`${policy}.tmp`, text);
  const began = performance.now();
  await rename(`${policy}.tmp`, policy);
  while ((await filter.configz()).version === before) await sleep(2);
  return performance.now() - began;
}

/** Sequential reloads, each after `quietMs` without one. */
async function measureReloads(name: string, quietMs: number) {
  return withFilter(name, async (filter, files) => {
    const took: number[] = [];
    const longest: number[] = [];
    const quiet: number[] = [];
    for (let revision = 1; revision <= reloads + 1; revision++) {
      await sleep(quietMs - QUIET_MS);
      const until = performance.now() + QUIET_MS;
      const calm = await sampleExchanges(files.socket, () => performance.now() > until);
      const text = form(name)(describe(revision));
      let isLive = false;
      const reloading = reload(filter, files, text).finally(() => {
        isLive = true;
      });
      const busy = await sampleExchanges(files.socket, () => isLive);
      const live = await reloading;
      // The first one warms up.
      if (revision === 1) continue;
      took.push(live);
      longest.push(Math.max(...busy));
      quiet.push(Math.max(...calm));
    }
    return {
      'rename to live, median (ms)': ms(median(took)),
      'rename to live, longest (ms)': ms(Math.max(...took)),
      'longest exchange while reloading, median (ms)': ms(median(longest)),
      'longest exchange in a quiet second, median (ms)': ms(median(quiet)),
    };
  });
}

/** How a reload delays requests: the longest turn of the answering thread, by its own clock. */
async function measureTurns(name: string) {
  const options = process.env.NODE_OPTIONS;
  process.env.NODE_OPTIONS = `--import=${new URL('./shield/turn-probe.ts', import.meta.url)}`;
  try {
    return await withFilter(name, async (filter, files) => {
      const busy: number[] = [];
      const quiet: number[] = [];
      for (let revision = 1; revision <= reloads + 1; revision++) {
        const text = form(name)(describe(revision));
        await readTurn(filter, files);
        await sleep(QUIET_MS);
        const calm = await readTurn(filter, files);
        await reload(filter, files, text);
        const turn = await readTurn(filter, files);
        if (revision === 1) continue;
        busy.push(turn);
        quiet.push(calm);
      }
      return {
        'longest turn while reloading, median (ms)': ms(median(busy)),
        'longest of all (ms)': ms(Math.max(...busy)),
        'longest turn in a quiet second, median (ms)': ms(median(quiet)),
      };
    });
  } finally {
    if (options === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = options;
  }
}

async function readTurn(filter: FilterProcess, { turns }: BenchFiles): Promise<number> {
  await rm(turns, { force: true });
  process.kill(filter.pid, 'SIGUSR2');
  for (;;) {
    const text = await readFile(turns, 'utf8').catch(() => '');
    if (text !== '') return Number(text);
    await sleep(5);
  }
}

const ms = (value: number) => Number(value.toFixed(1));

console.log(`${DOMAINS} domains of 3 routes, ${reloads} reloads each; begins with the rename of the file`);
console.table({
  'JSON, a second apart': await measureReloads('p.json', QUIET_MS),
  'YAML, a second apart': await measureReloads('p.yaml', QUIET_MS),
  'YAML, five seconds apart': await measureReloads('p.yaml', APART_MS),
});
console.table({ JSON: await measureTurns('p.json'), YAML: await measureTurns('p.yaml') });
