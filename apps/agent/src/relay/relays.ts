import type { Closable, Logger } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import type { RolloutLimits } from '@flotilla/xds';
import type { Client } from '@grpc/grpc-js';
import type { PreparedService, ServiceHost } from '../host/index.ts';
import { ServiceRelay } from './service-relay.ts';

export interface RelaysOptions {
  readonly host: ServiceHost;
  readonly logger: Logger;
  readonly onReport: (report: fleet.RolloutReport, serviceId: string) => void;
  readonly limits?: Partial<RolloutLimits>;
}

/** Keeps one relay per service of this host, opened before its first Envoy starts and closed after its last one has ended. */
export class Relays implements Closable {
  readonly #options: RelaysOptions;
  readonly #relays = new Map<string, ServiceRelay>();
  readonly #unwatch: Array<() => void>;
  #client: Client | undefined;

  constructor(options: RelaysOptions) {
    const { host } = options;
    this.#options = options;
    this.#unwatch = [
      host.onServicePrepared((service) => this.#open(service)),
      host.onServiceRemoved((service) => this.#remove(service.serviceId)),
    ];
  }

  /** Sets the connection to the controller. Without one, the relays serve the snapshots that they have. */
  connect(client: Client): void {
    this.#client = client;
    for (const relay of this.#relays.values()) relay.connect(client);
  }

  /** Returns undefined for a service that is not on this host. */
  find(serviceId: string): Pick<ServiceRelay, 'snapshots' | 'status'> | undefined {
    return this.#relays.get(serviceId);
  }

  reports(): fleet.RolloutReport[] {
    return [...this.#relays.values()].map((relay) => relay.report());
  }

  async close(): Promise<void> {
    for (const unwatch of this.#unwatch) unwatch();
    await Promise.all([...this.#relays.values()].map((relay) => relay.close()));
    this.#relays.clear();
  }

  async #open(service: PreparedService): Promise<void> {
    const { host, logger, onReport, limits } = this.#options;
    const { serviceId } = service;
    const previous = this.#relays.get(serviceId);
    if (previous?.nodeId === service.nodeId) return;
    await previous?.close();
    const relay = await ServiceRelay.open({
      service,
      adminSocket: () => host.adminSocket(serviceId),
      onReport: (report) => onReport(report, serviceId),
      logger,
      ...(limits && { limits }),
    });
    this.#relays.set(serviceId, relay);
    if (this.#client) relay.connect(this.#client);
  }

  async #remove(serviceId: string): Promise<void> {
    const relay = this.#relays.get(serviceId);
    this.#relays.delete(serviceId);
    await relay?.close();
  }
}
