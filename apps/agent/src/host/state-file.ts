import { type Logger, readFileIfThere, SerialQueue, writeFileAtomically } from '@flotilla/kit';
import { isDiskFull } from '../disk-full.ts';
import type { EnvoyInstance, EnvoySpec } from './envoy/instance.ts';

export interface FilterUnit {
  readonly unit: string;
  /** Digest of the command line. A change needs a new process. */
  readonly argsDigest: string;
  /** True if the filter can hand over to another one. Absent for a filter that an earlier version of the agent started. */
  readonly isPaired?: boolean;
}

/** State of one service that the agent keeps across its own restarts. */
export interface ServiceState {
  readonly serviceId: string;
  readonly nodeId: string;
  readonly uid: number | undefined;
  readonly nextUnit: number;
  readonly instances: readonly EnvoyInstance[];
  /** The newest spec that has been live. It is started again after a crash. */
  readonly lastGood: EnvoySpec | undefined;
  /** Newest generation that Envoy and the filter have reached. */
  readonly appliedGeneration: string;
  /** The serving filter and the standby filter. */
  readonly shield: FilterUnit | undefined;
  readonly shieldStandby: FilterUnit | undefined;
  readonly policyDigest: string;
}

const RETRY_MS = 2_000;

/**
 * Keeps `ServiceState` in memory and on disk. A change is on disk when `update` resolves, and calls run in order. While
 * the disk is full, the service continues with the state in memory, which is written as soon as there is space. An
 * Envoy that ends is therefore still restarted.
 */
export class StateFile {
  readonly #path: string;
  readonly #logger: Logger;
  #retry: NodeJS.Timeout | undefined;
  #state: ServiceState;
  readonly #writing = new SerialQueue();

  constructor(path: string, initial: ServiceState, logger: Logger) {
    this.#path = path;
    this.#logger = logger;
    this.#state = initial;
  }

  static async open(path: string, initial: ServiceState, logger: Logger): Promise<StateFile> {
    const bytes = await readFileIfThere(path);
    if (!bytes) return new StateFile(path, initial, logger);
    try {
      return new StateFile(path, { ...initial, ...(JSON.parse(bytes.toString()) as ServiceState) }, logger);
    } catch (error) {
      logger.warn(
        { event: 'service.state_unreadable', path, err: error },
        'the state of a service is unreadable; continuing with the programs that are running',
      );
      return new StateFile(path, initial, logger);
    }
  }

  get value(): ServiceState {
    return this.#state;
  }

  update(change: Partial<ServiceState>): Promise<void> {
    this.#state = { ...this.#state, ...change };
    return this.#writing.run(() => this.#write());
  }

  /** Resolves when no write is running and no retry is scheduled. */
  flush(): Promise<void> {
    clearTimeout(this.#retry);
    return this.#writing.settle();
  }

  async #write(): Promise<void> {
    clearTimeout(this.#retry);
    try {
      await writeFileAtomically(this.#path, JSON.stringify(this.#state));
      this.#retry = undefined;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      if (!this.#retry)
        this.#logger.error(
          { event: 'service.disk_full', path: this.#path },
          'the disk is full, so the state of a service is only in memory; free some space',
        );
      this.#retry = setTimeout(() => void this.update({}).catch(() => undefined), RETRY_MS);
      this.#retry.unref();
    }
  }

  /** Returns a number for a unit name. Each number is used only once. */
  async takeNumber(): Promise<number> {
    const number = this.#state.nextUnit;
    await this.update({ nextUnit: number + 1 });
    return number;
  }
}
