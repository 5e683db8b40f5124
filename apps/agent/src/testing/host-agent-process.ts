import { createEnvoyDist, createModuleStore } from '@flotilla/envoy-dist';
import { createSilentLogger, systemClock } from '@flotilla/kit';
import { createAgent } from '../agent.ts';
import { createServiceHost } from '../host/index.ts';
import { IdentityFiles } from '../identity/identity-files.ts';
import { idleNetworkOptions } from './idle-network.ts';

/**
 * Runs an agent with its host in a separate process, for tests that kill it. Arguments: PORT IDENTITY_DIR RUNTIME_DIR DATA_DIR
 * ENVOY_CACHE.
 */
const [port, identityDir = '', runtimeDir = '', dataDir = '', cacheDir = ''] = process.argv.slice(2);
const logger = createSilentLogger();
const files = new IdentityFiles(identityDir);
const identity = await files.read();
if (!identity) throw new Error('not enrolled');
const host = createServiceHost({
  dirs: { runtimeDir, dataDir },
  logger,
  flotillaCommand: [process.execPath],
  mode: 'supervisor',
  envoyDist: createEnvoyDist({ cacheDir, env: {} }),
  modules: createModuleStore(`${dataDir}/waf`),
  sharesEnvoys: true,
});
const agent = createAgent({
  controller: { host: '127.0.0.1', port: Number(port) },
  dataDir: identityDir,
  files,
  host,
  network: idleNetworkOptions(identityDir),
  clock: systemClock,
  logger,
  backoff: { initialMs: 10, maxMs: 50 },
});
await agent.start(identity);
