import type { LogEntry } from '@flotilla/access-log';
import {
  type Answer,
  categorizePath,
  classifyAnswer,
  Identifier,
  type Identity,
  INVALID_HOST,
  Learner,
  normalizeHost,
  type OperationKey,
  OTHER_HOST,
  OTHER_PATH,
  type Request,
  type RouteNames,
  type SensitiveKind,
  type TemplateIndex,
} from '@flotilla/inventory';
import { isInternalName } from './internal-name.ts';
import { type OperationLimits, OperationQuota } from './operation-quota.ts';
import {
  findPathPii,
  isProbe,
  isReadonly,
  isSensitive,
  isStaticPath,
  isStaticType,
  lastParameter,
  objectAt,
} from './path-signs.ts';
import { RecentMap } from './recent-map.ts';
import type { OperationFacts } from './request-facts.ts';
import type { CompiledSettings } from './settings.ts';

/** Facts of a path as it was requested. */
export interface PathFacts {
  /** A request of this path. */
  readonly entry: LogEntry;
  /** Where it was served: other places may have other routes. */
  readonly place: string;
  readonly identity: Identity;
  readonly pii: readonly SensitiveKind[];
  readonly isProbe: boolean;
  readonly isStatic: boolean;
  /** The value that the path is about; empty if there is none. */
  readonly object: string;
  /** Found at the first use. */
  operation: OperationFacts | undefined;
  wasConfirmed: boolean;
}

/** Names that somebody wrote. */
export interface KnownTemplates {
  readonly routes?: RouteNames | undefined;
  /** They come from API documents. */
  readonly openApi?: TemplateIndex | undefined;
}

export interface OperationsOptions {
  readonly settings: CompiledSettings;
  readonly toId: (key: OperationKey) => string;
  readonly learner?: Learner | undefined;
  readonly templates?: KnownTemplates | undefined;
  readonly limits?: OperationLimits | undefined;
}

const PATHS_REMEMBERED = 8192;
/** Methods and hosts of one path. */
const KINDS_PER_PATH = 16;
const OPERATIONS_REMEMBERED = 8192;
/** Until then every batch settles, so that the first requests of a project have names. */
const EARLY_REQUESTS = 5000;
const SETTLE_MS = 1000;
/** Settling visits each place of the trees. Large trees settle less often. */
const SETTLE_MS_PER_PLACE = 0.1;
const GRPC_UNIMPLEMENTED = 12;
const GRPC_NONE = 255;

/** Names the operations of a project's requests. */
export class Operations {
  readonly #learner: Learner;
  readonly #toId: (key: OperationKey) => string;
  readonly #quota: OperationQuota;
  #identifier: Identifier;
  #settings: CompiledSettings;
  readonly #paths = new RecentMap<string, PathFacts[]>(PATHS_REMEMBERED);
  readonly #operations = new RecentMap<string, OperationFacts>(OPERATIONS_REMEMBERED);
  #settledMs = 0;
  #observed = 0;
  #isSettled = true;

  constructor({ settings, toId, learner = new Learner(), templates = {}, limits }: OperationsOptions) {
    this.#learner = learner;
    this.#toId = toId;
    this.#quota = new OperationQuota(limits);
    this.#settings = settings;
    this.#identifier = createIdentifier(learner, settings, templates);
  }

  get learner(): Learner {
    return this.#learner;
  }

  get quota(): OperationQuota {
    return this.#quota;
  }

  update(settings: CompiledSettings, templates: KnownTemplates): void {
    this.#settings = settings;
    this.#identifier = createIdentifier(this.#learner, settings, templates);
    this.#paths.clear();
  }

  /** Counts the request for what is learned. */
  observe(entry: LogEntry, place: string): void {
    if (entry.protocol === 'tcp') return;
    this.#identifier.observe(toRequest(entry, place));
    this.#observed += 1;
    this.#isSettled = false;
  }

