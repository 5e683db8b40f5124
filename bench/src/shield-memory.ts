// Measures resident memory of the shipped filter, idle and after load, by number of threads.
// Build first: npm run build
// node bench/src/shield-memory.ts [seconds of load]
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts, readRssMb } from '@flotilla/testkit';
import { describePolicy, ENGINES } from './shield/describe-policy.ts';
import { encodeRequest, toGrpcFrame } from './shield/encode-request.ts';
import { end, requireTool, runOn, startOn } from './shield/processes.ts';

const seconds = Number(process.argv[2] ?? 20);
const FILTER_CORE = 0;
const LOAD_CORE = 1;
const SETTLE_MS = 3000;
const PROGRAM = join(import.meta.dirname, '../../dist/flotilla.mjs');

const h2load = requireTool('h2load', 'nghttp2-client');
const folder = await mkdtemp(join(tmpdir(), 'bench-memory-'));
const policy = join(folder, 'p.json');
const body = join(folder, 'body.bin');
await writeFile(policy, describePolicy({ ...ENGINES.api_key, ...ENGINES.rate_limit }));
await writeFile(body, toGrpcFrame(encodeRequest()));

async function measure(threads: number) {
  const [port = 0] = await findFreePorts(1);
  const flags = ['--policy', policy, '--listen', `127.0.0.1:${port}`, '--threads', String(threads)];
  const filter = await startOn(FILTER_CORE, process.execPath, [PROGRAM, 'shield', ...flags], '"event":"serving"');
  try {
    await sleep(SETTLE_MS);
    const idle = Math.round(await readRssMb(filter.pid ?? 0));
    for (let thread = 0; thread < threads; thread++) {
      const url = `http://127.0.0.1:${port + thread}/envoy.service.ext_proc.v3.ExternalProcessor/Process`;
      const headers = ['-H', 'content-type: application/grpc', '-H', 'te: trailers'];
      await runOn(LOAD_CORE, h2load, [
        '-D',
        String(seconds),
        '-c',
        '2',
        '-m',
        '64',
        '-t',
        '1',
        '-d',
        body,
        ...headers,
        url,
      ]);
    }
    return { 'idle (MB)': idle, 'after load on each thread (MB)': Math.round(await readRssMb(filter.pid ?? 0)) };
  } finally {
    await end(filter);
  }
}

try {
  console.log(`api_key and rate_limit, ${seconds} s of all the load a thread takes`);
  console.table({ '1 thread': await measure(1), '2 threads': await measure(2), '3 threads': await measure(3) });
} finally {
  await rm(folder, { recursive: true, force: true });
}
