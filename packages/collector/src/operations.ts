import type { LogEntry } from '@flotilla/access-log';
import { toHashBits } from '@flotilla/event-store/chunk';
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
  type ReadRequest,
  type RouteNames,
  type TemplateIndex,
  TRAVERSAL_PATH,
  toCategoryBits,
} from '@flotilla/inventory';
import { isInternalName } from './internal-name.ts';
import { type OperationLimits, OperationQuota } from './operation-quota.ts';
import { findObjectPlace, findPathPii, isReadonly, isSensitive, type ObjectPlace, objectAt } from './path-signs.ts';
import { RecentMap } from './recent-map.ts';
import type { OperationFacts } from './request-facts.ts';
import type { CompiledSettings } from './settings.ts';
import { type PathName, type Target, Targets } from './targets.ts';
import { toMask } from './to-row.ts';

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
  readonly #targets = new Targets();
  /** Targets with requests that the learner does not have yet. */
  #waiting: Target[] = [];
  readonly #operations = new RecentMap<string, OperationFacts>(OPERATIONS_REMEMBERED);
  readonly #places = new RecentMap<string, ObjectPlace>(OPERATIONS_REMEMBERED);
  #settlements = 0;
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
    this.#settlements += 1;
    this.#targets.clear();
  }

  /** The target of a request at a place (`toPlace`), which is counted for what is learned. Call `settle` after the last request of a batch. */
  observe(entry: LogEntry, place: string): Target {
    const target = this.#targets.find(entry, place) ?? this.#targets.add(entry, place, this.#read(entry, place));
    if (target.read === undefined) return target;
    const answer = toAnswer(entry);
    this.#observed += 1;
    this.#isSettled = false;
    if (answer !== 'answered') this.#identifier.observeRead(target.read, answer);
    else {
      if (target.waiting === 0) this.#waiting.push(target);
      target.waiting += 1;
    }
    return target;
  }

  #read(entry: LogEntry, place: string): ReadRequest | undefined {
    const { method, authority, path, requestContentType: contentType, graphqlOperation, protocol } = entry;
    if (protocol === 'tcp') return undefined;
    return this.#identifier.read({ method, authority, path, contentType, graphqlOperation, place });
  }

  /** Gives the requests of the batch to the learner, and decides the names again if it is time. */
  settle(nowMs: number): void {
    for (const target of this.#waiting) {
      if (target.read !== undefined) this.#identifier.observeRead(target.read, 'answered', target.waiting);
      target.waiting = 0;
    }
    this.#waiting = [];
    this.#targets.endBatch();
    const waitMs = Math.max(SETTLE_MS, this.#learner.nodes * SETTLE_MS_PER_PLACE);
    // A clock that jumped back settles, too.
    const isDue = this.#observed < EARLY_REQUESTS || Math.abs(nowMs - this.#settledMs) >= waitMs;
    if (this.#isSettled || !isDue) return;
    this.#learner.settle();
    this.#settledMs = nowMs;
    this.#isSettled = true;
    this.#settlements += 1;
  }

  nameOf(target: Target): PathName {
    if (target.name !== undefined && target.namedAt === this.#settlements) return target.name;
    const { path, read } = target;
    const identity = read === undefined ? nameConnection(target) : this.#identifier.identifyRead(read);
    const { normalizedPath } = identity;
    target.namedAt = this.#settlements;
    target.name = {
      identity,
      pii: this.#settings.detectsPii ? findPathPii(path, normalizedPath, this.#settings.pii) : [],
      isProbe: target.isProbe || normalizedPath === TRAVERSAL_PATH,
      object: objectAt(path, this.#placeOf(normalizedPath)),
      objectHash: undefined,
      operation: undefined,
      wasConfirmed: false,
    };
    return target.name;
  }

  #placeOf(normalizedPath: string): ObjectPlace {
    const known = this.#places.get(normalizedPath);
    if (known !== undefined) return known;
    const place = findObjectPlace(normalizedPath);
    this.#places.set(normalizedPath, place);
    return place;
  }

  /** The operation of a path, or the one of all others if the project has too many. */
  find(path: PathName, isConfirmed: boolean): OperationFacts {
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
    const id = this.#toId({ method, host, normalizedPath, operation });
    const categories = categorizePath(normalizedPath);
    const facts: OperationFacts = {
      identity,
      operation,
      label: rpc?.protocol === 'grpc' ? `${rpc.service}/${rpc.method}` : operation,
      key,
      id,
      idBits: toHashBits(id),
      categories: new Set(categories),
      categoryBits: toMask(toCategoryBits(categories)),
      isInternalHost: isInternalName(host),
      isSensitivePath: isSensitive(normalizedPath),
      isReadonlyPath: isReadonly(normalizedPath),
      objectAt: this.#placeOf(normalizedPath).at,
    };
    this.#operations.set(key, facts);
    return facts;
  }
}

function createIdentifier(
  learner: Learner,
  { rules, graphqlPaths }: CompiledSettings,
  { routes, openApi }: KnownTemplates,
): Identifier {
  return new Identifier({ rules, graphqlPaths, ...(routes && { routes }), ...(openApi && { openApi }) }, learner);
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
function nameConnection({ authority }: Target): Identity {
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
  { identity, isProbe: isProbePath }: PathName,
  entry: LogEntry,
  { isScanner, isStatic }: { readonly isScanner: boolean; readonly isStatic: boolean },
): boolean {
  if (isProbePath || isScanner || isStatic) return false;
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
