import { createId } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import type { Relays } from '../relay/relays.ts';
import type { SenderOptions } from '../senders/sender-options.ts';
import { CatalogSource } from './catalog-source.ts';
import { type EnvoyReader, envoyReader } from './envoy-reader.ts';
import { ServiceTraffic } from './service-traffic.ts';
import { TrafficSpool } from './traffic-spool.ts';

export interface TrafficSenderOptions extends SenderOptions {
  readonly relays: Pick<Relays, 'find'>;
  /** Only tests set this and the following options. */
  readonly reader?: EnvoyReader;
  readonly intervalMs?: number;
}

const INTERVAL_MS = 10_000;

interface Measured {
  readonly traffic: ServiceTraffic;
  readonly catalogs: CatalogSource;
  isReading: boolean;
}

/** Measures the traffic of every service and sends it until the controller has stored it. Also measures without a stream. */
// oxlint-disable-next-line max-lines-per-function -- closures over one timer, one spool and the services of the host
export function createTrafficSender(options: TrafficSenderOptions) {
  const { host, outbox, clock, logger, relays, reader = envoyReader, intervalMs = INTERVAL_MS } = options;
  const spool = new TrafficSpool(createId());
  const services = new Map<string, Measured>();
  const keyOf = (serviceId: string) => `traffic ${serviceId}`;
  let isConnected = false;
  const send = () => {
    // Without a stream, decoded messages would only need more memory than the spool.
    if (!isConnected) return;
    for (const value of spool.due(clock.monotonic(), clock.now())) {
      outbox.put(keyOf(value.serviceId), { case: 'trafficReport', value });
    }
  };
  const read = async (serviceId: string, service: Measured) => {
    // An Envoy that does not answer gets only one request at a time.
    if (service.isReading) return;
    service.isReading = true;
    try {
      const envoys = host.envoys().filter((one) => one.serviceId === serviceId);
      const catalog = service.catalogs.get(relays.find(serviceId)?.snapshots);
      const interval = await service.traffic.read(envoys, catalog);
      if (interval) spool.add(serviceId, interval, clock.monotonic());
    } catch (error) {
      logger.warn({ err: error, service: serviceId }, 'traffic.failed');
    } finally {
      service.isReading = false;
    }
    send();
  };
  const tick = () => {
    const present = new Set(host.reports().flatMap(({ serviceId, removed }) => (removed ? [] : [serviceId])));
    for (const serviceId of services.keys()) {
      if (present.has(serviceId)) continue;
      services.delete(serviceId);
      spool.forget(serviceId);
      outbox.drop(keyOf(serviceId));
    }
    for (const serviceId of present) {
      const known = services.get(serviceId);
      const service = known ?? {
        traffic: new ServiceTraffic({ reader, clock }),
        catalogs: new CatalogSource(),
        isReading: false,
      };
      services.set(serviceId, service);
      void read(serviceId, service);
    }
  };
  const timer = setInterval(tick, intervalMs);
  timer.unref();
  tick();
  return {
    stored(stored: fleet.TrafficStored) {
      if (!spool.stored(stored)) return;
      outbox.drop(keyOf(stored.serviceId));
      send();
    },
    /** There is a new stream. */
    resend() {
      isConnected = true;
      spool.resend();
      send();
    },
    /** The stream has ended. */
    pause() {
      isConnected = false;
      for (const serviceId of services.keys()) outbox.drop(keyOf(serviceId));
    },
    close: () => clearInterval(timer),
  };
}
