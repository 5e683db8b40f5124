import type { discovery } from '@flotilla/proto';
import {
  DeltaStream,
  encodeDeltaResponse,
  encodeSotwResponse,
  RESOURCE_TYPE,
  type ResourceSource,
  type SotwResponse,
  SotwStream,
  type StreamObserver,
} from '@flotilla/xds';
import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { type Metadata, type ServerDuplexStream, type ServiceDefinition, status } from '@grpc/grpc-js';
import { adsDefinition } from './ads-wire.ts';

export interface AdsPeer {
  readonly protocol: 'delta' | 'sotw';
  /** The client's claim about its identity; check it against its certificate. */
  readonly nodeId: string;
  readonly userAgent: string;
  readonly metadata: Metadata;
  readonly address: string;
  readonly authContext: ReturnType<ServerDuplexStream<unknown, unknown>['getAuthContext']>;
}

export type AdsVerdict =
  | {
      readonly accept: true;
      readonly source: ResourceSource;
      readonly observer?: StreamObserver;
      /** Unanswered delta responses allowed per type. Default: 1. */
      readonly maxOutstanding?: number;
      readonly onClose?: () => void;
    }
  | { readonly accept: false; readonly code: status; readonly message: string };

export interface AdsServiceOptions {
  /** Called once per stream with its first request; reading pauses until it resolves. */
  readonly openStream: (peer: AdsPeer) => AdsVerdict | Promise<AdsVerdict>;
  readonly maxResponseBytes?: number;
}

export interface AdsService {
  readonly definition: ServiceDefinition;
  readonly handlers: UntypedServiceImplementation;
  /** Number of open streams. */
  count(): number;
  /** Ends every stream with UNAVAILABLE, so that clients reconnect to another controller or the next process. */
  close(): void;
}

type AdsRequest = discovery.DeltaDiscoveryRequest | discovery.DiscoveryRequest;
type Call<Request> = ServerDuplexStream<Request, Buffer>;
interface Machine<Request> {
  receive(request: Request): void;
  resume(): void;
  close(): void;
}

/** More types or names than any proxy requests; the stream is ended. */
const TYPES_MAX = 64;
const NAMES_MAX = 200_000;

export function createAdsService({ openStream, maxResponseBytes }: AdsServiceOptions): AdsService {
  const open = new Set<(code: status, message: string) => void>();
  const register = (end: (code: status, message: string) => void) => {
    open.add(end);
    return () => open.delete(end);
  };

  const handleDelta = (call: Call<discovery.DeltaDiscoveryRequest>) =>
    serve<discovery.DeltaDiscoveryRequest>(call, {
      protocol: 'delta',
      openStream,
      register,
      createMachine: ({ source, observer, maxOutstanding }) =>
        new DeltaStream({
          source,
          ...(observer && { observer }),
          ...(maxOutstanding && { maxOutstanding }),
          ...(maxResponseBytes && { maxResponseBytes }),
          send: (response) => call.write(encodeDeltaResponse(response)),
        }),
    });
  const handleSotw = (call: Call<discovery.DiscoveryRequest>) =>
    serve<discovery.DiscoveryRequest>(call, {
      protocol: 'sotw',
      openStream,
      register,
      createMachine: ({ source, observer }) => {
        const send = (response: SotwResponse) => call.write(encodeSotwResponse(response));
        return new SotwStream({ source, ...(observer && { observer }), send });
      },
    });

  return {
    definition: adsDefinition,
    handlers: { DeltaAggregatedResources: handleDelta, StreamAggregatedResources: handleSotw },
    count: () => open.size,
    close: () => {
      for (const end of [...open]) end(status.UNAVAILABLE, 'server is closing');
    },
  };
}

type Accepted = Extract<AdsVerdict, { accept: true }>;

interface Serving<Request> extends Pick<AdsServiceOptions, 'openStream'> {
  readonly protocol: AdsPeer['protocol'];
  /** Registers a function that ends the call; the result unregisters it. */
  readonly register: (end: (code: status, message: string) => void) => () => void;
  readonly createMachine: (verdict: Accepted) => Machine<Request>;
}

/**
 * One call. Unknown: waits for the first request, which names the node. Deciding: reading is paused until `openStream`
 * resolves. Open: requests go to the machine. Closed: exactly once, whatever ended it.
 */
function serve<Request extends AdsRequest>(
  call: Call<Request>,
  { protocol, openStream, register, createMachine }: Serving<Request>,
): void {
  let machine: Machine<Request> | undefined;
  let verdict: AdsVerdict | undefined;
  let closed = false;
  const budget = createBudget();

  const close = () => {
    if (closed) return;
    closed = true;
    unregister();
    machine?.close();
    if (verdict?.accept) verdict.onClose?.();
  };
  const end = (code: status, message: string) => {
    close();
    call.emit('error', { code, details: message });
  };
  const unregister = register(end);

  const decide = async (first: Request) => {
    call.pause();
    try {
      verdict = await openStream(describePeer(call, protocol, first));
    } catch {
      // The hook reports its own failures; the client learns only that it may retry.
      end(status.UNAVAILABLE, 'node could not be checked');
      return;
    }
    if (closed) {
      if (verdict.accept) verdict.onClose?.();
      return;
    }
    if (!verdict.accept) {
      end(verdict.code, verdict.message);
      return;
    }
    machine = createMachine(verdict);
    machine.receive(first);
    call.resume();
  };

  call.on('data', (request: Request) => {
    if (closed) return;
    if (!budget(request)) end(status.RESOURCE_EXHAUSTED, 'too many types or names on one stream');
    else if (machine) machine.receive(request);
    else void decide(request);
  });
  call.on('drain', () => machine?.resume());
  call.on('end', () => {
    close();
    call.end();
  });
  call.on('cancelled', close);
  call.on('error', close);
}

function describePeer(call: Call<AdsRequest>, protocol: AdsPeer['protocol'], { node }: AdsRequest): AdsPeer {
  return {
    protocol,
    nodeId: node?.id ?? '',
    userAgent: node?.userAgentName ?? '',
    metadata: call.metadata,
    address: call.getPeer(),
    authContext: call.getAuthContext(),
  };
}

function createBudget(): (request: AdsRequest) => boolean {
  const types = new Set<string>();
  let names = 0;
  return (request) => {
    types.add(request.typeUrl);
    if ('resourceNames' in request) return types.size <= TYPES_MAX && request.resourceNames.length <= NAMES_MAX;
    // Envoy requests every host that a request names, and the stream does not remember those that do not exist.
    if (request.typeUrl === RESOURCE_TYPE.virtualHost) return types.size <= TYPES_MAX;
    names += request.resourceNamesSubscribe.length - request.resourceNamesUnsubscribe.length;
    return types.size <= TYPES_MAX && names <= NAMES_MAX;
  };
}
