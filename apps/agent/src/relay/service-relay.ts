import { type Closable, Lifecycle, type Logger } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import { NodeRollout, type RolloutLimits, type RolloutStatus, type Snapshot, type WarmthProbe } from '@flotilla/xds';
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

export interface RelayedSnapshots {
  readonly newest: Snapshot | undefined;
  readonly lastGood: Snapshot | undefined;
}

/** Minimum interval between reports of one node. The last report is always sent. */
const REPORT_INTERVAL_MS = 100;
/** Minimum interval between log messages about refused streams. */
const REFUSAL_INTERVAL_MS = 60_000;

/**
 * Relays xDS between the controller and the Envoys of one service.
 *
 * It is an xDS client of the controller: each snapshot becomes the target of the rollout. It is an xDS server for Envoy on
 * a Unix socket: the stream of each Envoy is a session of the rollout, so two Envoys are served side by side during a
 * replacement. The last good set is on disk. An Envoy that starts after a restart of the agent, or while the controller is
 * away, gets this set.
 */
export class ServiceRelay implements Closable {
  readonly nodeId: string;
  readonly #options: RelayOptions;
  readonly #rollout: NodeRollout;
  readonly #lifecycle = new Lifecycle();
  readonly #refusals: Throttle;
  #upstream: AdsClient | undefined;
  #newest: Snapshot | undefined;
  /** Undefined if it must be derived again. */
  #lastGood: Snapshot | undefined;

  private constructor(options: RelayOptions, store: SnapshotStore, lastGood: Snapshot | undefined) {
    this.nodeId = options.service.nodeId;
    this.#options = options;
    this.#newest = lastGood;
    const throttle = new Throttle(REPORT_INTERVAL_MS, () => options.onReport(this.report()));
    this.#rollout = new NodeRollout({
      probe: createProbe(options.adminSocket),
      onStatus: () => throttle.request(),
      onLastGood: () => {
        this.#lastGood = undefined;
        store.note(() => this.#rollout.lastGood());
      },
      ...(lastGood && { lastGood }),
      ...(options.limits && { limits: options.limits }),
    });
    this.#refusals = new Throttle(REFUSAL_INTERVAL_MS, () => options.logger.warn('relay.stream_refused'));
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

  /** Gets snapshots over this connection from now on. Known resources are not transferred again. */
  connect(client: Client): void {
    const previous = this.#upstream;
    void previous?.close();
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

  /** The newest snapshot of the controller, and what Envoy last accepted and used. */
  get snapshots(): RelayedSnapshots {
    // Deriving the set is expensive for thousands of resources.
    this.#lastGood ??= this.#rollout.lastGood();
    return { newest: this.#newest, lastGood: this.#lastGood };
  }

  status(): RolloutStatus {
    return this.#rollout.status();
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
   * Accepts only streams of an Envoy that this agent has started. Other callers do not know a secret, for example those that
   * connect to the socket through a route of a tenant.
   */
  #authenticate({ metadata }: AdsPeer): AdsVerdict {
    const [secret] = metadata.get(ADS_SECRET_HEADER);
    if (typeof secret === 'string' && this.#options.service.knowsSecret(secret)) {
      return { accept: true, ...this.#rollout.openSession().binding };
    }
    this.#refusals.request();
    return {
      accept: false,
      code: status.UNAUTHENTICATED,
      message: 'the stream has no secret of an Envoy that this agent has started',
    };
  }

  async #listen(): Promise<void> {
    const { service } = this.#options;
    const socket = await openEnvoySocket({
      path: service.layout.xdsSocket,
      identity: service.identity,
      openStream: (peer) => this.#authenticate(peer),
    });
    this.#lifecycle.add(() => socket.close());
  }
}

/** Creates a probe that queries the Envoy that is in charge at the time of the check. */
function createProbe(adminSocket: () => ServiceSocket | undefined): WarmthProbe {
  return {
    check(resources, signal) {
      const socket = adminSocket();
      if (socket === undefined) return Promise.reject(new Error('no Envoy is in charge'));
      return withServiceSocket(socket, (socketPath) => createAdminProbe({ socketPath }).check(resources, signal));
    },
  };
}
