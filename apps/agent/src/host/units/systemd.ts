import { execFile } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isSameProcess, type Logger, type ProcessRef, readProcess, writeFileAtomically } from '@flotilla/kit';
import { Listeners } from '../listeners.ts';
import { renderUnitFile, unitNameOf } from './systemd-unit-file.ts';
import type { UnitEvent, UnitRef, UnitRunner, UnitSpec } from './types.ts';

const run = promisify(execFile);
const POLL_MS = 500;
const CALL_TIMEOUT_MS = 60_000;

export type Systemctl = (args: readonly string[]) => Promise<string>;

export interface SystemdRunnerOptions {
  readonly dataDir: string;
  readonly logger: Logger;
  /** Folder of the unit files. Default: the administrator's folder, so that units start with the host. */
  readonly unitDir?: string;
  readonly systemctl?: Systemctl;
}

/**
 * Runs units as systemd services. systemd also restarts them while no agent is running.
 *
 * *Enabled and running*: after `start`. *Retired*: it will end on its own; a drop-in sets Restart=no. *Removed*: after `stop`; the
 * unit is stopped and disabled, and its files are deleted. Polling finds a restart by the new main process id.
 */
export class SystemdRunner implements UnitRunner {
  readonly kind = 'systemd';
  readonly #options: SystemdRunnerOptions;
  readonly #unitDir: string;
  readonly #systemctl: Systemctl;
  readonly #units = new Map<string, { unit: UnitRef; process: ProcessRef | undefined }>();
  readonly #listeners = new Listeners<UnitEvent>();
  readonly #poll: NodeJS.Timeout;
  #isPolling = false;

  constructor(options: SystemdRunnerOptions) {
    this.#options = options;
    this.#unitDir = options.unitDir ?? '/etc/systemd/system';
    this.#systemctl = options.systemctl ?? callSystemctl;
    this.#poll = setInterval(() => void this.#pollUnits(), POLL_MS);
    this.#poll.unref();
  }

  async start(spec: UnitSpec): Promise<ProcessRef> {
    const name = unitNameOf(spec);
    await mkdir(this.#unitDir, { recursive: true });
    await writeFileAtomically(join(this.#unitDir, name), renderUnitFile(spec), { mode: 0o644 });
    await this.#systemctl(['daemon-reload']);
    await this.#systemctl(['enable', '--now', name]);
    const process = await this.#mainProcess(name);
    const unit = { serviceKey: spec.serviceKey, name: spec.name };
    this.#units.set(name, { unit, process });
    return process ?? { pid: 0, startTime: 'gone' };
  }

  async list(serviceKey: string): Promise<ReadonlyMap<string, ProcessRef>> {
    const prefix = `flotilla-${serviceKey}-`;
    const found = new Map<string, ProcessRef>();
    for (const file of await readdir(this.#unitDir).catch(() => [] as string[])) {
      if (!file.startsWith(prefix) || !file.endsWith('.service')) continue;
      const name = file.slice(prefix.length, -'.service'.length);
      const process = await this.#mainProcess(file);
      this.#units.set(file, { unit: { serviceKey, name }, process });
      if (process) found.set(name, process);
    }
    return found;
  }

  find(unit: UnitRef): ProcessRef | undefined {
    // While systemd restarts the unit, it keeps its last process.
    return this.#units.get(unitNameOf(unit))?.process;
  }

  async retire(unit: UnitRef): Promise<void> {
    const dropIns = join(this.#unitDir, `${unitNameOf(unit)}.d`);
    await mkdir(dropIns, { recursive: true });
    await writeFileAtomically(join(dropIns, 'retired.conf'), '[Service]\nRestart=no\n', { mode: 0o644 });
    await this.#systemctl(['daemon-reload']);
  }

  async stop(unit: UnitRef): Promise<void> {
    const name = unitNameOf(unit);
    this.#units.delete(name);
    const isThere = (await readdir(this.#unitDir).catch(() => [] as string[])).includes(name);
    if (!isThere) return;
    await this.#systemctl(['disable', '--now', name]);
    await rm(join(this.#unitDir, name), { force: true });
    await rm(join(this.#unitDir, `${name}.d`), { recursive: true, force: true });
    await this.#systemctl(['daemon-reload']);
    await this.#systemctl(['reset-failed', name]).catch(() => undefined);
  }

  async endStrays(): Promise<void> {
    // systemd ends the whole control group of a unit, which no process can leave.
  }

  async removeService(): Promise<void> {
    // `stop` has removed the files of every unit.
  }

  onEvent(listener: (event: UnitEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    clearInterval(this.#poll);
  }

  async #pollUnits(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      for (const [name, known] of this.#units) {
        if (known.process && isSameProcess(known.process)) continue;
        const process = await this.#mainProcess(name);
        // There is no process between two attempts of systemd. The unit has ended only if systemd reports so.
        if (process) this.#changed(name, process);
        else if (known.process && (await this.#isOver(name))) this.#changed(name, undefined);
      }
    } catch (error) {
      this.#options.logger.warn({ event: 'systemd.poll_failed', err: error }, 'cannot query systemd; trying again');
    } finally {
      this.#isPolling = false;
    }
  }

  #changed(name: string, process: ProcessRef | undefined): void {
    const known = this.#units.get(name);
    if (!known) return;
    this.#units.set(name, { ...known, process });
    const event: UnitEvent = process
      ? { type: 'restarted', unit: known.unit, process }
      : { type: 'exited', unit: known.unit };
    this.#listeners.notify(event);
  }

  async #mainProcess(name: string): Promise<ProcessRef | undefined> {
    const pid = Number((await this.#systemctl(['show', '--property=MainPID', '--value', name])).trim());
    return readProcess(pid);
  }

  async #isOver(name: string): Promise<boolean> {
    const state = (await this.#systemctl(['show', '--property=ActiveState', '--value', name])).trim();
    return state === 'failed' || state === 'inactive';
  }
}

async function callSystemctl(args: readonly string[]): Promise<string> {
  const { stdout } = await run('systemctl', ['--no-ask-password', ...args], { timeout: CALL_TIMEOUT_MS });
  return stdout;
}
