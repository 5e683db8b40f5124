import { join } from 'node:path';
import { isSameProcess, makeFolder } from '@flotilla/kit';
import { tailLog } from '../host/log-tail.ts';
import type { UnitEvent, UnitRunner } from '../host/units/types.ts';
import { HA_KEY, type HaPlaces } from './places.ts';

const UNIT = { serviceKey: HA_KEY, name: 'daemon' } as const;
/** Releasing addresses takes a few runs of `ip`. */
const STOP_GRACE_MS = 8000;
const TAIL_BYTES = 64 * 1024;
const TAIL_LINES = 20;

export interface DaemonUnitOptions {
  readonly places: HaPlaces;
  readonly runner: UnitRunner;
  readonly flotillaCommand: readonly string[];
}

/** The process of the daemon. It outlives the agent. */
export class DaemonUnit {
  readonly #options: DaemonUnitOptions;

  constructor(options: DaemonUnitOptions) {
    this.#options = options;
  }

  /** Finds the process that an earlier agent has started. */
  async adopt(): Promise<void> {
    await this.#options.runner.list(HA_KEY, undefined);
  }

  get isRunning(): boolean {
    const found = this.#options.runner.find(UNIT);
    return found !== undefined && isSameProcess(found);
  }

  isOwn({ unit }: UnitEvent): boolean {
    return unit.serviceKey === HA_KEY;
  }

  async start(): Promise<void> {
    const { places, runner, flotillaCommand } = this.#options;
    for (const dir of [places.dir, places.daemonDir, places.logDir]) await makeFolder(dir, 0o700);
    await runner.start({
      ...UNIT,
      serviceId: '',
      kind: 'ha',
      command: [...flotillaCommand, 'ha', '--config', places.configFile, '--data', places.daemonDir],
      env: { LANG: 'C.UTF-8', TZ: 'UTC' },
      identity: undefined,
      workDir: places.daemonDir,
      logFile: this.#logFile,
      writableDirs: [places.daemonDir],
    });
  }

  /** The daemon gives its addresses up before it ends. */
  async stop(): Promise<void> {
    await this.#options.runner.stop(UNIT, STOP_GRACE_MS);
  }

  /** The last words of a daemon that has ended: what it printed besides its structured log. */
  async lastWords(): Promise<string> {
    const lines = await tailLog(this.#logFile, TAIL_LINES, TAIL_BYTES).catch(() => []);
    return lines.findLast((line) => !line.startsWith('{')) ?? '';
  }

  get #logFile(): string {
    return join(this.#options.places.logDir, 'ha.log');
  }
}
