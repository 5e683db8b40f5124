import { execFileSync } from 'node:child_process';
import { copyFile, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createEnvoyDist, createModuleStore } from '@flotilla/envoy-dist';
import { createLogger, createSilentLogger } from '@flotilla/kit';
import { type ArchiveFile, type ArchiveServer, startArchive, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { InstallRequest, VersionKind } from './types.ts';
import { VersionStores, type VersionStoresOptions } from './version-stores.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;
const MODULE = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
const OTHER_DIGEST = 'b'.repeat(64);
let archive: ArchiveServer;
let envoy: ArchiveFile;
let dir: string;
let users: Map<string, string>;

beforeAll(async () => {
  archive = await startArchive();
  envoy = await archive.makeEnvoy(VERSION);
});
afterAll(() => archive.close());
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'versions-'));
  users = new Map();
});
afterEach(() => rm(dir, { recursive: true, force: true }));

function openStores(options: Partial<VersionStoresOptions> = {}): VersionStores {
  return new VersionStores({
    envoyDist: createEnvoyDist({ cacheDir: join(dir, 'envoy'), env: {}, python: '/nonexistent' }),
    modules: createModuleStore(join(dir, 'waf')),
    quotaBytes: 64 * 1024 ** 3,
    isShared: false,
    findUsers: async (kind, version) => [users.get(`${kind} ${version}`) ?? []].flat(),
    opened: () => Promise.resolve(),
    logger: createSilentLogger(),
    ...options,
  });
}

let paths = 0;
/** The request to install what the archive serves under a new path. */
function requestOf(
  answer: Parameters<ArchiveServer['serve']>[1],
  { sha256, ...request }: Partial<InstallRequest> & { sha256: string },
): InstallRequest {
  paths += 1;
  const url = archive.serve(`/file-${paths}`, answer);
  return { kind: 'envoy', version: VERSION, offer: { url, sha256 }, ...request };
}

const versionsOf = async (stores: VersionStores, kind: VersionKind = 'envoy') =>
  (await stores.list(kind)).map(({ version, sha256 }) => [version, sha256]);
const bannerOf = (path: string) => execFileSync(path, ['--version']).toString();

async function fileOf(name: string, content: Buffer): Promise<ArchiveFile> {
  await writeFile(join(dir, name), content);
  return archive.describe(join(dir, name));
}

