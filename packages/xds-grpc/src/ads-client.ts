import { Backoff, type BackoffOptions, type Closable } from '@flotilla/kit';
import type { discovery } from '@flotilla/proto';
import { DeltaClient, type DeltaRequest, type Snapshot, systemTimers, type Timers } from '@flotilla/xds';
import { type Client, type ClientDuplexStream, Metadata, type ServiceError } from '@grpc/grpc-js';
import { createDeltaRequest, DELTA_PATH, decodeDeltaResponse, encodeDeltaRequest } from './ads-wire.ts';
import { parseNodePlan } from './node-plan.ts';

export type AdsClientState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected' }
  | { readonly kind: 'disconnected'; readonly code: number; readonly reason: string; readonly retryInMs: number };

export interface AdsClientOptions {
  /** Owned by the caller: one client (one HTTP/2 connection) carries the streams of all nodes. */
  readonly client: Client;
  readonly nodeId: string;
  readonly onSnapshot: (snapshot: Snapshot) => void;
  readonly onState?: (state: AdsClientState) => void;
  /** The snapshot from the disk: resources that are still current are not transferred again. */
  readonly initial?: Snapshot;
  readonly backoff?: BackoffOptions;
  readonly timers?: Timers;
}

type Stream = ClientDuplexStream<discovery.DeltaDiscoveryRequest, discovery.DeltaDiscoveryResponse>;

const BACKOFF: BackoffOptions = { initialMs: 200, maxMs: 15_000 };

/**
 * Maintains the delta ADS stream of one node to the controller.
 *
 * Stopped until `start`. Connecting: a stream is open and has no response yet. Connected: a response came; the backoff
 * is reset. Disconnected: the stream ended; the next opens after a jittered wait. Closed for good by `close`.
 */
export class AdsClient implements Closable {
  readonly #options: AdsClientOptions;
  readonly #machine: DeltaClient;
  readonly #backoff: Backoff;
  #stream: Stream | undefined;
  #cancelRetry: (() => void) | undefined;
  #closed = false;

  constructor(options: AdsClientOptions) {
    const { nodeId, onSnapshot, initial } = options;
    this.#options = options;
    this.#backoff = new Backoff(options.backoff ?? BACKOFF);
    this.#machine = new DeltaClient({ nodeId, parsePlan: parseNodePlan, onSnapshot, ...(initial && { initial }) });
  }

  start(): void {
    if (!this.#stream && !this.#closed) this.#connect();
  }

  snapshot(): Snapshot | undefined {
    return this.#machine.snapshot;
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry?.();
    this.#machine.disconnect();
    this.#stream?.cancel();
    this.#stream = undefined;
    return Promise.resolve();
  }

  #connect(): void {
    const { client, nodeId, onState } = this.#options;
    this.#cancelRetry = undefined;
    onState?.({ kind: 'connecting' });
    const stream: Stream = client.makeBidiStreamRequest(
      DELTA_PATH,
      encodeDeltaRequest,
      decodeDeltaResponse,
      new Metadata(),
    );
    this.#stream = stream;
    let answered = false;
    let first = true;
    stream.on('data', (response: discovery.DeltaDiscoveryResponse) => {
      if (this.#stream !== stream) return;
      if (!answered) {
        answered = true;
        this.#backoff.reset();
        onState?.({ kind: 'connected' });
      }
      this.#machine.receive(response);
    });
    // grpc-js reports every end, even a clean one, by an error or a status; the first one counts.
    stream.on('error', (error: ServiceError) => this.#lose(stream, error.code, error.details || error.message));
    stream.on('status', ({ code, details }) => this.#lose(stream, code, details));
    this.#machine.connect((request: DeltaRequest) => {
      stream.write(toMessage(request, first ? nodeId : undefined));
      first = false;
    });
  }

  #lose(stream: Stream, code: number, reason: string): void {
    if (this.#stream !== stream || this.#closed) return;
    this.#stream = undefined;
    this.#machine.disconnect();
    const { timers = systemTimers, onState } = this.#options;
    const retryInMs = this.#backoff.next();
    this.#cancelRetry = timers.after(retryInMs, () => this.#connect());
    onState?.({ kind: 'disconnected', code, reason, retryInMs });
  }
}

function toMessage(request: DeltaRequest, nodeId: string | undefined): discovery.DeltaDiscoveryRequest {
  const { typeUrl, resourceNamesSubscribe, resourceNamesUnsubscribe, initialResourceVersions, responseNonce } = request;
  return createDeltaRequest({
    typeUrl,
    responseNonce,
    resourceNamesSubscribe: [...resourceNamesSubscribe],
    resourceNamesUnsubscribe: [...resourceNamesUnsubscribe],
    initialResourceVersions: { ...initialResourceVersions },
    ...(nodeId !== undefined && { node: { id: nodeId, userAgentName: 'flotilla-agent' } }),
    ...(request.errorDetail && { errorDetail: { ...request.errorDetail } }),
  });
}
