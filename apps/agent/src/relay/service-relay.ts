import { type Closable, Lifecycle, type Logger } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import { NodeRollout, type RolloutLimits, type Snapshot, type WarmthProbe } from '@flotilla/xds';
import { AdsClient, type AdsPeer, type AdsVerdict, createAdminProbe } from '@flotilla/xds-grpc';
import { type Client, status } from '@grpc/grpc-js';
import { ADS_SECRET_HEADER, type PreparedService, type ServiceSocket, withServiceSocket } from '../host/index.ts';
import { openEnvoySocket } from './envoy-socket.ts';
import { toRolloutReport } from './report.ts';
import { SnapshotStore } from './snapshot-store.ts';
import { Throttle } from './throttle.ts';

export interface RelayOptions {
  readonly service: PreparedService;
  /** Admin socket of the Envoy in charge. Undefined while there is none. */
  readonly adminSocket: () => ServiceSocket | undefined;
  readonly onReport: (report: fleet.RolloutReport) => void;
  readonly logger: Logger;
  readonly limits?: Partial<RolloutLimits>;
}

/** Minimum interval between reports of one node. The last report is always sent. */
const REPORT_INTERVAL_MS = 100;
/** Refusals are not limited, but the log records one at most once in this time. */
const REFUSAL_INTERVAL_MS = 60_000;

/**
 * Stands between the controller and the Envoys of one service.
 *
 * Upward it is an xDS client: what it receives becomes the rollout's target. Downward it is an xDS server on a Unix socket:
 * each Envoy's stream is a session of the rollout, so two Envoys (one replacing the other) are served side by side. What
 * Envoy last took and used lies on disk: after a restart of the agent, and while the controller is away, an Envoy that
 * starts gets that.
 */
export class ServiceRelay implements Closable {
  readonly nodeId: string;
  readonly #options: RelayOptions;
  readonly #rollout: NodeRollout;
  readonly #lifecycle = new Lifecycle();
  readonly #refusals: Throttle;
  #upstream: AdsClient | undefined;
  #newest: Snapshot | undefined;

  private constructor(options: RelayOptions, store: SnapshotStore, lastGood: Snapshot | undefined) {
    this.nodeId = options.service.nodeId;
    this.#options = options;
    this.#newest = lastGood;
    const throttle = new Throttle(REPORT_INTERVAL_MS, () => options.onReport(this.report()));
    this.#rollout = new NodeRollout({
      probe: createProbe(options.adminSocket),
      onStatus: () => throttle.ask(),
      onLastGood: () => store.note(() => this.#rollout.lastGood()),
      ...(lastGood && { lastGood }),
      ...(options.limits && { limits: options.limits }),
    });
    this.#refusals = new Throttle(REFUSAL_INTERVAL_MS, () => options.logger.warn('relay.stranger_refused'));
    this.#lifecycle.add(() => this.#refusals.close());
    this.#lifecycle.add(() => store.close());
    this.#lifecycle.add(() => this.#rollout.close());
    this.#lifecycle.add(() => throttle.close());
  }

  /** Resolves when Envoy can connect. */
  static async open(options: RelayOptions): Promise<ServiceRelay> {
    const { service } = options;
    const logger = options.logger.child({ component: 'relay', node: service.nodeId });
    const store = new SnapshotStore(service.layout.snapshotFile, logger);
    const relay = new ServiceRelay({ ...options, logger }, store, await store.read());
    try {
      await relay.#listen();
    } catch (error) {
      await relay.close();
      throw error;
    }
    return relay;
  }

  /** Takes snapshots over this connection from now on. Known resources are not transferred again. */
  connect(client: Client): void {
    const before = this.#upstream;
    void before?.close();
    this.#upstream = new AdsClient({
      client,
      nodeId: this.nodeId,
      onSnapshot: (snapshot) => {
        this.#newest = snapshot;
        this.#rollout.setTarget(snapshot);
      },
      onState: (state) => {
        const isRefused = state.kind === 'disconnected';
        this.#options.logger[isRefused ? 'warn' : 'debug']({ ...state }, 'relay.upstream');
      },
      ...(this.#newest && { initial: this.#newest }),
    });
    this.#upstream.start();
  }

  /** Returns the current state of every resource. */
  report(): fleet.RolloutReport {
    return toRolloutReport(this.nodeId, this.#rollout.status());
  }

  async close(): Promise<void> {
    await this.#upstream?.close();
    await this.#lifecycle.close();
  }

  /**
   * Only an Envoy that this agent has started gets anything: whoever else reaches the socket, say by a route of the tenant that leads
   * to it, does not know a secret.
   */
  #judge({ metadata }: AdsPeer): AdsVerdict {
    const [secret] = metadata.get(ADS_SECRET_HEADER);
    if (typeof secret === 'string' && this.#options.service.knowsSecret(secret)) {
      return { accept: true, ...this.#rollout.openSession().binding };
    }
    this.#refusals.ask();
    return { accept: false, code: status.UNAUTHENTICATED, message: 'this is not an Envoy of this agent' };
  }

  async #listen(): Promise<void> {
    const { service } = this.#options;
    const socket = await openEnvoySocket({
      path: service.layout.xdsSocket,
      identity: service.identity,
      openStream: (peer) => this.#judge(peer),
    });
    this.#lifecycle.add(() => socket.close());
  }
}

/** Asks whichever Envoy is in charge at that moment. */
function createProbe(adminSocket: () => ServiceSocket | undefined): WarmthProbe {
  return {
    check(resources, signal) {
      const socket = adminSocket();
      if (socket === undefined) return Promise.reject(new Error('no Envoy is in charge'));
      return withServiceSocket(socket, (socketPath) => createAdminProbe({ socketPath }).check(resources, signal));
    },
  };
}