describe('an install from the archive', () => {
  test('writes its steps and its end to the log of the agent, with the command that has asked for it', async () => {
    const destination = join(dir, 'log');
    const stores = openStores({ logger: createLogger({ name: 'agent', level: 'info', destination }) });
    await stores.install(requestOf(envoy, { sha256: OTHER_DIGEST, id: 'first' }));
    await stores.install(requestOf(envoy, { sha256: envoy.sha256, id: 'second' }));
    const lines = await vi.waitFor(async () => {
      const text = await readFile(destination, 'utf8');
      expect(text).toContain('version.installed');
      return text
        .trim()
        .split('\n')
        .map((line): Record<string, unknown> => JSON.parse(line));
    });
    const reported = lines.map(({ msg, step, command, code }) =>
      [msg, step ?? code, command].filter(Boolean).join(' '),
    );
    expect([...new Set(reported)]).toEqual([
      'version.installing download first',
      'version.installing verify first',
      'version.not_installed digest first',
      ...['download', 'verify', 'probe', 'place', 'settle'].map((step) => `version.installing ${step} second`),
      'version.installed',
    ]);
    expect(lines.find(({ code }) => code === 'digest')?.reason).toContain(OTHER_DIGEST);
  });

  test('is complete, lists its digest, and is not repeated unless that is asked for', async () => {
    const stores = openStores();
    const request = requestOf(envoy, { sha256: envoy.sha256.toUpperCase() });
    const steps: string[] = [];
    const installed = await stores.install({ ...request, onStep: (step) => steps.push(step) });
    expect(installed).toMatchObject({ ok: true, value: { installed: { version: VERSION, bytes: envoy.size } } });
    expect([...new Set(steps)]).toEqual(['download', 'verify', 'probe', 'place', 'settle']);
    expect(bannerOf(join(dir, 'envoy', VERSION, 'envoy'))).toContain(`/${VERSION}/`);
    const downloads = archive.asked.length;
    expect(await stores.install(request)).toMatchObject({ ok: true });
    expect(archive.asked).toHaveLength(downloads);
    expect(await stores.install({ ...request, force: true })).toMatchObject({ ok: true });
    expect(archive.asked).toHaveLength(downloads + 1);
    expect(await readdir(join(dir, 'envoy'))).toEqual([VERSION]);
  });

  test('of another build of the same version replaces it only with force, and not twice for one request', async () => {
    const stores = openStores();
    await stores.install(requestOf(envoy, { sha256: envoy.sha256 }));
    const rebuilt = await archive.makeEnvoy(VERSION, Buffer.from('rebuilt'));
    const request = requestOf(rebuilt, { sha256: rebuilt.sha256, id: 'command-1' });
    await stores.install(request);
    expect(await versionsOf(stores)).toEqual([[VERSION, envoy.sha256]]);
    await stores.install({ ...request, force: true });
    expect(await versionsOf(stores)).toEqual([[VERSION, rebuilt.sha256]]);
    const downloads = archive.asked.length;
    expect(await stores.install({ ...request, force: true })).toMatchObject({ ok: true });
    expect(archive.asked).toHaveLength(downloads);
  });

  test('reports why the archive has nothing, and does not look elsewhere', async () => {
    const offer = { missing: 'the release archive does not list the Envoy 9.9.9' };
    expect(await openStores().install({ kind: 'envoy', version: '9.9.9', offer })).toEqual({
      ok: false,
      error: { code: 'not_listed', message: offer.missing },
    });
  });
});

