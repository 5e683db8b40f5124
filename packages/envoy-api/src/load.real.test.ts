import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTestEnvoy } from '@flotilla/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadEnvoyApi } from './load.ts';

const TIMEOUT = 60_000;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'load-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A unique version text bypasses the process-wide cache. */
let run = 0;
const unseen = () => {
  run += 1;
  return `1.39.3+${run}`;
};

describe('loading', () => {
  test(
    'stores the set as a file named after the binary, reads it the next time, and recreates a broken one',
    async () => {
      const { path, sha256 } = await ensureTestEnvoy();
      const first = await loadEnvoyApi({ version: unseen(), binaryPath: path, cacheDir: folder });
      const [name = '', ...others] = await readdir(folder);
      expect(others).toEqual([]);
      expect(name).toContain(sha256);
      const written = await readFile(join(folder, name));

      const second = await loadEnvoyApi({
        version: unseen(),
        binaryPath: path,
        binarySha256: sha256,
        cacheDir: folder,
      });
      expect(second.messages()).toEqual(first.messages());

      for (const broken of [written.subarray(0, 1_000), Buffer.from('nonsense'), Buffer.alloc(0)]) {
        await writeFile(join(folder, name), broken);
        const again = await loadEnvoyApi({
          version: unseen(),
          binaryPath: path,
          binarySha256: sha256,
          cacheDir: folder,
        });
        expect(again.messages()).toEqual(first.messages());
        expect((await readFile(join(folder, name))).equals(written)).toBe(true);
      }
      expect(await readdir(folder)).toEqual([name]);
    },
    TIMEOUT,
  );

  test(
    'several times at once leaves one complete file',
    async () => {
      const { path, sha256 } = await ensureTestEnvoy();
      const load = () => loadEnvoyApi({ version: unseen(), binaryPath: path, binarySha256: sha256, cacheDir: folder });
      const apis = await Promise.all([load(), load(), load()]);
      expect(new Set(apis.map((api) => api.messages().length)).size).toBe(1);
      expect(await readdir(folder)).toHaveLength(1);
    },
    TIMEOUT,
  );

  test(
    'falls back to the packaged set for a program that is not Envoy, without storing a file',
    async () => {
      const api = await loadEnvoyApi({ version: unseen(), binaryPath: process.execPath, cacheDir: folder });
      expect(api.source).toBe('package');
      expect(api.hasMessage('envoy.config.cluster.v3.Cluster')).toBe(true);
      expect(await readdir(folder)).toEqual([]);
    },
    TIMEOUT,
  );

  test('rejects if the binary is missing, and works once it exists', async () => {
    const version = unseen();
    const path = join(folder, 'envoy');
    await expect(loadEnvoyApi({ version, binaryPath: path })).rejects.toThrow(/ENOENT/);
    await writeFile(path, 'x');
    expect((await loadEnvoyApi({ version, binaryPath: path })).source).toBe('package');
  });
});
