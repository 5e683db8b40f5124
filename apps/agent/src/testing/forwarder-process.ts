import { join } from 'node:path';
import { fromJsonString } from '@bufbuild/protobuf';
import { createSilentLogger, systemClock } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { CommandExecutor } from '../commands/executor.ts';
import { CommandJournal } from '../commands/journal.ts';
import { Supervisor } from '../host/units/supervisor.ts';
import { LogForwarding } from '../log-forwarding/log-forwarding.ts';
import { FakeHost } from './fake-host.ts';
import { FLOTILLA } from './flotilla-command.ts';
import { createIdleNetwork } from './idle-network.ts';

/**
 * Runs the commands of an agent that forwards logs, in a separate process. Arguments: FOLDER COMMAND STEP RSYSLOGD. It takes up what an
 * earlier process has left, runs the command (JSON) and prints its result. It kills itself (SIGKILL) at the given step, if there is one.
 */
const [dataDir = '', text = '', killAt = '', rsyslogd = ''] = process.argv.slice(2);
const logger = createSilentLogger();
const runner = new Supervisor({ dataDir, logger });
const forwarding = new LogForwarding({
  dataDir,
  runner,
  logger,
  flotillaCommand: FLOTILLA,
  ...(rsyslogd && { rsyslogPrograms: [rsyslogd] }),
});
runner.onEvent((event) => forwarding.noticeEvent(event));
class ForwardingHost extends FakeHost {
  override readonly logForwarding = forwarding;
}
const command = fromJsonString(fleet.CommandSchema, text);
const journal = await CommandJournal.open(join(dataDir, 'commands.log'));
const ended = Promise.withResolvers<fleet.CommandResult>();
const executor = new CommandExecutor({
  host: new ForwardingHost(),
  network: createIdleNetwork(dataDir),
  journal,
  clock: systemClock,
  logger,
  desiredGeneration: () => 0n,
  onAccepted: () => undefined,
  onProgress: (_, step) => {
    if (step === killAt) process.kill(process.pid, 'SIGKILL');
  },
  onResult: (result) => {
    if (result.commandId === command.commandId) ended.resolve(result);
  },
});
executor.resume();
await executor.offer(command);
const { outcome, errorCode, errorMessage } = await ended.promise;
const { revision, pid } = await forwarding[command.type === 'LOGSHIPPER' ? 'logshipper' : 'syslog'].status();
process.stdout.write(`${JSON.stringify({ outcome, errorCode, errorMessage, revision, pid })}\n`);
process.exit(0);
