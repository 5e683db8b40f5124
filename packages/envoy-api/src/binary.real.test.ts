import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTestEnvoy, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EnvoyApi } from './api.ts';
import { loadEnvoyApi } from './load.ts';
import { describeConstraints } from './testing/constraint.suite.ts';
import { describeRoundTrips } from './testing/round-trip.suite.ts';

const EXPECTED = {
  [TEST_ENVOY_VERSIONS.oldest]: { messages: 1_500, rules: 900 },
  [TEST_ENVOY_VERSIONS.newest]: { messages: 1_650, rules: 1_050 },
};

describe.each(Object.entries(EXPECTED))('for Envoy %s,', (version, expected) => {
  let cacheDir: string;
  let api: EnvoyApi;

  beforeAll(async () => {
    cacheDir = await mkdtemp(join(tmpdir(), 'envoy-api-'));
    const { path, sha256 } = await ensureTestEnvoy(version);
    api = await loadEnvoyApi({ version, binaryPath: path, binarySha256: sha256, cacheDir });
  });

  afterAll(() => rm(cacheDir, { recursive: true, force: true }));

  test('the descriptors come from the binary: all files and all their imports', () => {
    expect(api.source).toBe('binary');
    expect(api.messages().length).toBeGreaterThanOrEqual(expected.messages);
    expect(api.hasMessage('envoy.config.bootstrap.v3.Bootstrap')).toBe(true);
  });

  test('every field has its camelCase name, and none an empty one (fault M4)', () => {
    const fields = api.messages().flatMap((message) => api.registry.getMessage(message)?.fields ?? []);
    expect(
      fields.filter(({ name, jsonName }) => jsonName.toLowerCase() !== name.replaceAll('_', '').toLowerCase()),
    ).toEqual([]);
    const proxy = 'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy';
    const filter = (content: object) => ({
      name: 'tcp',
      typedConfig: { '@type': `type.googleapis.com/${proxy}`, ...content },
    });
    const check = (content: object) =>
      api.check('envoy.config.listener.v3.Filter', filter(content)).errors.map(({ path, rule }) => `${path}: ${rule}`);
    expect(check({ statPrefix: 'tcp', cluster: 'web', maxConnectAttempts: 2 })).toEqual([]);
    expect(check({ stat_prefix: 'tcp', cluster: 'web', '': 2 })).toEqual(['typedConfig[""]: unknown_field']);
  });

  describeRoundTrips(async () => api, expected.messages);
  describeConstraints(async () => api, expected.rules);
});
