import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { createSilentLogger, systemClock } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { CommandExecutor } from '../commands/executor.ts';
import { CommandJournal } from '../commands/journal.ts';
import { RoutingSuite } from '../routing/routing-suite.ts';
import { FakeHost } from './fake-host.ts';
import { createIdleNetwork } from './idle-network.ts';

/**
 * Runs one ROUTING command in a separate process, which kills itself after a step. Arguments: the paths of FRR as JSON, the data
 * folder, the number of the step (from 0), the id of the command, its sub_type and its body as JSON. Exits with 0 if the command has
 * ended before that step.
 */
const [paths = '', dataDir = '', last = '', commandId = '', subType = '', body = ''] = process.argv.slice(2);
let steps = 0;
const host = new FakeHost();
host.suite = await RoutingSuite.open({
  paths: JSON.parse(paths),
  dataDir,
  logger: createSilentLogger(),
  onStep: () => {
    if (steps === Number(last)) process.kill(process.pid, 'SIGKILL');
    steps += 1;
  },
});
const executor = new CommandExecutor({
  host,
  network: createIdleNetwork(dataDir),
  journal: await CommandJournal.open(join(dataDir, 'commands.log')),
  clock: systemClock,
  logger: createSilentLogger(),
  desiredGeneration: () => 0n,
  onAccepted: () => undefined,
  onProgress: () => undefined,
  onResult: () => process.exit(0),
});
await executor.offer(
  create(fleet.CommandSchema, { commandId, type: 'ROUTING', subType, payloadJson: Buffer.from(body) }),
);