  /** Decides the names again if it is time. */
  settle(nowMs: number): void {
    const waitMs = Math.max(SETTLE_MS, this.#learner.nodes * SETTLE_MS_PER_PLACE);
    // A clock that jumped back settles, too.
    const isDue = this.#observed < EARLY_REQUESTS || Math.abs(nowMs - this.#settledMs) >= waitMs;
    if (this.#isSettled || !isDue) return;
    this.#learner.settle();
    this.#settledMs = nowMs;
    this.#isSettled = true;
    this.#paths.clear();
  }

  readPath(entry: LogEntry, place: string): PathFacts {
    const known = this.#paths.get(entry.path);
    const same = known?.find((one) => one.place === place && isOfSameKind(one.entry, entry));
    if (same !== undefined) return same;
    const identity =
      entry.protocol === 'tcp' ? nameConnection(entry) : this.#identifier.identify(toRequest(entry, place));
    const { normalizedPath } = identity;
    const facts: PathFacts = {
      entry,
      place,
      identity,
      pii: this.#settings.detectsPii ? findPathPii(entry.path, normalizedPath, this.#settings.pii) : [],
      isProbe: normalizedPath === '/{traversal}' || isProbe(entry.path),
      isStatic: isStaticPath(entry.path),
      object: objectAt(entry.path, normalizedPath, lastParameter(normalizedPath)),
      operation: undefined,
      wasConfirmed: false,
    };
    if (known !== undefined && known.length < KINDS_PER_PATH) known.push(facts);
    else this.#paths.set(entry.path, [facts]);
    return facts;
  }

  /** The operation of a path, or the one of all others if the project has too many. */
  find(path: PathFacts, isConfirmed: boolean): OperationFacts {
    if (path.operation !== undefined && (path.wasConfirmed || !isConfirmed)) return path.operation;
    path.wasConfirmed = isConfirmed;
    path.operation = this.#resolve(path.identity, isConfirmed);
    return path.operation;
  }

  #resolve(identity: Identity, isConfirmed: boolean): OperationFacts {
    const { method, host, normalizedPath, rpc } = identity;
    const operation = rpc?.protocol === 'graphql' ? rpc.operation : '';
    const key = `${method} ${host} ${normalizedPath} ${operation}`;
    if (!isOther(identity) && !this.#quota.admits(key, isConfirmed)) {
      const other = { host: OTHER_HOST, normalizedPath: OTHER_PATH, source: 'other', rpc: undefined } as const;
      return this.#resolve({ method, ...other }, false);
    }
    const known = this.#operations.get(key);
    if (known !== undefined) return known;
    const facts: OperationFacts = {
      identity,
      operation,
      key,
      id: this.#toId({ method, host, normalizedPath, operation }),
      categories: new Set(categorizePath(normalizedPath)),
      isInternalHost: isInternalName(host),
      isSensitivePath: isSensitive(normalizedPath),
      isReadonlyPath: isReadonly(normalizedPath),
      objectAt: lastParameter(normalizedPath),
    };
    this.#operations.set(key, facts);
    return facts;
  }
}

/** Whether two requests of one path have one identity. */
function isOfSameKind(a: LogEntry, b: LogEntry): boolean {
  return (
    a.method === b.method &&
    a.authority === b.authority &&
    a.requestContentType === b.requestContentType &&
    a.graphqlOperation === b.graphqlOperation &&
    a.protocol === b.protocol
  );
}

function createIdentifier(
  learner: Learner,
  { rules, graphqlPaths }: CompiledSettings,
  { routes, openApi }: KnownTemplates,
): Identifier {
  return new Identifier({ rules, graphqlPaths, ...(routes && { routes }), ...(openApi && { openApi }) }, learner);
}

function toRequest(entry: LogEntry, place: string): Request {
  const { method, authority, path, requestContentType: contentType, graphqlOperation } = entry;
  return { method, authority, path, contentType, graphqlOperation, place, answer: toAnswer(entry) };
}

/** An answer of the filter says nothing about the path. A server of gRPC answers 200 to methods that it does not have. */
function toAnswer({ status, grpcStatus, action, responseFlags }: LogEntry): Answer {
  if (action === 'block') return 'refused';
  if (grpcStatus === GRPC_UNIMPLEMENTED) return 'missing';
  if (grpcStatus !== 0 && grpcStatus !== GRPC_NONE) return 'refused';
  return classifyAnswer({ status, isRouted: !hasNoRoute(responseFlags) });
}

function hasNoRoute(responseFlags: string): boolean {
  return responseFlags !== '' && responseFlags.split(',').includes('NR');
}

/** A connection is named by its listener, or by the name that TLS asked for. */
function nameConnection({ authority }: LogEntry): Identity {
  return { method: 'CONNECT', host: normalizeHost(authority), normalizedPath: '/', source: 'other', rpc: undefined };
}

function isOther({ host, normalizedPath }: Identity): boolean {
  return (host === OTHER_HOST || host === INVALID_HOST) && normalizedPath === OTHER_PATH;
}

const API_TYPE = /json|xml|grpc|protobuf|^text\/(?:plain|event-stream)|connect/;

/**
 * Whether the request belongs to an operation that exists: the proxy matched a route, whatever the status was. Scanners, probes, files of web pages and paths
 * without a name never confirm. If the log says nothing about routes, an answer of an API does.
 */
export function isConfirmed(
  { identity, isProbe: isProbePath, isStatic }: PathFacts,
  entry: LogEntry,
  isScanner: boolean,
): boolean {
  if (isProbePath || isScanner || isStatic || isStaticType(entry.contentType)) return false;
  if (hasNoRoute(entry.responseFlags)) return false;
  if (entry.protocol === 'tcp') return entry.cluster !== '';
  if (identity.normalizedPath === OTHER_PATH || identity.host === OTHER_HOST || identity.host === INVALID_HOST)
    return false;
  if (toAnswer(entry) === 'missing' && identity.source !== 'route' && identity.source !== 'openapi') {
    // An object that does not exist, of an operation that does.
    if (identity.source !== 'learned') return false;
  }
  if (entry.route !== '' || entry.cluster !== '') return true;
  return entry.status >= 200 && entry.status < 400 && API_TYPE.test(entry.contentType);
}
