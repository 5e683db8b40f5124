import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Closable, type Logger, toErrorMessage } from '@flotilla/kit';
import { fleet, parseNodeId } from '@flotilla/proto';
import { type ServiceHost, streamAdmin } from '../host/index.ts';

export interface HealthRoutesOptions {
  readonly host: Pick<ServiceHost, 'reports' | 'adminSocket' | 'routing' | 'onServicePrepared' | 'onServiceRemoved'>;
  readonly dataDir: string;
  readonly logger: Logger;
  /** One second by default. Only tests set this. */
  readonly everyMs?: number;
}

const EVERY_MS = 1000;
/** So many checks in a row with another result change the state of a service. */
const CHECKS = 2;
const READY_TIMEOUT_MS = 2000;
/** FRR may have lost a route, because somebody restarted it. */
const REPEAT_TICKS = 10;
const READY = 200;

interface Known {
  /** Undefined until enough checks agree. */
  readonly isHealthy: boolean | undefined;
  readonly last: boolean;
  /** Checks in a row with the last result. */
  readonly inRow: number;
}

/**
 * Announces the networks of the health routes whose service is healthy, and withdraws the others. A service is healthy if its
 * Envoy runs and is ready, and all its listeners accept connections. A drained Envoy is not ready. After a start of the agent,
 * FRR keeps what it announces until each service has been checked. Also finishes the change of an agent that was killed.
 */
export function createHealthRoutes(options: HealthRoutesOptions): Closable {
  const { logger, everyMs = EVERY_MS } = options;
  const routes = new HealthRoutes(options);
  let timer: NodeJS.Timeout;
  let running: Promise<void> = Promise.resolve();
  let isClosed = false;
  let lastProblem = '';
  const unwatch = routes.watchNames();
  const tick = async () => {
    try {
      await routes.check();
      lastProblem = '';
    } catch (error) {
      const problem = toErrorMessage(error);
      if (problem !== lastProblem) logger.warn({ err: error }, 'health_routes.failed');
      lastProblem = problem;
    }
    if (!isClosed) schedule();
  };
  const schedule = () => {
    timer = setTimeout(() => {
      running = tick();
    }, everyMs);
    timer.unref();
  };
  schedule();
  return {
    close: async () => {
      isClosed = true;
      unwatch();
      clearTimeout(timer);
      await running;
    },
  };
}

class HealthRoutes {
  readonly #options: HealthRoutesOptions;
  readonly #services = new Map<string, Known>();
  /** The id of each service of the host by its name. */
  readonly #ids = new Map<string, string>();
  #ticks = 0;

  constructor(options: HealthRoutesOptions) {
    this.#options = options;
  }

  watchNames(): () => void {
    const { host } = this.#options;
    const nameOf = (nodeId: string) => parseNodeId(nodeId)?.service ?? '';
    const unwatch = [
      host.onServicePrepared(async ({ nodeId, serviceId }) => void this.#ids.set(nameOf(nodeId), serviceId)),
      host.onServiceRemoved(async ({ nodeId }) => void this.#ids.delete(nameOf(nodeId))),
    ];
    return () => {
      for (const end of unwatch) end();
    };
  }

  async check(): Promise<void> {
    const { host, dataDir } = this.#options;
    if (!existsSync(join(dataDir, 'routing'))) return;
    const { changes, document } = await host.routing();
    if (changes.needsRecovery) await changes.recover();
    const routes = document?.health_routes ?? [];
    const services = new Set(routes.map(({ service }) => service));
    for (const service of this.#services.keys()) if (!services.has(service)) this.#services.delete(service);
    if (routes.length === 0) return;
    await Promise.all([...services].map(async (service) => this.#note(service, await this.#isHealthy(service))));
    const known = routes.map((route) => ({ ...route, isHealthy: this.#services.get(route.service)?.isHealthy }));
    const announced = await changes.announced();
    const wanted = known
      .filter(({ prefix, isHealthy }) => isHealthy ?? announced.has(prefix))
      .map(({ prefix }) => prefix);
    this.#ticks += 1;
    const isSame = wanted.length === announced.size && wanted.every((prefix) => announced.has(prefix));
    if (!isSame || this.#ticks % REPEAT_TICKS === 0) await changes.announce(new Set(wanted));
  }

  #note(service: string, isHealthy: boolean): void {
    const known = this.#services.get(service);
    const inRow = known?.last === isHealthy ? known.inRow + 1 : 1;
    this.#services.set(service, {
      isHealthy: inRow >= CHECKS ? isHealthy : known?.isHealthy,
      last: isHealthy,
      inRow,
    });
  }

  async #isHealthy(service: string): Promise<boolean> {
    const { host } = this.#options;
    const id = this.#ids.get(service) ?? service;
    const report = host.reports().find(({ serviceId }) => serviceId === id);
    if (!report || report.phase !== fleet.NodePhase.RUNNING) return false;
    if (!report.listeners.every(({ serving }) => serving)) return false;
    const socket = host.adminSocket(report.serviceId);
    if (!socket) return false;
    const options = { timeoutMs: READY_TIMEOUT_MS };
    return streamAdmin(socket, '/ready', options, () => undefined).then(
      (status) => status === READY,
      () => false,
    );
  }
}