describe('a bad download leaves the host as before', () => {
  const stopped = () => AbortSignal.abort();
  const cut = (response: Parameters<Exclude<Parameters<ArchiveServer['serve']>[1], Buffer | ArchiveFile>>[1]) => {
    response.writeHead(200, { 'content-length': 1_000_000 });
    response.write(Buffer.alloc(1000), () => response.destroy());
  };

  /** Each with the code that it must have. */
  const cases: ReadonlyArray<readonly [name: string, code: string, make: () => Promise<InstallRequest>]> = [
    ['a wrong digest', 'digest', async () => requestOf(envoy, { sha256: OTHER_DIGEST })],
    ['a truncated body', 'unreachable', async () => requestOf((_, response) => cut(response), envoy)],
    [
      'an archive that is unreachable',
      'unreachable',
      async () => ({ ...requestOf(envoy, envoy), offer: { url: 'http://127.0.0.1:1/envoy', sha256: envoy.sha256 } }),
    ],
    [
      'a missing file',
      'missing',
      async () => ({ ...requestOf(envoy, envoy), offer: { url: `${archive.url}/none`, sha256: envoy.sha256 } }),
    ],
    [
      'an archive that fails',
      'unreachable',
      async () => requestOf((_, response) => response.writeHead(500).end(), envoy),
    ],
    [
      'a download that was stopped',
      'aborted',
      async () => requestOf((_, response) => response.writeHead(200).flushHeaders(), { ...envoy, signal: stopped() }),
    ],
    [
      'an announced size above the limit',
      'too_large',
      async () =>
        requestOf((_, response) => response.writeHead(200, { 'content-length': 2 ** 40 }).flushHeaders(), envoy),
    ],
    [
      'a compressed body, which unpacks to more than it announces',
      'too_large',
      async () =>
        requestOf(
          (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1e7))),
          envoy,
        ),
    ],
    [
      'a redirect to an address without https',
      'address',
      async () => requestOf((_, response) => response.writeHead(302, { location: 'http://192.0.2.1/x' }).end(), envoy),
    ],
    [
      'a file of the host',
      'address',
      async () => ({ ...requestOf(envoy, envoy), offer: { url: 'file:///etc/passwd', sha256: envoy.sha256 } }),
    ],
    [
      'a binary of another architecture',
      'wrong_architecture',
      async () => {
        const path = join(dir, 'foreign');
        await copyFile(envoy.path, path);
        const file = await open(path, 'r+');
        // e_machine of ELF: RISC-V
        await file.write(Buffer.from([243, 0]), 0, 2, 18);
        await file.close();
        const foreign = await archive.describe(path);
        return requestOf(foreign, foreign);
      },
    ],
    [
      'a program that is not Envoy',
      'not_usable',
      async () => {
        const program = await archive.describe(await resolveTrue());
        return requestOf(program, program);
      },
    ],
    [
      'a script',
      'not_usable',
      async () => {
        const script = await fileOf(
          'script',
          Buffer.from(`#!/bin/sh\ntouch ${dir}/ran\necho version: a/${VERSION}/b\n`),
        );
        return requestOf(script, script);
      },
    ],
    [
      'an Envoy of another version',
      'not_usable',
      async () => requestOf(envoy, { sha256: envoy.sha256, version: '9.9.9' }),
    ],
    ['a version that is a path', 'not_usable', async () => requestOf(envoy, { ...envoy, version: '../../x' })],
  ];

  const good = join(tmpdir(), `versions-good-${process.pid}-${Math.random()}`);
  const openGood = () =>
    openStores({ envoyDist: createEnvoyDist({ cacheDir: good, env: {}, python: '/nonexistent' }) });
  beforeAll(async () => {
    const stores = new VersionStores({
      envoyDist: createEnvoyDist({ cacheDir: good, env: {} }),
      modules: createModuleStore(`${good}-modules`),
      quotaBytes: 64 * 1024 ** 3,
      isShared: false,
      findUsers: async () => [],
      opened: () => Promise.resolve(),
      logger: createSilentLogger(),
    });
    expect(await stores.install(requestOf(envoy, { sha256: envoy.sha256 }))).toMatchObject({ ok: true });
  });
  afterAll(() => rm(good, { recursive: true, force: true }));

  test.each(cases)('%s is refused with %s, and a good binary stays', async (_, code, make) => {
    const empty = openStores();
    const request = await make();
    expect(await empty.install(request)).toMatchObject({ ok: false, error: { code } });
    expect(await versionsOf(empty)).toEqual([]);
    const stores = openGood();
    expect(await stores.install({ ...request, force: true })).toMatchObject({ ok: false, error: { code } });
    expect(await versionsOf(stores)).toEqual([[VERSION, envoy.sha256]]);
    expect(bannerOf(join(good, VERSION, 'envoy'))).toContain(`/${VERSION}/`);
    expect(await readdir(good)).toEqual([VERSION]);
    expect((await readdir(dir)).includes('ran')).toBe(false);
  });

  test('a body that is larger than the quota allows is stopped while it arrives', async () => {
    let sent = 0;
    const endless = requestOf((_, response) => {
      const more = () => {
        while (!response.destroyed) {
          sent += 65_536;
          if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', more);
        }
      };
      more();
    }, envoy);
    const stores = openStores({ quotaBytes: 1_000_000 });
    expect(await stores.install(endless)).toMatchObject({ ok: false, error: { code: 'too_large' } });
    expect(sent).toBeLessThan(64 * 1024 ** 2);
    expect(await readdir(join(dir, 'envoy'))).toEqual([]);
  });
});

