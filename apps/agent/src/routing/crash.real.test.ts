import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSilentLogger, systemClock } from '@flotilla/kit';
import { isFullTier } from '@flotilla/kit/testing';
import { fleet } from '@flotilla/proto';
import { bgpDocumentSchema } from '@flotilla/proto/routing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CommandExecutor } from '../commands/executor.ts';
import { CommandJournal } from '../commands/journal.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { FrrHost } from '../testing/frr-lab.ts';
import { createIdleNetwork } from '../testing/idle-network.ts';
import type { RoutingPaths } from './frr-paths.ts';
import { RoutingSuite } from './routing-suite.ts';

const PROGRAM = fileURLToPath(new URL('../testing/routing-process.ts', import.meta.url));
/** More than a change has. */
const STEPS_MAX = 40;
/** The standard tier kills the agent after every third step. */
const STRIDE = isFullTier ? 1 : 4;

let frr: FrrHost;
let dataDir: string;
let before: string;
let count = 0;

beforeAll(async () => {
  frr = await FrrHost.create();
  dataDir = await mkdtemp(join(tmpdir(), 'routing-'));
});
afterAll(async () => {
  await frr?.destroy();
  await rm(dataDir, { recursive: true, force: true });
});

const BEFORE = {
  autonomous_system: 64_500,
  router_id: '192.0.2.1',
  log_neighbor_changes: true,
  neighbors: [{ peer_ip: '192.0.2.2', remote_as: 64_501, route_maps: { route_map_in: ['OLD'], route_map_out: [] } }],
  route_maps: [{ name: 'OLD', sequence: 10, action: 'permit' }],
};
const AFTER = {
  autonomous_system: 64_510,
  router_id: '192.0.2.9',
  graceful_restart_enabled: true,
  neighbors: [
    { peer_ip: '192.0.2.2', remote_as: 64_502, route_maps: { route_map_in: ['NEW'], route_map_out: [] } },
    { peer_ip: '2001:db8::2', remote_as: 64_502 },
  ],
  prefix_lists: [{ name: 'P', sequence: 5, action: 'permit', prefix: '203.0.113.0/24' }],
  route_maps: [
    {
      name: 'NEW',
      sequence: 10,
      action: 'permit',
      match_conditions: [{ match_type: 'prefix-list', match_value: 'P' }],
    },
  ],
};

async function openSuite(): Promise<RoutingSuite> {
  return RoutingSuite.open({ paths: frr.paths, dataDir, logger: createSilentLogger() });
}

/** Brings the host to the state before the change. */
async function reset(): Promise<void> {
  count += 1;
  const change = { operation: 'BGP_SET_CONFIG' as const, config: bgpDocumentSchema.parse(BEFORE) };
  await (await openSuite()).apply({ change, commandId: `reset ${count}`, onStep: () => undefined });
  before = frr.config();
}

/** Runs the command in an agent that is killed after a step. Returns false if the command ended before. */
async function killAfter(step: number, id: string, config: object, paths: RoutingPaths = frr.paths): Promise<boolean> {
  const body = JSON.stringify({ config });
  const args = [PROGRAM, JSON.stringify(paths), dataDir, String(step), id, 'BGP_SET_CONFIG', body];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return signal === 'SIGKILL';
}

/** Starts the next agent, which ends what was interrupted. Returns the outcome of the command. */
async function restart(id: string): Promise<fleet.CommandResult> {
  const journal = await CommandJournal.open(join(dataDir, 'commands.log'));
  const host = new FakeHost();
  host.suite = await openSuite();
  const results: fleet.CommandResult[] = journal.unstored();
  const executor = new CommandExecutor({
    host,
    network: createIdleNetwork(dataDir),
    journal,
    clock: systemClock,
    logger: createSilentLogger(),
    desiredGeneration: () => 0n,
    onAccepted: () => undefined,
    onProgress: () => undefined,
    onResult: (result) => results.push(result),
  });
  executor.resume();
  const result = await vi.waitFor(
    () => {
      const found = results.find(({ commandId }) => commandId === id);
      if (!found) throw new Error(`no result of ${id}`);
      return found;
    },
    { interval: 20 },
  );
  await executor.close();
  await journal.close();
  return result;
}

const readResult = ({ resultJson }: fleet.CommandResult) => JSON.parse(Buffer.from(resultJson).toString());

describe('a change of an agent that is killed', () => {
  it('is complete after a restart, at whatever step the agent died, and the command says so', async () => {
    let after: string | undefined;
    let killed = 0;
    for (let step = 0; step < STEPS_MAX; step += STRIDE) {
      await reset();
      const id = `change ${step}`;
      if (!(await killAfter(step, id, AFTER))) break;
      killed += 1;
      const result = await restart(id);
      expect(result, `step ${step}`).toMatchObject({ outcome: fleet.Outcome.DONE });
      expect(readResult(result), `step ${step}`).toMatchObject({ state: 'requested' });
      after ??= frr.config();
      expect(frr.config(), `step ${step}`).toBe(after);
      expect(await readFile(frr.paths.configFile, 'utf8'), `step ${step}`).toBe(after);
    }
    expect(after).toContain('router bgp 64510');
    expect(killed).toBeGreaterThan(8 / STRIDE);
  });

  it('is undone after a restart if FRR refuses it, at whatever step the agent died, and the command says so', async () => {
    let killed = 0;
    for (let step = 0; step < STEPS_MAX; step += STRIDE) {
      await reset();
      const id = `refused ${step}`;
      // FRR 8.4 does not know this.
      if (!(await killAfter(step, id, { ...AFTER, redistribute_local: true }))) break;
      killed += 1;
      const result = await restart(id);
      expect(result, `step ${step}`).toMatchObject({
        outcome: fleet.Outcome.FAILED,
        errorCode: 'routing.not_accepted',
        errorMessage: expect.stringMatching(/redistribute local\. The host has its previous configuration/),
      });
      expect(frr.config(), `step ${step}`).toBe(before);
      expect(await readFile(frr.paths.configFile, 'utf8'), `step ${step}`).toBe(before);
    }
    expect(killed).toBeGreaterThan(10 / STRIDE);
  });

  it('is complete after a restart, although the shell that the killed agent started was still changing FRR', async () => {
    await reset();
    const vtysh = join(dataDir, 'vtysh');
    // Kills the agent, waits until the next one is there, and only then changes FRR.
    const script = `#!/bin/sh
case "$*" in *" -f "*)
  kill -9 "$(ps -o ppid= -p "$PPID" | tr -d ' ')"
  while [ ! -e "${dataDir}/next" ]; do sleep 0.05; done
  sleep 0.5
esac
exec ${frr.paths.vtysh} "$@"
`;
    await writeFile(vtysh, script);
    await chmod(vtysh, 0o755);
    expect(await killAfter(STEPS_MAX, 'orphan', AFTER, { ...frr.paths, vtysh })).toBe(true);
    await writeFile(join(dataDir, 'next'), '');
    const result = await restart('orphan');
    expect(readResult(result)).toMatchObject({ state: 'requested' });
    expect(frr.config()).toContain('router bgp 64510');
    expect(await (await openSuite()).config()).toMatchObject({ in_sync: true });
  });
});
