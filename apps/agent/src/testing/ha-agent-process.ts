import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fromJson, toJson } from '@bufbuild/protobuf';
import { createEnvoyDist, createModuleStore } from '@flotilla/envoy-dist';
import { createSilentLogger, makeFolder, systemClock } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { CommandExecutor } from '../commands/executor.ts';
import { CommandJournal } from '../commands/journal.ts';
import { createServiceHost } from '../host/index.ts';
import { createIdleNetwork } from './idle-network.ts';

/**
 * The host side of an agent in a process of its own, for a network namespace. Arguments: FOLDER CONTROLLER. Each line of the input is a
 * desired state or a command, and each line of the output a report of the member, a result of a command, or the addresses that it has
 * found.
 */
const [dir = '', controller = ''] = process.argv.slice(2);
const dataDir = join(dir, 'data');
const logger = createSilentLogger();
await makeFolder(dataDir, 0o700);
const host = createServiceHost({
  dirs: { dataDir, runtimeDir: join(dir, 'run') },
  logger,
  flotillaCommand: [process.execPath, join(import.meta.dirname, '../../../cli/src/entry.ts')],
  mode: 'supervisor',
  envoyDist: createEnvoyDist({ cacheDir: join(dir, 'envoys'), env: {} }),
  modules: createModuleStore(join(dataDir, 'waf')),
  agentVersion: '0.1.0',
  ha: { controller },
});
const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
host.ha.onReport((report) => print({ report }));
const journal = await CommandJournal.open(join(dataDir, 'commands.log'));
const executor = new CommandExecutor({
  host,
  network: createIdleNetwork(dataDir),
  journal,
  clock: systemClock,
  logger,
  desiredGeneration: () => 0n,
  onAccepted: () => undefined,
  onProgress: () => undefined,
  onResult: ({ commandId, outcome, errorCode, errorMessage, resultJson }) => {
    const text = Buffer.from(resultJson).toString();
    print({ commandId, outcome, errorCode, errorMessage, ...(text !== '' && { result: JSON.parse(text) }) });
  },
});
await host.factsKnown();
const { ha, capabilities } = host.hostFacts();
print({
  facts: ha && toJson(fleet.HaFactsSchema, ha),
  capability: capabilities.find(({ name }) => name === 'ha')?.available,
});
createInterface({ input: process.stdin }).on('line', (line) => {
  const { desired, command } = JSON.parse(line);
  if (desired) host.setDesired(fromJson(fleet.DesiredStateSchema, desired));
  if (command) void executor.offer(fromJson(fleet.CommandSchema, command));
});
