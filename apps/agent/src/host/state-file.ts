import { type Logger, readFileIfThere, SerialQueue, writeFileAtomically } from '@flotilla/kit';
import type { EnvoyInstance, EnvoySpec } from './envoy/instance.ts';

/** What the agent knows about one service across its own restarts. */
export interface ServiceState {
  readonly serviceId: string;
  readonly nodeId: string;
  readonly uid: number | undefined;
  readonly nextUnit: number;
  readonly instances: readonly EnvoyInstance[];
  /** The newest spec that has been live: what is started again after a crash. */
  readonly lastGood: EnvoySpec | undefined;
  /** Newest generation that Envoy and filter were brought to. */
  readonly appliedGeneration: string;
  readonly shield: { readonly unit: string; readonly argsDigest: string } | undefined;
  readonly policyDigest: string;
}

/** Keeps `ServiceState` in memory and on disk; a change is on disk when `update` resolves. Calls are put in order. */
export class StateFile {
  readonly #path: string;
  #state: ServiceState;
  readonly #writing = new SerialQueue();

  constructor(path: string, initial: ServiceState) {
    this.#path = path;
    this.#state = initial;
  }

  static async open(path: string, initial: ServiceState, logger: Logger): Promise<StateFile> {
    const bytes = await readFileIfThere(path);
    if (!bytes) return new StateFile(path, initial);
    try {
      return new StateFile(path, { ...initial, ...(JSON.parse(bytes.toString()) as ServiceState) });
    } catch (error) {
      logger.warn({ event: 'service.state_unreadable', path, err: error }, 'starting from what really runs');
      return new StateFile(path, initial);
    }
  }

  get value(): ServiceState {
    return this.#state;
  }

  update(change: Partial<ServiceState>): Promise<void> {
    this.#state = { ...this.#state, ...change };
    return this.#writing.run(() => writeFileAtomically(this.#path, JSON.stringify(this.#state)));
  }

  /** Resolves when nothing is being written. */
  flush(): Promise<void> {
    return this.#writing.settle();
  }

  /** Numbers name units and are never used twice. */
  async takeNumber(): Promise<number> {
    const number = this.#state.nextUnit;
    await this.update({ nextUnit: number + 1 });
    return number;
  }
}
