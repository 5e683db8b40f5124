import { type Closable, CoalescedWork, type Logger } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import type { ServiceHost } from '../host/index.ts';
import type { Relays } from '../relay/relays.ts';
import { Throttle } from '../relay/throttle.ts';
import { type EnvoyReader, envoyReader } from './envoy-reader.ts';
import { deriveListenerStates } from './model/listener-states.ts';

export interface ListenerWatchOptions {
  readonly host: Pick<ServiceHost, 'envoys' | 'showListeners'>;
  readonly relays: Pick<Relays, 'find'>;
  readonly logger: Logger;
  readonly reader?: Pick<EnvoyReader, 'listeners'>;
}

export interface ListenerWatch extends Closable {
  /** Reads the listeners of a service soon, because they may have changed. */
  check(serviceId: string): void;
  /** Reads the listeners of a service if another Envoy is in charge now. */
  noteProcess(report: fleet.NodeReport): void;
}

/** Minimum time between two readings of one service. The last one is always made. */
const INTERVAL_MS = 500;
/** Listeners are also read without a change, because Envoy may close one. */
const EVERY_MS = 10_000;

interface Watched {
  readonly throttle: Throttle;
  /** Process ID of the Envoy in charge; 0: none. */
  pid: number;
}

/** Keeps the reports of all services up to date about which listeners their Envoys really serve. */
export function createListenerWatch(options: ListenerWatchOptions): ListenerWatch {
  const { host } = options;
  const services = new Map<string, Watched>();
  const open = (serviceId: string) => {
    // An Envoy that does not answer gets only one request at a time.
    const reading = new CoalescedWork(() => readListeners(serviceId, options));
    const service: Watched = { throttle: new Throttle(INTERVAL_MS, () => reading.request()), pid: 0 };
    services.set(serviceId, service);
    return service;
  };
  const check = (serviceId: string) => (services.get(serviceId) ?? open(serviceId)).throttle.request();
  const timer = setInterval(() => {
    const running = new Set(host.envoys().map(({ serviceId }) => serviceId));
    for (const serviceId of running) check(serviceId);
    for (const [serviceId, { throttle }] of services) {
      if (running.has(serviceId)) continue;
      throttle.close();
      services.delete(serviceId);
    }
  }, EVERY_MS);
  timer.unref();
  return {
    check,
    noteProcess({ serviceId, envoyPid }) {
      const service = services.get(serviceId) ?? open(serviceId);
      if (service.pid === envoyPid) return;
      service.pid = envoyPid;
      if (envoyPid !== 0) check(serviceId);
    },
    close() {
      clearInterval(timer);
      for (const { throttle } of services.values()) throttle.close();
      return Promise.resolve();
    },
  };
}

async function readListeners(serviceId: string, options: ListenerWatchOptions): Promise<void> {
  const { host, relays, logger, reader = envoyReader } = options;
  const envoy = host.envoys().find((one) => one.serviceId === serviceId && one.isServing);
  const relay = relays.find(serviceId);
  if (!envoy || !relay) return;
  try {
    const active = await reader.listeners(envoy.admin);
    const states = deriveListenerStates(relay.snapshots.newest, relay.status(), active);
    host.showListeners(serviceId, envoy.process.pid, states);
  } catch (error) {
    logger.debug({ err: error, service: serviceId }, 'listeners.failed');
  }
}
