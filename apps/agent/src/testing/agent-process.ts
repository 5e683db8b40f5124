import { appendFile } from 'node:fs/promises';
import { createSilentLogger, sleep, systemClock } from '@flotilla/kit';
import { createAgent } from '../agent.ts';
import { IdentityFiles } from '../identity/identity-files.ts';
import { FakeHost } from './fake-host.ts';
import { idleNetworkOptions } from './idle-network.ts';

/**
 * Runs an agent in a separate process, for tests that kill it. Arguments: PORT DATA_DIR ACTIONS_FILE. Each action of its host
 * appends a line to the file, which records the actions that were really performed.
 */
const [port, dataDir = '', actionsFile = ''] = process.argv.slice(2);
const host = new FakeHost();
host.during = async () => {
  await appendFile(actionsFile, `${host.done.at(-1)}\n`);
  await sleep(Math.random() * 20);
};
const files = new IdentityFiles(dataDir);
const identity = await files.read();
if (!identity) throw new Error('not enrolled');
const agent = createAgent({
  controller: { host: '127.0.0.1', port: Number(port) },
  dataDir,
  files,
  host,
  network: idleNetworkOptions(dataDir),
  clock: systemClock,
  logger: createSilentLogger(),
  backoff: { initialMs: 5, maxMs: 20 },
});
await agent.start(identity);
