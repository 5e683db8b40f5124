import { join } from 'node:path';
import { createEnvoyDist, type EnvoyBinary } from '@flotilla/envoy-dist';
import { isFullTier } from '@flotilla/kit/testing';

/** The two ends of the range of supported Envoys. */
export const TEST_ENVOY_VERSIONS = { newest: '1.40.0', oldest: '1.36.4' } as const;

/** The versions for a test with a proxy: the newest Envoy, and in the full tier also the oldest. */
export const TIER_ENVOY_VERSIONS: readonly string[] = isFullTier
  ? Object.values(TEST_ENVOY_VERSIONS)
  : [TEST_ENVOY_VERSIONS.newest];

/** Shared by all tests of this clone, so that a version is downloaded once. */
export const TEST_ENVOY_CACHE_DIR = join(import.meta.dirname, '../../../.cache/envoy');

const running = new Map<string, Promise<EnvoyBinary>>();

/** A real Envoy of this version, downloaded on first use. Throws with what was tried if none is available. */
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
