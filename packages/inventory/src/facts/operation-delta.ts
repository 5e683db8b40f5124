import type { EndpointCategory } from '../categories.ts';
import type { Method } from '../method.ts';
import type { PiiCategory } from '../pii.ts';
import type { RiskFlag } from './risk-flags.ts';

/** `bearer` and `other` are headers that name no known scheme. */
export type ObservedScheme = 'jwt' | 'mtls' | 'apikey' | 'basic' | 'cookie' | 'signature' | 'bearer' | 'other' | 'none';

/** Upper bounds of the classes of latencies, in milliseconds; the last class has none. Specification, "Inventory operation". */
export const LATENCY_CLASS_BOUNDS_MS = [5, 25, 100, 500, 2000] as const;

/** The most values of each set that an operation keeps. */
export const OPERATION_SET_LIMITS = {
  consumers: 10,
  origins: 50,
  queryNames: 50,
  clusters: 50,
  routes: 50,
  listeners: 50,
  services: 50,
  contentTypes: 50,
  statuses: 100,
} as const;

/** How clients address a host. `https` also if a proxy before ours says so. */
export type UrlScheme = 'http' | 'https';

/** Method, host, normalized path and, for GraphQL, the operation. */
export interface OperationKey {
  readonly method: Method;
  readonly host: string;
  readonly normalizedPath: string;
  /** The operation of a GraphQL endpoint; otherwise empty. */
  readonly operation: string;
}

/** When something was last seen, by its name. Times are in milliseconds. */
export type LastSeen<Name extends string> = Readonly<Partial<Record<Name, number>>>;

/** One flush of the collector: what it adds to an operation. Counts are exact: they come from before sampling. */
export interface OperationDelta {
  readonly key: OperationKey;
  /** A request matched a route, and was no probe. */
  readonly confirmed: boolean;
  readonly seen: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly latencyMaxMs: number;
  /** Requests by class of `LATENCY_CLASS_BOUNDS_MS`. */
  readonly latencyClasses: readonly [number, number, number, number, number, number];
  readonly responseBytesTotal: number;
  readonly responseBytesMax: number;
  readonly requestBytesTotal: number;
  readonly threatMax: number;
  readonly exposureMax: number;
  readonly flags: LastSeen<RiskFlag>;
  readonly pii: LastSeen<PiiCategory | 'jwt_in_path' | 'secret_in_path'>;
  readonly categories: readonly EndpointCategory[];
  readonly schemes: LastSeen<ObservedScheme>;
  /** A request had credentials. 0: none. */
  readonly authenticatedMs: number;
  /** An anonymous request was accepted. 0: none. */
  readonly anonymousMs: number;
  /** An anonymous request was refused with 401 or 403. 0: none. */
  readonly refusedMs: number;
  readonly blocked: number;
  readonly protocols: readonly string[];
  readonly urlSchemes?: readonly UrlScheme[];
  readonly grpcService: string;
  readonly grpcMethod: string;
  /** Ids. */
  readonly services: readonly string[];
  readonly clients: readonly string[];
  readonly listeners: readonly string[];
  readonly clusters: readonly string[];
  readonly routes: readonly string[];
  readonly contentTypes: readonly string[];
  readonly origins: readonly string[];
  readonly queryNames: readonly string[];
  /** Keyed hashes. */
  readonly consumers: readonly string[];
  /** Foreign origins that an answer reflected together with `access-control-allow-credentials: true`. */
  readonly reflectedOrigins?: LastSeen<string>;
  /** Ids of some of the events. */
  readonly samples?: readonly string[];
}
