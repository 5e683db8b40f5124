import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  findByEnvironment,
  isSameProcess,
  type Logger,
  type ProcessRef,
  readFileIfThere,
  signalProcess,
  sleep,
  writeFileAtomically,
} from '@flotilla/kit';
import { isDiskFull } from '../../disk-full.ts';
import type { ServiceIdentity } from '../identity.ts';
import { Listeners } from '../listeners.ts';
import { endFrozen, readUid } from '../user-processes.ts';
import { launchOrphan } from './launch.ts';
import { dropPrivileges, findProgram } from './privileges.ts';
import type { UnitEvent, UnitRef, UnitRunner, UnitSpec } from './types.ts';

const MARK = 'FLOTILLA_UNIT';
/** Units are not children of the agent, so their end is found by polling. */
const POLL_MS = 100;

export interface SupervisorOptions {
  /** Data folder of the agent. It distinguishes its units from those of another agent on this host. */
  readonly dataDir: string;
  readonly logger: Logger;
  /** Path of `setpriv`. Default: looked up on PATH. `null` means that there is none. */
  readonly setpriv?: string | null;
}

/**
 * Runs units as processes without a parent, in separate sessions.
 *
 * *Unknown*: until `start` or `list`. *Running*: its process is polled. *Gone*: the process has ended, which is reported once.
 *
 * The process id is on disk before the program starts. Every unit also has a mark in its environment, by which it is found if
 * the file was lost.
 */
