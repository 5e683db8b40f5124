import { join } from 'node:path';
import { createEnvoyDist, type EnvoyBinary } from '@flotilla/envoy-dist';

/** The two ends of the range of Envoys that every test with a proxy runs against. */
export const TEST_ENVOY_VERSIONS = { newest: '1.40.0', oldest: '1.36.4' } as const;

/** One folder for all tests of this clone, so that a version is fetched once. */
export const TEST_ENVOY_CACHE_DIR = join(import.meta.dirname, '../../../.cache/envoy');

const running = new Map<string, Promise<EnvoyBinary>>();

/** A real Envoy of this version; fetched at the first use. Throws with what was tried when none can be had. */
export function ensureTestEnvoy(version: string = TEST_ENVOY_VERSIONS.newest): Promise<EnvoyBinary> {
  const known = running.get(version);
  if (known) return known;
  const ensured = ensure(version);
  running.set(version, ensured);
  return ensured;
}

async function ensure(version: string): Promise<EnvoyBinary> {
  const result = await createEnvoyDist({ cacheDir: TEST_ENVOY_CACHE_DIR }).ensure(version);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
