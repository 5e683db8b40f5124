import type { LogEntry } from '@flotilla/access-log';
import {
  LATENCY_CLASS_BOUNDS_MS,
  type ObservedScheme,
  OPERATION_SET_LIMITS,
  type OperationDelta,
  type RiskFlag,
  type SensitiveKind,
  type UrlScheme,
} from '@flotilla/inventory';
import type { FlagCombination } from './flag-set.ts';
import { isForeign } from './flags.ts';
import type { OperationFacts, RequestFacts } from './request-facts.ts';

const TEXT_MAX = 128;
const SAMPLES_MAX = 5;
const REFLECTED_MAX = 8;
const PROTOCOLS_MAX = 8;

interface From {
  readonly service: string;
  readonly client: string;
  readonly listener: string;
}

/** Sums the requests of one batch to one operation. */
export class DeltaBuilder {
  readonly #operation: OperationFacts;
  readonly #from: From;
  #confirmed = false;
  #seen = 0;
  #firstMs = Number.POSITIVE_INFINITY;
  #lastMs = 0;
  readonly #statuses = new Map<number, number>();
  #latencyMaxMs = 0;
  readonly #latencyClasses: [number, number, number, number, number, number] = [0, 0, 0, 0, 0, 0];
  #responseBytesTotal = 0;
  #responseBytesMax = 0;
  #requestBytesTotal = 0;
  readonly #flags = new Map<FlagCombination, number>();
  readonly #pii = new Map<SensitiveKind, number>();
  readonly #schemes = new Map<ObservedScheme, number>();
  #authenticatedMs = 0;
  #anonymousMs = 0;
  #refusedMs = 0;
  #blocked = 0;
  /** Origins that an answer reflected with credentials, and when. */
  readonly #reflected = new Map<string, number>();
  readonly #samples: string[] = [];
  readonly #sets = {
    protocols: new BoundedTexts(PROTOCOLS_MAX),
    urlSchemes: new Set<UrlScheme>(),
    clusters: new BoundedTexts(OPERATION_SET_LIMITS.clusters),
    routes: new BoundedTexts(OPERATION_SET_LIMITS.routes),
    contentTypes: new BoundedTexts(OPERATION_SET_LIMITS.contentTypes),
    origins: new BoundedTexts(OPERATION_SET_LIMITS.origins),
    queryNames: new BoundedTexts(OPERATION_SET_LIMITS.queryNames),
    consumers: new BoundedTexts(OPERATION_SET_LIMITS.consumers),
  };

  constructor(operation: OperationFacts, from: From) {
    this.#operation = operation;
    this.#from = from;
  }

  add(facts: RequestFacts, flags: FlagCombination): void {
    const { entry, timeMs } = facts;
    this.#confirmed ||= facts.isConfirmed;
    this.#seen += 1;
    this.#firstMs = Math.min(this.#firstMs, timeMs);
    this.#lastMs = Math.max(this.#lastMs, timeMs);
    this.#addAnswer(entry);
    noteLatest(this.#flags, flags, timeMs);
    for (const kind of facts.pii) noteLatest(this.#pii, kind, timeMs);
    this.#addAuth(facts);
    if (facts.isBlocked) this.#blocked += 1;
    this.#addSets(facts);
    this.#addReflected(facts);
  }

  /** Whether it takes another sample. */
  get hasRoom(): boolean {
    return this.#samples.length < SAMPLES_MAX;
  }

  /** The id of an event that was stored. */
  addSample(id: string): void {
    if (this.hasRoom) this.#samples.push(id);
  }

  #addReflected({ entry, timeMs, operation }: RequestFacts): void {
    const { signs } = entry;
    if (!signs.includes('cors_reflected') || !signs.includes('cors_credentials')) return;
    if (!isForeign(entry.origin, operation.identity.host)) return;
    const origin = toText(entry.origin);
    if (this.#reflected.has(origin) || this.#reflected.size < REFLECTED_MAX)
      noteLatest(this.#reflected, origin, timeMs);
  }

  #addAnswer(entry: LogEntry): void {
    const status = Math.min(toCount(entry.status), 999);
    const responseBytes = toCount(entry.responseBytes);
    const known = this.#statuses.get(status);
    if (known !== undefined || this.#statuses.size < OPERATION_SET_LIMITS.statuses) {
      this.#statuses.set(status, (known ?? 0) + 1);
    }
    const ms = toCount(entry.latencyUs) / 1000;
    this.#latencyMaxMs = Math.max(this.#latencyMaxMs, ms);
    let index = 0;
    while (index < LATENCY_CLASS_BOUNDS_MS.length && ms >= (LATENCY_CLASS_BOUNDS_MS[index] ?? 0)) index += 1;
    this.#latencyClasses[index] = (this.#latencyClasses[index] ?? 0) + 1;
    this.#responseBytesTotal += responseBytes;
    this.#responseBytesMax = Math.max(this.#responseBytesMax, responseBytes);
    this.#requestBytesTotal += toCount(entry.requestBytes);
  }

  #addAuth({ entry, timeMs, isAnonymous, isAccepted }: RequestFacts): void {
    if (entry.protocol !== 'tcp') noteLatest(this.#schemes, entry.auth, timeMs);
    if (!isAnonymous) this.#authenticatedMs = Math.max(this.#authenticatedMs, timeMs);
    else if (isAccepted) this.#anonymousMs = Math.max(this.#anonymousMs, timeMs);
    else if (entry.status === 401 || entry.status === 403) this.#refusedMs = Math.max(this.#refusedMs, timeMs);
  }

  #addSets({ entry, consumer, isEncrypted }: RequestFacts): void {
    const { protocols, urlSchemes, clusters, routes, contentTypes, origins, queryNames, consumers } = this.#sets;
    protocols.add(entry.protocol);
    urlSchemes.add(isEncrypted || entry.signs.includes('forwarded_https') ? 'https' : 'http');
    clusters.add(entry.cluster);
    routes.add(entry.route);
    contentTypes.add(entry.contentType);
    origins.add(entry.origin);
    for (const name of entry.queryNames) queryNames.add(name);
    consumers.add(consumer);
  }

  #listFlags() {
    const seen = new Map<RiskFlag, number>();
    let [threatMax, exposureMax] = [0, 0];
    for (const [{ flags, threat, exposure }, timeMs] of this.#flags) {
      for (const flag of flags) noteLatest(seen, flag, timeMs);
      threatMax = Math.max(threatMax, threat);
      exposureMax = Math.max(exposureMax, exposure);
    }
    return { threatMax, exposureMax, flags: Object.fromEntries(seen) };
  }

  build(): OperationDelta {
    const { identity, operation, categories } = this.#operation;
    const { rpc } = identity;
    return {
      key: { method: identity.method, host: identity.host, normalizedPath: identity.normalizedPath, operation },
      confirmed: this.#confirmed,
      seen: this.#seen,
      firstMs: this.#firstMs,
      lastMs: this.#lastMs,
      statuses: Object.fromEntries(this.#statuses),
      latencyMaxMs: this.#latencyMaxMs,
      latencyClasses: this.#latencyClasses,
      responseBytesTotal: this.#responseBytesTotal,
      responseBytesMax: this.#responseBytesMax,
      requestBytesTotal: this.#requestBytesTotal,
      ...this.#listFlags(),
      pii: Object.fromEntries(this.#pii),
      categories: [...categories],
      schemes: Object.fromEntries(this.#schemes),
      authenticatedMs: this.#authenticatedMs,
      anonymousMs: this.#anonymousMs,
      refusedMs: this.#refusedMs,
      blocked: this.#blocked,
      protocols: this.#sets.protocols.list(),
      urlSchemes: [...this.#sets.urlSchemes],
      clusters: this.#sets.clusters.list(),
      routes: this.#sets.routes.list(),
      contentTypes: this.#sets.contentTypes.list(),
      origins: this.#sets.origins.list(),
      queryNames: this.#sets.queryNames.list(),
      consumers: this.#sets.consumers.list(),
      reflectedOrigins: Object.fromEntries(this.#reflected),
      samples: this.#samples,
      grpcService: rpc?.protocol === 'grpc' ? rpc.service : '',
      grpcMethod: rpc?.protocol === 'grpc' ? rpc.method : '',
      services: [this.#from.service],
      clients: [this.#from.client],
      listeners: this.#from.listener === '' ? [] : [this.#from.listener],
    };
  }
}

function noteLatest<Name>(seen: Map<Name, number>, name: Name, timeMs: number): void {
  const before = seen.get(name);
  if (before === undefined || before < timeMs) seen.set(name, timeMs);
}

/** A whole number from zero, also of a value that nobody can have measured. */
function toCount(value: number): number {
  return value > 0 && value < Number.MAX_SAFE_INTEGER / 1e6 ? Math.floor(value) : 0;
}

/** The first texts that are not empty, up to a number. Most requests repeat the text of the one before. */
class BoundedTexts {
  readonly #max: number;
  readonly #texts = new Set<string>();
  #last = '';

  constructor(max: number) {
    this.#max = max;
  }

  add(text: string): void {
    if (text === this.#last || text === '') return;
    this.#last = text;
    if (this.#texts.size < this.#max && !this.#texts.has(text)) this.#texts.add(toText(text));
  }

  list(): string[] {
    return [...this.#texts];
  }
}

/** Hostile values are stored, too: without control characters, whole, and not for ever. */
function toText(value: string): string {
  return value
    .slice(0, TEXT_MAX)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\uFFFD');
}
