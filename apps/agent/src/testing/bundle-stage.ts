import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createId, createSilentLogger, systemClock } from '@flotilla/kit';
import { onTestFinished } from 'vitest';
import { type ApplianceOptions, HostAppliance } from '../appliance/host-appliance.ts';
import type { BundleRecord } from '../appliance/support-bundle/bundle-folder.ts';
import { eventually } from './test-host.ts';

/** The program `flotilla`, which creates bundles in a process of its own. */
const FLOTILLA = [process.execPath, join(import.meta.dirname, '../../../cli/src/entry.ts')];
export const SERVICE_KEY = '0123456789ab';

/** The folders of a host: `root` contains etc and var/log, `dataDir` is that of its agent. */
export class BundleStage {
  readonly base: string;
  readonly root: string;
  readonly dataDir: string;
  readonly #opened = new Set<HostAppliance>();

  private constructor(base: string, dataDir: string) {
    this.base = base;
    this.root = join(base, 'root');
    this.dataDir = dataDir;
    mkdirSync(join(dataDir, 'logs'), { recursive: true });
    this.plant('root/etc/os-release', 'ID=test\nPRETTY_NAME="Test 1"\n');
  }

  static async create({ dataDir }: { readonly dataDir?: (base: string) => string } = {}): Promise<BundleStage> {
    const base = await mkdtemp(join(tmpdir(), 'fb-'));
    const stage = new BundleStage(base, dataDir?.(base) ?? join(base, 'data'));
    onTestFinished(() => stage.#destroy());
    return stage;
  }

  /** Writes a file below the folder of the stage. */
  plant(path: string, text: string, mode = 0o600): string {
    const file = join(this.base, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  }

  /** A program that prints `text`. A gated one waits for `release`. */
  program(name: string, text: string, { isGated = false } = {}): string {
    const output = this.plant(`${name}.txt`, text);
    const wait = isGated ? `while [ ! -e ${this.base}/${name}.go ]; do sleep 0.05; done\n` : '';
    return this.plant(name, `#!/bin/sh\ntouch ${this.base}/${name}.started\n${wait}cat ${output}\n`, 0o755);
  }

  /** Resolves when the program runs. */
  async started(name: string): Promise<void> {
    await eventually(() => existsSync(join(this.base, `${name}.started`)));
  }

  release(name: string): void {
    this.plant(`${name}.go`, '');
  }

  open(options: Partial<ApplianceOptions> = {}): HostAppliance {
    const folder = join(this.dataDir, 'services', SERVICE_KEY);
    const service = {
      serviceId: 'svc',
      key: SERVICE_KEY,
      logDir: join(folder, 'logs'),
      filesDir: join(folder, 'files'),
      bootstrapFile: join(folder, 'bootstrap.json'),
    };
    const appliance = new HostAppliance({
      dataDir: this.dataDir,
      root: this.root,
      flotillaCommand: FLOTILLA,
      agentVersion: '1.2.3',
      vtysh: '/nowhere/vtysh',
      journalCommand: ['/nowhere/journalctl'],
      live: { reports: () => [], services: () => [service], adminSocket: () => undefined },
      installed: () => Promise.resolve([{ name: 'envoy', version: '1.39.3', source: '/envoy' }]),
      lacks: () => undefined,
      clock: systemClock,
      logger: createSilentLogger(),
      ...options,
    });
    this.#opened.add(appliance);
    return appliance;
  }

  newId(): string {
    return createId().replaceAll('-', '');
  }

  /** Resolves with the bundle when it is no longer RUNNING. */
  async ended(appliance: HostAppliance, id: string): Promise<BundleRecord> {
    return eventually(async () => {
      const bundle = (await appliance.bundles.list()).find((one) => one.id === id);
      return bundle && bundle.state !== 'RUNNING' ? bundle : undefined;
    });
  }

  async create(appliance: HostAppliance): Promise<BundleRecord> {
    const created = await appliance.bundles.create(this.newId());
    if (!created.ok) throw new Error(created.error.message);
    return this.ended(appliance, created.value.id);
  }

  /** Reads the file of a bundle in chunks, as a controller does. */
  async download(appliance: HostAppliance, id: string, length = 100_000): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for (let offset = 0; ; ) {
      const read = await appliance.bundles.read(id, { offset, length });
      if (!read.ok) throw new Error(read.error.message);
      chunks.push(read.value.data);
      offset += read.value.data.length;
      if (read.value.isLast) return Buffer.concat(chunks);
    }
  }

  /** Unpacks an archive with the tar of the system. Returns its files by their paths, without the folder that contains them. */
  unpack(archive: Buffer): Map<string, string> {
    const folder = join(this.base, `unpacked-${createId()}`);
    mkdirSync(folder);
    execFileSync('tar', ['xzf', '-', '-C', folder], { input: archive });
    const [top = ''] = readdirSync(folder);
    const entries = readdirSync(join(folder, top), { recursive: true, withFileTypes: true });
    return new Map(
      entries
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => {
          const path = join(parentPath, name);
          return [path.slice(join(folder, top).length + 1), readFileSync(path, 'utf8')] as const;
        }),
    );
  }

  async #destroy(): Promise<void> {
    for (const appliance of this.#opened) await appliance.close();
    await rm(this.base, { recursive: true, force: true });
  }
}
