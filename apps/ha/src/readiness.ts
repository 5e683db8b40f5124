import type { HaConfig } from '@flotilla/ha';

/** The state of a service on this host, as its agent sees it. */
export interface ServiceReadiness {
  readonly present: boolean;
  readonly healthy: boolean;
  readonly ready: boolean;
}

const NOTHING_KNOWN: ServiceReadiness = { present: false, healthy: false, ready: false };

/**
 * The services behind the addresses of this host. A service counts as not ready until somebody reports it. An address without a
 * service is ready, unless an operator says otherwise.
 */
export class Readiness {
  #services: ReadonlyMap<string, ServiceReadiness> = new Map();
  #isSwitchedOn = true;

  /** Replaces what was known of all services. */
  setServices(services: ReadonlyMap<string, ServiceReadiness>): void {
    this.#services = services;
  }

  /** For addresses without a service. */
  switch(isReady: boolean): void {
    this.#isSwitchedOn = isReady;
  }

  of({ service }: HaConfig['addresses'][number]): ServiceReadiness {
    if (service) return this.#services.get(service.id) ?? NOTHING_KNOWN;
    return { present: true, healthy: true, ready: this.#isSwitchedOn };
  }

  /** Whether this member can serve all addresses. */
  isReady(addresses: HaConfig['addresses']): boolean {
    return addresses.length === 0 ? this.#isSwitchedOn : addresses.every((one) => this.of(one).ready);
  }
}
