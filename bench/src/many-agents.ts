/**
 * Measures one controller with many agents over mutual TLS: memory per agent, processor time at rest, the return of all
 * agents after kill -9 of the controller, and CLIENT_STATS to all of them. The controller is the shipped program with its own
 * PostgreSQL; the agents have the real link, in processes of their own.
 * `npm run build && npx node bench/src/many-agents.ts [AGENTS] [SECONDS AT REST] [PROFILES]`
 *
 * The third argument is a folder for processor profiles and a heap snapshot, which make the figures worse.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EnrolledHosts, enrolMany } from '@flotilla/controller/testing/enrol-many';
import { BenchController } from './many-agents/controller.ts';
import { AgentProcesses, type Second } from './many-agents/fleet.ts';
import type { Memory } from './many-agents/inspector.ts';
import { readFileLimit } from './many-agents/processes.ts';

const [count = 10_000, restS = 60] = process.argv.slice(2, 4).map(Number);
const profiles = process.argv[4];
const PROJECTS = 4;
const AGENT_PROCESSES = 2;
const STARTS_PER_SECOND = 300;
const START_LIMIT_MS = 180_000;
const RETURN_LIMIT_MS = 180_000;
const SETTLE_MS = 5_000;
const DOWN_MS = 1000;
/** The contract's limit of one request. */
const TARGETS_MAX = 1000;
const ASK_ROUNDS = 3;
const SPARE_FILES = 1000;

const limit = readFileLimit();
if (limit < count + SPARE_FILES)
  throw new Error(`${count} agents need ${count + SPARE_FILES} open files, and the limit is ${limit}: ulimit -n`);
if (profiles) await mkdir(profiles, { recursive: true });

const controller = await BenchController.start();
const agents = new AgentProcesses();
const stopped = Promise.withResolvers<never>();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stopped.reject(new Error(`stopped by ${signal}`)));
try {
  await Promise.race([run(), stopped.promise]);
} finally {
  agents.close();
  await controller.close();
}
process.exit(0);

async function run(): Promise<void> {
  const projects: string[] = [];
  for (let n = 0; n < PROJECTS; n += 1) {
    const body = { name: `fleet-${n}`, starters: [] };
    projects.push((await controller.api('POST', '/api/v3/setting/projects', body)).id);
  }
  const { dataDir, masterKey } = controller;
  const enrolled = await enrolMany({ dataDir, masterKey, projects, count });
  await sleep(SETTLE_MS);
  const without = { memory: await readMemory(), cpu: await measureRest('rest-without') };

  console.log(`${count} agents start, ${STARTS_PER_SECOND} per second`);
  const { grpc: grpcPort } = controller.ports;
  const start = { dir: dataDir, processes: AGENT_PROCESSES, grpcPort, perSecond: STARTS_PER_SECOND };
  await agents.start(enrolled, start);
  await profiled('start', async () => report(await agents.watch(count, START_LIMIT_MS)));
  await sleep(SETTLE_MS);
  const cpu = await measureRest('rest');
  const memory = await readMemory();
  showMemory(without.memory, memory);
  console.log('Processor time at rest, share of a core');
  console.table({ 'without agents': without.cpu, [`${count} agents`]: cpu });
  if (profiles) await writeHeap(join(profiles, 'agents.heapsnapshot'));
  await measureReturn();
  await sleep(SETTLE_MS);
  await profiled('ask', () => askAll(enrolled));
}

async function readMemory(): Promise<Memory> {
  const inspector = await controller.inspect();
  const memory = await inspector.readMemory();
  inspector.close();
  return memory;
}

async function writeHeap(file: string): Promise<void> {
  const inspector = await controller.inspect();
  await inspector.writeHeapSnapshot(file);
  inspector.close();
}

/** Records a profile of the controller if profiles are wanted. */
async function profiled<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (!profiles) return work();
  const inspector = await controller.inspect();
  await inspector.startCpuProfile();
  const result = await work();
  await inspector.stopCpuProfile(join(profiles, `${name}.cpuprofile`));
  inspector.close();
  return result;
}

function showMemory(before: Memory, after: Memory): void {
  const perAgent = (key: keyof Memory) => Number(((after[key] - before[key]) / count / 1024).toFixed(1));
  const mb = (memory: Memory) => ({
    'resident (MB)': Math.round(memory.rss / 2 ** 20),
    'heap (MB)': Math.round(memory.heapUsed / 2 ** 20),
    'external (MB)': Math.round(memory.external / 2 ** 20),
  });
  console.log('Memory of the controller after a garbage collection');
  console.table({ 'without agents': mb(before), [`${count} agents`]: mb(after) });
  console.table({
    'KiB per agent': { rss: perAgent('rss'), heap: perAgent('heapUsed'), external: perAgent('external') },
  });
}

