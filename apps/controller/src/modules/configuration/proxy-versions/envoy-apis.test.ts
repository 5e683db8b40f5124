import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EnvoyBinary, EnvoyDist } from '@flotilla/envoy-dist';
import { createSilentLogger, err } from '@flotilla/kit';
import { describe, expect, it } from 'vitest';
import { createEnvoyApis } from './envoy-apis.ts';

/** A store without any Envoy that counts download requests. */
function emptyDist() {
  const asked: string[] = [];
  const dist: Pick<EnvoyDist, 'find' | 'list' | 'ensure'> = {
    find: async () => undefined,
    list: async (): Promise<EnvoyBinary[]> => [],
    ensure: async (version) => {
      asked.push(version);
      return err({ code: 'unavailable', version, message: 'none', attempts: [] });
    },
  };
  return { dist, asked };
}

const cacheDir = mkdtempSync(join(tmpdir(), 'flotilla-apis-'));
/** No version is prepared, and no archive is configured. */
const prepared = { list: async () => [], findDigest: async () => undefined, find: async () => undefined };
const archive = { find: async () => err({ reason: 'no archive', isCertain: true }) };
const open = (dist: Pick<EnvoyDist, 'find' | 'list' | 'ensure'>, more = {}) =>
  createEnvoyApis({ dist, prepared, archive, cacheDir, logger: createSilentLogger(), ...more });

describe('the APIs of proxy versions', () => {
  it('come from the shipped set if no binary is available, after asking for it once', async () => {
    const { dist, asked } = emptyDist();
    const apis = open(dist);
    const [api] = await Promise.all([apis.get('1.39.3'), apis.get('1.39.3')]);
    expect(api.source).toBe('package');
    expect(api.hasMessage('envoy.config.cluster.v3.Cluster')).toBe(true);
    await apis.get('1.39.3');
    expect(asked).toEqual(['1.39.3']);
  });

  it('exist for known versions only; the error names them, newest first', async () => {
    const apis = open(emptyDist().dist);
    await expect(apis.get('0.0.1')).rejects.toThrow(/not known\. Known versions: 1\.40\.0, /);
    await expect(apis.get('__proto__')).rejects.toThrow(/not known/);
  });

  it('do not wait for a download for ever', async () => {
    const { dist } = emptyDist();
    const apis = open({ ...dist, ensure: () => new Promise(() => undefined) }, { fetchDeadlineMs: 5 });
    expect((await apis.get('1.39.3')).source).toBe('package');
  });

  it('can be loaded without a download, which the first real use then requests', async () => {
    const { dist, asked } = emptyDist();
    const apis = open(dist);
    expect((await apis.getHere('1.39.3')).source).toBe('package');
    expect(asked).toEqual([]);
    await apis.get('1.39.3');
    expect(asked).toEqual(['1.39.3']);
    await expect(apis.getHere('0.0.1')).rejects.toThrow(/not known/);
  });

  it('prefer the newest installed version, else the newest known one', async () => {
    const { dist } = emptyDist();
    expect(await open(dist).newest()).toBe((await open(dist).known())[0]);
    const binary = (version: string) =>
      ({ version, path: '/x', sha256: '', source: 'cache' }) as unknown as EnvoyBinary;
    const list = async () => ['1.36.4', '1.38.10', '1.38.9'].map(binary);
    expect(await open({ ...dist, list }).newest()).toBe('1.38.10');
  });

  it('are loaded again after a failure', async () => {
    const { dist } = emptyDist();
    let failures = 0;
    const apis = open({
      ...dist,
      list: async () => {
        failures += 1;
        if (failures === 1) throw new Error('disk');
        return [];
      },
    });
    await expect(apis.get('1.39.3')).rejects.toThrow('disk');
    expect((await apis.get('1.39.3')).version).toBe('1.39.3');
  });
});
