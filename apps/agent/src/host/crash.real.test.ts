import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toBinary } from '@bufbuild/protobuf';
import { isSameProcess, readProcess } from '@flotilla/kit';
import { findFreePort } from '@flotilla/kit/testing';
import { fleet } from '@flotilla/proto';
import { bundlePrograms, startLoad, TEST_ENVOY_CACHE_DIR } from '@flotilla/testkit';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ask, createTestHost, desiredOf, ensureTestEnvoy, eventually, type TestHost } from '../testing/test-host.ts';

const NOBODY = 65_534;
let fixture: TestHost;
let port: number;
let program: string;
let node: string;
let agent: ChildProcess | undefined;

beforeAll(async () => {
  await ensureTestEnvoy();
});

beforeEach(async () => {
  fixture = await createTestHost();
  port = await findFreePort();
  program = join(fixture.base, 'agent.mjs');
  const source = fileURLToPath(new URL('../testing/host-process.ts', import.meta.url));
  ({ node } = await bundlePrograms(fixture.base, { agent: source }));
});

afterEach(async () => {
  agent?.kill('SIGKILL');
  await fixture.destroy();
});

test('an agent killed at any moment of a deployment costs no request and leaves no stray Envoy', async () => {
  let generation = 1n;
  await startAgent();
  want(desiredOf({ port, generation }));
  await eventually(() => ask(port));
  const load = startLoad({ port, path: '/', perSecond: 200, newConnections: true });
  // From before the check of the bootstrap until after the handover
  for (const ms of [0, 20, 50, 90, 140, 200, 280, 400]) {
    generation += 1n;
    want(desiredOf({ port, generation, body: `body ${generation}` }));
    await new Promise((resolve) => setTimeout(resolve, ms));
    agent?.kill('SIGKILL');
    await startAgent();
  }
  // The last one may have been killed before the state was on disk: the controller sends it again
  want(desiredOf({ port, generation, body: `body ${generation}` }));
  await eventually(async () => ((await ask(port)) === `body ${generation}` ? true : undefined));
  const { failures, sent } = await load.stop();
  expect(failures).toEqual([]);
  expect(sent).toBeGreaterThan(200);
  // Drained Envoys have ended, and exactly one serves
  await eventually(() => (findEnvoys(fixture).length === 1 ? true : undefined));
});

test('a desired state that was taken survives the kill that follows', async () => {
  await startAgent();
  want(desiredOf({ port }));
  await eventually(() => (existsSync(join(fixture.dirs.dataDir, 'desired.bin')) ? true : undefined));
  agent?.kill('SIGKILL');
  await startAgent();
  expect(await eventually(() => ask(port))).toBe('one');
});

test('Envoy and agent killed together come back with what was last good', async () => {
  await startAgent();
  want(desiredOf({ port }));
  await eventually(() => ask(port));
  agent?.kill('SIGKILL');
  for (const pid of findEnvoys(fixture)) process.kill(pid, 'SIGKILL');
  await eventually(async () => ((await ask(port)) === undefined ? true : undefined));
  await startAgent();
  expect(await eventually(() => ask(port))).toBe('one');
});

test('an agent that is not root runs everything as itself', async () => {
  if (process.getuid?.() === 0) {
    for (const dir of [fixture.dirs.runtimeDir, fixture.dirs.dataDir]) {
      mkdirSync(dir, { recursive: true });
      chownSync(dir, NOBODY, NOBODY);
    }
  }
  const cache = join(fixture.base, 'envoys');
  await cp(TEST_ENVOY_CACHE_DIR, cache, { recursive: true });
  await startAgent({ cache, uid: process.getuid?.() === 0 ? NOBODY : undefined });
  want(desiredOf({ port }));
  expect(await eventually(() => ask(port))).toBe('one');
  const [pid = 0] = findEnvoys(fixture);
  const uid = Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  expect(uid).toBe(process.getuid?.() === 0 ? NOBODY : process.getuid?.());
  want(desiredOf({ port, generation: 2n, body: 'two' }));
  await eventually(async () => ((await ask(port)) === 'two' ? true : undefined));
  want(desiredOf());
  await eventually(() => (findEnvoys(fixture).length === 0 ? true : undefined));
});

test('a pid file that names a stranger is not believed', async () => {
  await startAgent();
  want(desiredOf({ port }));
  await eventually(() => ask(port));
  agent?.kill('SIGKILL');
  for (const pid of findEnvoys(fixture)) process.kill(pid, 'SIGKILL');
  const stranger = spawn('sleep', ['60']);
  const units = join(fixture.dirs.dataDir, 'units');
  const notes = readdirSync(units, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.pid'));
  for (const note of notes) {
    const [, startTime = ''] = readFileSync(join(units, note), 'utf8').split(' ');
    writeFileSync(join(units, note), `${stranger.pid} ${startTime}`);
  }
  await startAgent();
  await eventually(() => ask(port));
  want(desiredOf());
  await eventually(() => (findEnvoys(fixture).length === 0 ? true : undefined));
  const ref = readProcess(stranger.pid ?? 0);
  expect(ref && isSameProcess(ref)).toBe(true);
  stranger.kill();
});

async function startAgent(options: { cache?: string; uid?: number | undefined } = {}): Promise<void> {
  const { cache = TEST_ENVOY_CACHE_DIR, uid } = options;
  const { runtimeDir, dataDir } = fixture.dirs;
  const as = uid === undefined ? {} : { uid, gid: uid };
  const started = spawn(node, [program, runtimeDir, dataDir, cache], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...as,
  });
  agent = started;
  await new Promise((resolve, reject) => {
    started.stdout.once('data', resolve);
    started.once('exit', () => reject(new Error('the agent ended')));
  });
  started.stdout.resume();
}

let states = 0;
function want(state: fleet.DesiredState): void {
  states += 1;
  const file = join(fixture.base, `state-${states}.bin`);
  writeFileSync(file, toBinary(fleet.DesiredStateSchema, state));
  agent?.stdin?.write(`${file}\n`);
}

function findEnvoys({ dirs }: TestHost): number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return command.includes('--restart-epoch') && command.includes(dirs.runtimeDir);
      } catch {
        return false;
      }
    })
    .map(Number);
}