/** Percent of a core. */
async function measureRest(name: string): Promise<{ controller: number; database: number; agents: number }> {
  return profiled(name, async () => {
    const [before, agentsBefore] = [await controller.readCpu(), agents.cpuMs];
    const startedAt = performance.now();
    await sleep(restS * 1000);
    const after = await controller.readCpu();
    const share = (ms: number) => Number(((ms * 100) / (performance.now() - startedAt)).toFixed(1));
    return {
      controller: share(after.controllerMs - before.controllerMs),
      database: share(after.databaseMs - before.databaseMs),
      agents: share(agents.cpuMs - agentsBefore),
    };
  });
}

async function measureReturn(): Promise<void> {
  console.log(`kill -9 of the controller, which starts again after ${DOWN_MS} ms`);
  const killedAt = performance.now();
  controller.kill();
  const since = (at: number) => Number(((performance.now() - at) / 1000).toFixed(1));
  const watching = agents.watch(count, RETURN_LIMIT_MS);
  await sleep(DOWN_MS);
  await controller.run();
  const readyAt = performance.now();
  const [cpuBefore, agentsBefore] = [await controller.readCpu(), agents.cpuMs];
  console.log(`ready again ${since(killedAt)} s after the kill`);
  const seconds = await profiled('return', () => watching);
  report(seconds);
  const { connected } = agents.report;
  const cpu = await controller.readCpu();
  const perAgent = (ms: number) => Number((ms / count).toFixed(2));
  console.table({
    'controller, processor ms per agent': perAgent(cpu.controllerMs - cpuBefore.controllerMs),
    'database, processor ms per agent': perAgent(cpu.databaseMs - cpuBefore.databaseMs),
    'agents, processor ms per agent': perAgent(agents.cpuMs - agentsBefore),
    'agents that are back': connected,
    'after the kill (s)': connected === count ? since(killedAt) : 'not in time',
    'after the controller was ready (s)': since(readyAt),
    'most attempts in a second': Math.max(...seconds.map(({ attempts }) => attempts)),
    'most connections in a second': Math.max(...seconds.map(({ joined }) => joined)),
    'attempts that were put off': seconds.reduce((sum, { busy }) => sum + busy, 0),
    'attempts in all': seconds.reduce((sum, { attempts }) => sum + attempts, 0),
  });
}

function report(seconds: readonly Second[]): void {
  console.log('second: connected, attempts, connections, put off');
  for (const [n, { connected, attempts, joined, busy }] of seconds.entries())
    console.log(`${n + 1}: ${connected}, ${attempts}, ${joined}, ${busy}`);
}

async function askAll({ hosts }: EnrolledHosts): Promise<void> {
  const byProject = Map.groupBy(hosts, ({ projectId }) => projectId);
  const requests = [...byProject].flatMap(([project, own]) =>
    Array.from({ length: Math.ceil(own.length / TARGETS_MAX) }, (_, n) => ({
      project,
      clients: own.slice(n * TARGETS_MAX, (n + 1) * TARGETS_MAX).map(({ clientId }) => ({ client_id: clientId })),
    })),
  );
  const rounds: Array<Record<string, number>> = [];
  for (let round = 0; round < ASK_ROUNDS; round += 1) {
    const startedAt = performance.now();
    const [before, agentsBefore] = [await controller.readCpu(), agents.cpuMs];
    const answers = await Promise.all(
      requests.map(({ project, clients }) =>
        controller.api('POST', `/api/op/clients?project=${project}&wait_ms=60000`, {
          type: 'CLIENT_STATS',
          clients,
          command: {},
        }),
      ),
    );
    const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(2));
    const done = answers.flatMap(({ results }) => results).filter(({ outcome }) => outcome === 'done').length;
    const after = await controller.readCpu();
    const used = (ms: number) => Number((ms / 1000).toFixed(1));
    rounds.push({
      seconds,
      done,
      'controller (processor s)': used(after.controllerMs - before.controllerMs),
      'database (processor s)': used(after.databaseMs - before.databaseMs),
      'agents (processor s)': used(agents.cpuMs - agentsBefore),
    });
    await sleep(1000);
  }
  console.log(`CLIENT_STATS to all, in ${requests.length} requests at once`);
  console.table(rounds);
}
