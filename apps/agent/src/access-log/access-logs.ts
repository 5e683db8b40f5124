import { create } from '@bufbuild/protobuf';
import type { Clock, Closable, Logger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import type { Client } from '@grpc/grpc-js';
import type { PreparedService, ServiceHost } from '../host/index.ts';
import { LogSender, type LogSenderOptions } from './log-sender.ts';
import { ServiceLog, type ServiceLogOptions } from './service-log.ts';
import { readBootId } from './spool/boot-id.ts';
import { SpoolBudget } from './spool/spool-budget.ts';

export interface AccessLogsOptions {
  readonly host: Pick<ServiceHost, 'onServicePrepared' | 'onServiceRemoved'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The most bytes of all spools of the host together. */
  readonly spoolBytes?: number | undefined;
  /** Only tests set them. */
  readonly backoff?: LogSenderOptions['backoff'];
  readonly segmentBytes?: ServiceLogOptions['segmentBytes'];
  readonly delayMs?: ServiceLogOptions['delayMs'];
}

export const SPOOL_BYTES = 256 * 1024 * 1024;

/** The access logs of the services of this host: a socket for each one's Envoys, a spool, and the sender to the controller. */
export class AccessLogs implements Closable {
  readonly #options: AccessLogsOptions;
  readonly #budget: SpoolBudget;
  readonly #logs = new Map<string, ServiceLog>();
  readonly #sender: LogSender;
  readonly #unwatch: Array<() => void>;
  readonly #bootId = readBootId();

  constructor(options: AccessLogsOptions) {
    const { host, clock, logger, backoff, spoolBytes = SPOOL_BYTES } = options;
    this.#options = options;
    this.#budget = new SpoolBudget(spoolBytes);
    this.#sender = new LogSender({
      services: () => this.#logs.values(),
      clock,
      logger,
      ...(backoff && { backoff }),
    });
    this.#unwatch = [
      host.onServicePrepared((service) => this.#open(service)),
      host.onServiceRemoved((service) => this.#remove(service.serviceId)),
    ];
  }

  /** Sends over this connection from now on. Until then, entries wait on disk. */
  connect(client: Client): void {
    this.#sender.connect(client);
  }

  /** The backlog of each service on this host. */
  backlogs(): fleet.LogSpool[] {
    return [...this.#logs.values()].map(({ serviceId, spool: { backlog, counts } }) =>
      create(fleet.LogSpoolSchema, {
        serviceId,
        batches: BigInt(backlog.batches),
        bytes: BigInt(backlog.bytes),
        oldestMs: BigInt(Math.floor(backlog.oldestMs)),
        droppedBatches: BigInt(counts.droppedBatches),
      }),
    );
  }

  async close(): Promise<void> {
    for (const unwatch of this.#unwatch) unwatch();
    await this.#sender.close();
    await Promise.all([...this.#logs.values()].map((log) => log.close()));
    this.#logs.clear();
  }

  async #open(service: PreparedService): Promise<void> {
    const { serviceId, nodeId } = service;
    const previous = this.#logs.get(serviceId);
    if (previous?.nodeId === nodeId) return;
    await previous?.close();
    const { segmentBytes, delayMs } = this.#options;
    const log = await ServiceLog.open({
      service,
      budget: this.#budget,
      bootId: this.#bootId,
      logger: this.#options.logger.child({ component: 'access_log', service: serviceId }),
      onBatch: () => this.#sender.note(),
      segmentBytes,
      delayMs,
      now: () => this.#options.clock.now(),
    });
    this.#logs.set(serviceId, log);
    this.#sender.note();
  }

  async #remove(serviceId: string): Promise<void> {
    const log = this.#logs.get(serviceId);
    this.#logs.delete(serviceId);
    this.#sender.forget(serviceId);
    await log?.close();
  }
}
