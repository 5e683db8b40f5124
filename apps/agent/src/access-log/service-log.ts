import { MessageReader, type ReadCounts, Reducer } from '@flotilla/access-log';
import { type Closable, Lifecycle, type Logger } from '@flotilla/kit';
import type { PreparedService } from '../host/index.ts';
import { Throttle } from '../relay/throttle.ts';
import { Batcher } from './batcher.ts';
import { openLogSocket } from './log-socket.ts';
import { Spool } from './spool/spool.ts';
import type { SpoolBudget } from './spool/spool-budget.ts';

export interface ServiceLogOptions {
  readonly service: PreparedService;
  readonly budget: SpoolBudget;
  readonly bootId: string;
  readonly logger: Logger;
  readonly onBatch: () => void;
  /** Only tests set them. */
  readonly segmentBytes?: number | undefined;
  readonly delayMs?: number | undefined;
  readonly now?: () => number;
}

const WARNING_INTERVAL_MS = 60_000;
const NAME_MAX_CHARS = 255;

/** The access log of one service, from the socket for its Envoys to the spool. Envoy is unaware of what happens behind the socket. */
export class ServiceLog implements Closable {
  readonly serviceId: string;
  readonly nodeId: string;
  readonly spool: Spool;
  /** Entries of all streams since the agent started. */
  readonly counts: ReadCounts = { entries: 0, intermediate: 0, malformed: 0 };
  readonly #reader = new MessageReader();
  readonly #reducer = new Reducer();
  readonly #batcher: Batcher;
  readonly #warning: Throttle;
  readonly #lifecycle = new Lifecycle();

  private constructor({ service, logger, onBatch, delayMs }: ServiceLogOptions, spool: Spool) {
    this.serviceId = service.serviceId;
    this.nodeId = service.nodeId;
    this.spool = spool;
    this.#batcher = new Batcher({ spool, onBatch, logger, ...(delayMs !== undefined && { delayMs }) });
    const warn = () => logger.warn({ service: this.serviceId, ...this.counts }, 'access_log.malformed');
    this.#warning = new Throttle(WARNING_INTERVAL_MS, warn);
    this.#lifecycle.add(() => spool.close());
    this.#lifecycle.add(() => this.#batcher.flush());
    this.#lifecycle.add(() => this.#warning.close());
  }

  /** Resolves when Envoy can connect. */
  static async open(options: ServiceLogOptions): Promise<ServiceLog> {
    const { service, budget, bootId, logger, segmentBytes, now } = options;
    const spool = await Spool.open({
      dir: service.layout.accessLogDir,
      budget,
      bootId,
      logger,
      ...(segmentBytes !== undefined && { segmentBytes }),
      ...(now && { now }),
    });
    const log = new ServiceLog(options, spool);
    try {
      await log.#listen(service);
    } catch (error) {
      await log.close();
      throw error;
    }
    return log;
  }

  close(): Promise<void> {
    return this.#lifecycle.close();
  }

  async #listen({ layout, identity }: PreparedService): Promise<void> {
    const socket = await openLogSocket({
      path: layout.accessLogSocket,
      identity,
      open: ({ isFiltered }) => {
        let listener = '';
        return (message) => {
          listener = this.#reader.readLogName(message)?.slice(0, NAME_MAX_CHARS) ?? listener;
          this.#take(message, { listener, isFiltered });
        };
      },
    });
    this.#lifecycle.add(() => socket.close());
  }

  #take(message: Buffer, { listener, isFiltered }: { listener: string; isFiltered: boolean }): void {
    const counts = this.#reader.readEntries(message, (raw) =>
      this.#batcher.add(listener, this.#reducer.reduce(raw, { isFiltered })),
    );
    this.counts.entries += counts.entries;
    this.counts.intermediate += counts.intermediate;
    this.counts.malformed += counts.malformed;
    if (counts.malformed > 0) this.#warning.request();
  }
}