export class Supervisor implements UnitRunner {
  readonly kind = 'supervisor';
  readonly #options: SupervisorOptions;
  readonly #agentMark: string;
  readonly #setpriv: string | undefined;
  readonly #running = new Map<string, ProcessRef>();
  readonly #listeners = new Listeners<UnitEvent>();
  readonly #poll: NodeJS.Timeout;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#agentMark = createHash('sha256').update(options.dataDir).digest('hex').slice(0, 12);
    this.#setpriv = options.setpriv === null ? undefined : (options.setpriv ?? findProgram('setpriv'));
    this.#poll = setInterval(() => this.#pollUnits(), POLL_MS);
    this.#poll.unref();
  }

  async start(spec: UnitSpec): Promise<ProcessRef> {
    const key = keyOf(spec);
    if (this.find(spec)) throw new Error(`unit ${key} is already running`);
    await access(spec.command[0] ?? '', constants.X_OK);
    const { weakness, ...how } = dropPrivileges(spec.command, spec.identity, this.#setpriv);
    if (weakness)
      this.#options.logger.warn(
        { event: 'unit.weak', unit: key, weakness },
        'a unit runs with fewer capabilities than it needs',
      );
    const env = { ...spec.env, [MARK]: `${this.#agentMark}/${key}` };
    const { workDir, logFile } = spec;
    return launchOrphan({ ...how, env, workDir, logFile }, async (process) => {
      await this.#writeRecord(spec, process);
      this.#running.set(key, process);
    });
  }

  async list(serviceKey: string, identity?: ServiceIdentity): Promise<ReadonlyMap<string, ProcessRef>> {
    for (const [name, ref] of await this.#readRecords(serviceKey)) this.#adopt({ serviceKey, name }, ref);
    const prefix = `${this.#agentMark}/${serviceKey}/`;
    for (const found of this.#findMarked(serviceKey, identity)) {
      this.#adopt(
        { serviceKey, name: found.value.slice(prefix.length) },
        { pid: found.pid, startTime: found.startTime },
      );
    }
    const units = new Map<string, ProcessRef>();
    for (const [key, ref] of this.#running) {
      const isMine = key.startsWith(`${serviceKey}/`) && isSameProcess(ref);
      if (isMine) units.set(key.slice(serviceKey.length + 1), ref);
    }
    return units;
  }

  find(unit: UnitRef): ProcessRef | undefined {
    const ref = this.#running.get(keyOf(unit));
    return ref && isSameProcess(ref) ? ref : undefined;
  }

  async retire(): Promise<void> {
    // Only the agent restarts units of this runner, and it does not restart retired ones.
  }

  async stop(unit: UnitRef, graceMs: number): Promise<void> {
    const ref = this.#running.get(keyOf(unit));
    if (ref && signalProcess(ref, 'SIGTERM')) {
      await this.#waitGone(ref, graceMs);
      if (signalProcess(ref, 'SIGKILL')) await this.#waitGone(ref, 5_000);
    }
    await rm(this.#recordFile(unit), { force: true });
  }

  /** Ends the processes with the mark, which children inherit. Those without it can only be found by their user. */
  endStrays(serviceKey: string, identity?: ServiceIdentity): Promise<void> {
    return endFrozen(() => this.#findMarked(serviceKey, identity));
  }

  async removeService(serviceKey: string): Promise<void> {
    await rm(this.#recordDir(serviceKey), { recursive: true, force: true });
  }

  onEvent(listener: (event: UnitEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    clearInterval(this.#poll);
  }

  /** Finds marked processes of the service's user and the agent's user. Any other user could set any mark. */
  #findMarked(serviceKey: string, identity: ServiceIdentity | undefined): ReturnType<typeof findByEnvironment> {
    const users = [identity?.uid, process.getuid?.()];
    return findByEnvironment(MARK, `${this.#agentMark}/${serviceKey}/`).filter(
      ({ pid }) => process.platform !== 'linux' || users.includes(readUid(pid) ?? -1),
    );
  }

  #adopt(unit: UnitRef, ref: ProcessRef): void {
    const key = keyOf(unit);
    if (!this.#running.has(key) && isSameProcess(ref)) this.#running.set(key, ref);
  }

  #pollUnits(): void {
    for (const [key, ref] of this.#running) {
      if (!isSameProcess(ref)) this.#gone(key, ref);
    }
  }

  #gone(key: string, ref: ProcessRef): void {
    if (this.#running.get(key) !== ref) return;
    this.#running.delete(key);
    const [serviceKey = '', name = ''] = key.split('/');
    this.#listeners.notify({ type: 'exited', unit: { serviceKey, name } });
  }

  async #waitGone(ref: ProcessRef, ms: number): Promise<void> {
    const until = performance.now() + ms;
    while (isSameProcess(ref) && performance.now() < until) await sleep(20);
  }

  async #writeRecord(unit: UnitRef, ref: ProcessRef): Promise<void> {
    try {
      await mkdir(this.#recordDir(unit.serviceKey), { recursive: true, mode: 0o700 });
      await writeFileAtomically(this.#recordFile(unit), `${ref.pid} ${ref.startTime}\n`);
    } catch (error) {
      // The mark is sufficient to find the process again.
      if (!isDiskFull(error)) throw error;
      this.#options.logger.error(
        { event: 'unit.disk_full', unit: keyOf(unit) },
        'the disk is full, so the process id of a unit is not recorded; free some space',
      );
    }
  }

  async #readRecords(serviceKey: string): Promise<Array<[string, ProcessRef]>> {
    const records: Array<[string, ProcessRef]> = [];
    const dir = this.#recordDir(serviceKey);
    const names = await readdir(dir).catch(() => [] as string[]);
    for (const file of names.filter((name) => name.endsWith('.pid'))) {
      const [pid = '', startTime = ''] = (await readFileIfThere(join(dir, file)))?.toString().trim().split(' ') ?? [];
      records.push([file.slice(0, -'.pid'.length), { pid: Number(pid), startTime }]);
    }
    return records;
  }

  #recordDir(serviceKey: string): string {
    return join(this.#options.dataDir, 'units', serviceKey);
  }

  #recordFile(unit: UnitRef): string {
    return join(this.#recordDir(unit.serviceKey), `${unit.name}.pid`);
  }
}

function keyOf(unit: UnitRef): string {
  return `${unit.serviceKey}/${unit.name}`;
}
