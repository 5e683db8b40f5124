import { join } from 'node:path';
import { fromJsonString } from '@bufbuild/protobuf';
import { createEnvoyDist, createModuleStore } from '@flotilla/envoy-dist';
import { createSilentLogger, systemClock } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { CommandExecutor } from '../commands/executor.ts';
import { CommandJournal } from '../commands/journal.ts';
import { VersionStores } from '../host/versions/version-stores.ts';
import { FakeHost } from './fake-host.ts';
import { createIdleNetwork } from './idle-network.ts';

/**
 * Runs the commands of an agent that installs versions, in a separate process. Arguments: FOLDER COMMAND [STEP]. It takes up what an
 * earlier process has left, runs the command (JSON) and prints its result. It kills itself (SIGKILL) at the given step.
 */
const [dir = '', text = '', killAt = ''] = process.argv.slice(2);
const logger = createSilentLogger();
class InstallHost extends FakeHost {
  override readonly versions = new VersionStores({
    envoyDist: createEnvoyDist({ cacheDir: join(dir, 'envoy'), env: {}, python: '/nonexistent' }),
    modules: createModuleStore(join(dir, 'waf')),
    quotaBytes: 64 * 1024 ** 3,
    isShared: false,
    findUsers: async () => [],
    opened: () => Promise.resolve(),
    logger,
  });
}
const command = fromJsonString(fleet.CommandSchema, text);
const journal = await CommandJournal.open(join(dir, 'commands.log'));
const ended = Promise.withResolvers<fleet.CommandResult>();
const executor = new CommandExecutor({
  host: new InstallHost(),
  network: createIdleNetwork(dir),
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
const { outcome, errorCode, resultJson } = await ended.promise;
const result = JSON.parse(Buffer.from(resultJson).toString() || 'null') as unknown;
process.stdout.write(JSON.stringify({ outcome: fleet.Outcome[outcome], errorCode, result }));
await executor.close();
await journal.close();
