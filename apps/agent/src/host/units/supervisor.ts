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
/** Units are nobody's children: their end is seen by looking. */
const POLL_MS = 100;

export interface SupervisorOptions {
  /** Where the agent keeps its data: tells its units from those of another agent on this host. */
  readonly dataDir: string;
  readonly logger: Logger;
  /** Path of `setpriv`; looked up on PATH by default, `null` for none. */
  readonly setpriv?: string | null;
}

/**
 * Runs units as processes without a parent, in sessions of their own.
 *
 * A unit is *unknown* until `start` or `list`; *running* from then on, watched by looking at its process; *gone* when that is,
 * which is told once. The process number is on disk before the program begins. Every unit also carries a mark in its
 * environment, by which it is found when that note was lost.
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
    this.#poll = setInterval(() => this.#look(), POLL_MS);
    this.#poll.unref();
  }

  async start(spec: UnitSpec): Promise<ProcessRef> {
    const key = keyOf(spec);
    if (this.find(spec)) throw new Error(`unit ${key} runs already`);
    await access(spec.command[0] ?? '', constants.X_OK);
    const { weakness, ...how } = dropPrivileges(spec.command, spec.identity, this.#setpriv);
    if (weakness) this.#options.logger.warn({ event: 'unit.weak', unit: key, weakness }, 'unit runs with less');
    const env = { ...spec.env, [MARK]: `${this.#agentMark}/${key}` };
    const { workDir, logFile } = spec;
    return launchOrphan({ ...how, env, workDir, logFile }, async (process) => {
      await this.#note(spec, process);
      this.#running.set(key, process);
    });
  }

  async list(serviceKey: string, identity?: ServiceIdentity): Promise<ReadonlyMap<string, ProcessRef>> {
    for (const [name, ref] of await this.#readNotes(serviceKey)) this.#adopt({ serviceKey, name }, ref);
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
    // The agent alone restarts, and it knows
  }

  async stop(unit: UnitRef, graceMs: number): Promise<void> {
    const ref = this.#running.get(keyOf(unit));
    if (ref && signalProcess(ref, 'SIGTERM')) {
      await this.#waitGone(ref, graceMs);
      if (signalProcess(ref, 'SIGKILL')) await this.#waitGone(ref, 5_000);
    }
    await rm(this.#noteFile(unit), { force: true });
  }

  /** Children inherit the mark. One that has cleared it is found by its user, where the service has one of its own. */
  endStrays(serviceKey: string, identity?: ServiceIdentity): Promise<void> {
    return endFrozen(() => this.#findMarked(serviceKey, identity));
  }

  async removeService(serviceKey: string): Promise<void> {
    await rm(this.#noteDir(serviceKey), { recursive: true, force: true });
  }

  onEvent(listener: (event: UnitEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    clearInterval(this.#poll);
  }

  /** Any user can put any mark into an environment: it counts for processes of the service's user and of the agent's. */
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

  #look(): void {
    for (const [key, ref] of this.#running) {
      if (!isSameProcess(ref)) this.#gone(key, ref);
    }
  }

  #gone(key: string, ref: ProcessRef): void {
    if (this.#running.get(key) !== ref) return;
    this.#running.delete(key);
    const [serviceKey = '', name = ''] = key.split('/');
    this.#listeners.tell({ type: 'exited', unit: { serviceKey, name } });
  }

  async #waitGone(ref: ProcessRef, ms: number): Promise<void> {
    const until = performance.now() + ms;
    while (isSameProcess(ref) && performance.now() < until) await sleep(20);
  }

  async #note(unit: UnitRef, ref: ProcessRef): Promise<void> {
    try {
      await mkdir(this.#noteDir(unit.serviceKey), { recursive: true, mode: 0o700 });
      await writeFileAtomically(this.#noteFile(unit), `${ref.pid} ${ref.startTime}\n`);
    } catch (error) {
      // The mark is enough to find it again
      if (!isDiskFull(error)) throw error;
      this.#options.logger.error({ event: 'unit.disk_full', unit: keyOf(unit) }, 'no space for the note of a process');
    }
  }

  async #readNotes(serviceKey: string): Promise<Array<[string, ProcessRef]>> {
    const notes: Array<[string, ProcessRef]> = [];
    const dir = this.#noteDir(serviceKey);
    const names = await readdir(dir).catch(() => [] as string[]);
    for (const file of names.filter((name) => name.endsWith('.pid'))) {
      const [pid = '', startTime = ''] = (await readFileIfThere(join(dir, file)))?.toString().trim().split(' ') ?? [];
      notes.push([file.slice(0, -'.pid'.length), { pid: Number(pid), startTime }]);
    }
    return notes;
  }

  #noteDir(serviceKey: string): string {
    return join(this.#options.dataDir, 'units', serviceKey);
  }

  #noteFile(unit: UnitRef): string {
    return join(this.#noteDir(unit.serviceKey), `${unit.name}.pid`);
  }
}

function keyOf(unit: UnitRef): string {
  return `${unit.serviceKey}/${unit.name}`;
}
