import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { createTestStreams, type TestStreams } from '@flotilla/controller/testing/streams';
import { createId, sleep } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestAgent, waitFor } from './testing/test-agent.ts';

let t: TestStreams;
beforeAll(async () => {
  t = await createTestStreams();
});
afterAll(() => t?.close());

const SCRIPT = join(import.meta.dirname, 'testing/agent-process.ts');

it('kill -9 of the agent at any moment loses no command, runs none twice, and reports none as done that was not', async () => {
  const joined = await TestAgent.enrolled(t);
  const clientId = await joined.clientId();
  const actionsFile = join(joined.dir, 'actions');
  await writeFile(actionsFile, '');
  const start = () => spawn(process.execPath, [SCRIPT, String(t.port), joined.dir, actionsFile], { stdio: 'inherit' });
  const kill = async (child: ChildProcess) => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  let child = start();
  const commandIds: string[] = [];
  try {
    for (let round = 0; round < 8; round += 1) {
      await waitFor('connected', () => t.streams.commands.isConnected(clientId));
      for (let i = 0; i < 12; i += 1) {
        const commandId = createId();
        commandIds.push(commandId);
        const serviceId = `s${commandIds.length}`;
        const command = { commandId, serviceId, fence: 1n, type: 'SERVICE', subType: 'SUB_RESTART' };
        t.fleet.commands.set(commandId, create(fleet.CommandSchema, command));
        t.streams.commands.noteCommands(clientId);
        await sleep(Math.random() * 6);
      }
      await kill(child);
      child = start();
    }
    await waitFor('all have an outcome', () => commandIds.every((id) => t.fleet.results.has(id)));
  } finally {
    await kill(child);
  }
  const actions = (await readFile(actionsFile, 'utf8')).split('\n');
  const counts = { done: 0, unknown: 0 };
  for (const [i, id] of commandIds.entries()) {
    const runs = actions.filter((line) => line === `restart s${i + 1}`).length;
    const outcomes = [...new Set(t.fleet.results.get(id)?.map(({ outcome }) => outcome))];
    expect(runs).toBeLessThanOrEqual(1);
    expect(outcomes).toHaveLength(1);
    if (outcomes[0] === fleet.Outcome.DONE) {
      expect(runs).toBe(1);
      counts.done += 1;
    } else {
      expect(outcomes[0]).toBe(fleet.Outcome.UNKNOWN);
      counts.unknown += 1;
    }
  }
  // Otherwise no kill has hit a running command, and the test proves nothing.
  expect(counts.unknown).toBeGreaterThan(0);
  expect(counts.done).toBeGreaterThan(counts.unknown);
  await joined.close();
}, 120_000);