describe('the quota', () => {
  const moduleOf = (n: number) => Buffer.concat([MODULE, Buffer.alloc(992, n)]);

  async function install(stores: VersionStores, version: string, n: number) {
    const file = await fileOf(`module-${n}`, moduleOf(n));
    return stores.install(requestOf(file, { sha256: file.sha256, kind: 'waf', version }));
  }

  test('removes unused versions for new ones, the oldest install first, and never one in use', async () => {
    const stores = openStores({ quotaBytes: 3000 });
    for (const [i, version] of ['0.9.0', '0.2.0', '0.5.0'].entries()) await install(stores, version, i);
    users.set('waf 0.9.0', 'service shop');
    expect(await install(stores, '0.6.0', 4)).toMatchObject({ ok: true, value: { removed: ['WAF module 0.2.0'] } });
    expect((await versionsOf(stores, 'waf')).map(([version]) => version)).toEqual(['0.9.0', '0.6.0', '0.5.0']);
    for (const version of ['0.5.0', '0.6.0']) users.set(`waf ${version}`, 'service shop');
    expect(await install(stores, '0.7.0', 5)).toMatchObject({
      ok: false,
      error: { code: 'quota', message: expect.stringContaining('--version-quota') },
    });
    expect((await versionsOf(stores, 'waf')).map(([version]) => version)).toEqual(['0.9.0', '0.6.0', '0.5.0']);
  });

  test('lets concurrent installs in only one after the other', async () => {
    const stores = openStores({ quotaBytes: 3000 });
    const all = await Promise.all(Array.from({ length: 6 }, (_, i) => install(stores, `0.${i}.0`, i)));
    expect(all.every(({ ok }) => ok)).toBe(true);
    expect(await versionsOf(stores, 'waf')).toHaveLength(3);
  });
});

describe('a removal', () => {
  test('deletes an unused version, and refuses one that is in use, shared or not the agent’s', async () => {
    const stores = openStores();
    await stores.install(requestOf(envoy, { sha256: envoy.sha256 }));
    users.set(`envoy ${VERSION}`, 'service shop');
    expect(await stores.remove('envoy', VERSION)).toMatchObject({
      ok: false,
      error: { code: 'in_use', message: expect.stringContaining('service shop') },
    });
    users.clear();
    expect(await openStores({ isShared: true }).remove('envoy', VERSION)).toMatchObject({ error: { code: 'shared' } });
    const given = createEnvoyDist({ cacheDir: join(dir, 'empty'), env: { ENVOY_BIN: envoy.path } });
    expect(await openStores({ envoyDist: given }).remove('envoy', VERSION)).toMatchObject({
      error: { code: 'not_removable' },
    });
    expect(await stores.remove('envoy', VERSION)).toEqual({ ok: true, value: true });
    expect(await readdir(join(dir, 'envoy'))).toEqual([]);
    expect(await stores.remove('envoy', VERSION)).toEqual({ ok: true, value: false });
    expect(await stores.remove('envoy', '../../etc')).toEqual({ ok: true, value: false });
  });
});

describe('a WAF module', () => {
  test('is installed if it is a WebAssembly module', async () => {
    const stores = openStores();
    const module = await fileOf('module', MODULE);
    const request = requestOf(module, { sha256: module.sha256, kind: 'waf', version: '0.6.0' });
    expect(await stores.install(request)).toMatchObject({ ok: true, value: { installed: { version: '0.6.0' } } });
    expect(await readFile(join(dir, 'waf/0.6.0/coraza.wasm'))).toEqual(MODULE);
    const component = await fileOf('component', Buffer.from([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0]));
    const wrong = requestOf(component, { sha256: component.sha256, kind: 'waf', version: '0.7.0' });
    expect(await stores.install(wrong)).toMatchObject({ ok: false, error: { code: 'not_usable' } });
    const none = await stores.install({ kind: 'waf', version: '0.8.0', offer: undefined });
    expect(none).toMatchObject({ ok: false, error: { code: 'not_listed' } });
  });
});

async function resolveTrue(): Promise<string> {
  const path = join(dir, 'true');
  await copyFile('/bin/true', path);
  return path;
}
