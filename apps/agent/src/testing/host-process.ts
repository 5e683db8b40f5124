import { readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { createEnvoyDist, createModuleStore } from '@flotilla/envoy-dist';
import { createSilentLogger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { createServiceHost } from '../host/service-host.ts';

/**
 * Runs the host part of an agent in a separate process, for tests that kill it. It reads desired states from the files named
 * on standard input, one per line, and prints reports as JSON lines. Arguments: runtime folder, data folder, Envoy cache.
 */
const [runtimeDir = '', dataDir = '', envoyCacheDir = ''] = process.argv.slice(2);
const host = createServiceHost({
  dirs: { runtimeDir, dataDir },
  logger: createSilentLogger(),
  flotillaCommand: [process.execPath],
  mode: 'supervisor',
  envoyDist: createEnvoyDist({ cacheDir: envoyCacheDir, env: {} }),
  modules: createModuleStore(`${dataDir}/waf`),
  drain: { drainS: 1, shutdownS: 2 },
});
host.onReport(({ serviceId, generation, phase, error, envoyPid, removed }) => {
  process.stdout.write(
    `${JSON.stringify({ serviceId, generation: Number(generation), phase, error, envoyPid, removed })}\n`,
  );
});
process.stdin.setEncoding('utf8').on('data', (names: string) => {
  for (const name of names.split('\n').filter((line) => line !== '')) {
    host.setDesired(fromBinary(fleet.DesiredStateSchema, readFileSync(name)));
  }
});
process.once('SIGTERM', () => void host.close({ stopServices: false }).then(() => process.exit(0)));
process.stdout.write('{}\n');
