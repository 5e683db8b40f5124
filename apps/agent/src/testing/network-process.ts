import { join } from 'node:path';
import { fromJsonString } from '@bufbuild/protobuf';
import { createSilentLogger, systemClock } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { CommandExecutor } from '../commands/executor.ts';
import { CommandJournal } from '../commands/journal.ts';
import { Network } from '../network/network.ts';
import type { NetworkSettings } from '../network/types.ts';
import { FakeHost } from './fake-host.ts';
import { GUARD_COMMAND, reachPeer } from './network-stage.ts';

/**
 * Runs the commands of an agent that changes the network, in a separate process. Arguments: SETTINGS COMMAND PEER [STEP]. It takes
 * up what an earlier process has left, runs the command and prints its result. It kills itself (SIGKILL) at the given step.
 */
const [settingsText = '', text = '', peer = '', killAt = ''] = process.argv.slice(2);
const settings = JSON.parse(settingsText) as NetworkSettings;
const logger = createSilentLogger();
const command = fromJsonString(fleet.CommandSchema, text);
const journal = await CommandJournal.open(join(settings.lockDir, 'commands.log'));
const ended = Promise.withResolvers<fleet.CommandResult>();
const network = new Network({
  settings,
  guardCommand: GUARD_COMMAND,
  env: process.env,
  reachController: (signal) => reachPeer(settings, peer, signal),
  logger,
});
await network.recover();
const executor = new CommandExecutor({
  host: new FakeHost(),
  network,
  journal,
  clock: systemClock,
  logger,
  desiredGeneration: () => 0n,
  onAccepted: () => undefined,
  onProgress: (_, step) => {
    if (step === killAt) process.kill(process.pid, 'SIGKILL');
  },
  onResult: (result) => ended.resolve(result),
});
executor.resume();
await executor.offer(command);
const { outcome, errorCode, errorMessage, resultJson } = await ended.promise;
const result = JSON.parse(Buffer.from(resultJson).toString() || 'null') as unknown;
process.stdout.write(JSON.stringify({ outcome: fleet.Outcome[outcome], errorCode, errorMessage, result }));
await executor.close();
await journal.close();
