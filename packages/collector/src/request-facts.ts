import type { LogEntry } from '@flotilla/access-log';
import type { Bits64 } from '@flotilla/event-store/chunk';
import type { EndpointCategory, Identity, SensitiveKind } from '@flotilla/inventory';
import type { Hashed } from './keyed-hash.ts';
import type { SourceFacts } from './source/sources.ts';
import type { AgentKind } from './user-agent.ts';

/** Facts that all requests of an operation share. */
export interface OperationFacts {
  readonly identity: Identity;
  /** The name in graphql requests. */
  readonly operation: string;
  /** The operation as events name it: also the method of gRPC. */
  readonly label: string;
  /** The key in tables of detectors: one text for method, host, path and operation. */
  readonly key: string;
  readonly id: string;
  readonly idBits: Bits64;
  readonly categories: ReadonlySet<EndpointCategory>;
  /** The categories as the event store has them. */
  readonly categoryBits: number;
  readonly isInternalHost: boolean;
  readonly isSensitivePath: boolean;
  readonly isReadonlyPath: boolean;
  /** The last segment that is a parameter; -1: none. */
  readonly objectAt: number;
}

/** A request with what was found out about it. Detectors and flags read it. */
export interface RequestFacts {
  readonly entry: LogEntry;
  /** When the request began; never later than the clock of the collector. */
  readonly timeMs: number;
  readonly listener: string;
  readonly operation: OperationFacts;
  readonly source: SourceFacts;
  readonly agentKind: AgentKind;
  /** The keyed hash; empty for anonymous requests. */
  readonly consumer: string;
  readonly consumerHash: Hashed;
  /** The keyed hash of what the request is about; `NO_BITS` if its path has no parameter. */
  readonly object: Bits64;
  readonly pii: readonly SensitiveKind[];
  readonly isProbePath: boolean;
  readonly isStatic: boolean;
  readonly isConfirmed: boolean;
  readonly isAnonymous: boolean;
  readonly isMutating: boolean;
  /** The answer came from the filter. */
  readonly isBlocked: boolean;
  /** 2xx, 101 or 304, and no error of gRPC. */
  readonly isAccepted: boolean;
  /** The connection to the proxy, or to a trusted proxy in front of it, was encrypted. */
  readonly isEncrypted: boolean;
}

/** By whom detectors count: the consumer, or else the address. Empty: by nobody. */
export function actorOf({ consumer, source }: RequestFacts): string {
  if (consumer !== '') return `c${consumer}`;
  return addressOf(source);
}

/** Empty for a proxy that many clients share. */
export function addressOf({ key, isTrustedProxy }: SourceFacts): string {
  return isTrustedProxy ? '' : key;
}
