import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTestEnvoy, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EnvoyApi, loadEnvoyApi } from '../index.ts';
import { guidedMessages, guideOf } from './index.ts';

const COMPRESSED = 'envoy.extensions.filters.http.compressor.v3.Compressor.CommonDirectionConfig';

/** Fields that were added after the oldest version. */
const NEW_FIELDS: Readonly<Record<string, readonly string[]>> = { [COMPRESSED]: ['content_type_matcher'] };

/** Fields that are deprecated in the newest version: forms show them only for older versions. */
const OLD_FIELDS: Readonly<Record<string, readonly string[]>> = { [COMPRESSED]: ['content_type'] };

describe.each(Object.values(TEST_ENVOY_VERSIONS))('for Envoy %s,', (version) => {
  let cacheDir: string;
  let api: EnvoyApi;
  beforeAll(async () => {
    cacheDir = await mkdtemp(join(tmpdir(), 'envoy-guide-'));
    const { path, sha256 } = await ensureTestEnvoy(version);
    api = await loadEnvoyApi({ version, binaryPath: path, binarySha256: sha256, cacheDir });
  });
  afterAll(() => rm(cacheDir, { recursive: true, force: true }));

  test('the guide lists only existing messages and fields, and none that is deprecated', () => {
    const missing: string[] = [];
    for (const message of guidedMessages()) {
      if (!api.hasMessage(message)) missing.push(message);
      else {
        const fields = new Map(api.describe(message).fields.map((field) => [field.name, field]));
        for (const name of Object.keys(guideOf(message) ?? {})) {
          const isNew = version === TEST_ENVOY_VERSIONS.oldest && NEW_FIELDS[message]?.includes(name);
          const isOld = version === TEST_ENVOY_VERSIONS.newest && OLD_FIELDS[message]?.includes(name);
          if (fields.get(name)?.deprecated === true && !isOld) missing.push(`${message}.${name} is deprecated`);
          if (!fields.has(name) && !isNew) missing.push(`${message}.${name}`);
        }
      }
    }
    expect(missing).toEqual([]);
  });

  test('the guide covers sixty messages and one hundred and fifty fields with a sentence each', () => {
    expect(guidedMessages().length).toBeGreaterThanOrEqual(60);
    const hints = guidedMessages().flatMap((message) => Object.values(guideOf(message) ?? {}));
    expect(hints.length).toBeGreaterThanOrEqual(150);
    expect(hints.filter((hint) => !/^["A-Z0-9%].{3,140}[.]$/.test(hint) && !hint.startsWith('gRPC '))).toEqual([]);
  });
});
