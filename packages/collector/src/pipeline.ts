import type { LogBatch, LogEntry } from '@flotilla/access-log';
import type { ApiDiscoverySettings } from '@flotilla/contract';
import type { Bits64 } from '@flotilla/event-store/chunk';
import { type Learner, type OperationKey, type PiiCategory, type SensitiveKind, toPlace } from '@flotilla/inventory';
import { type DropReason, findDropReason } from './admission.ts';
import { type Collected, Collecting, countOne, type From } from './collecting.ts';
import { packDetectors, unpackDetectors } from './detector-state.ts';
import { Detectors } from './detectors/detectors.ts';
import { type FlagCombination, FlagSet } from './flag-set.ts';
import { addFlags } from './flags.ts';
import { type Hashed, KeyedHash, NO_HASH } from './keyed-hash.ts';
import type { OperationLimits } from './operation-quota.ts';
import { isConfirmed, type KnownTemplates, Operations } from './operations.ts';
import { isStaticType } from './path-signs.ts';
import { RecentMap } from './recent-map.ts';
import type { RequestFacts } from './request-facts.ts';
import { Sampling } from './sampling.ts';
import { type CompiledSettings, compileSettings } from './settings.ts';
import type { GeoDatabase } from './source/geo-database.ts';
import { NetworkSet } from './source/network-set.ts';
import { type KnownSource, Sources } from './source/sources.ts';
import type { PathName, Target } from './targets.ts';
import { type AgentKind, classifyAgent } from './user-agent.ts';

export type { Collected };

/** The pipeline reads this besides the traffic. All of it may change while the pipeline runs. */
export interface PipelineKnowledge extends KnownTemplates {
  readonly settings: ApiDiscoverySettings;
  /** The key of the project's hashes. */
  readonly key: Uint8Array;
  readonly threats?: readonly NetworkSet[] | undefined;
  readonly city?: GeoDatabase | undefined;
  readonly asn?: GeoDatabase | undefined;
}

export interface PipelineOptions {
  readonly project: string;
  readonly knowledge: PipelineKnowledge;
  readonly toOperationId: (project: string, key: OperationKey) => string;
  readonly learner?: Learner | undefined;
  readonly limits?: OperationLimits | undefined;
}

interface Kept {
  readonly entry: LogEntry;
  readonly source: KnownSource;
  readonly target: Target;
}

/** A program that calls itself so. */
interface KnownAgent {
  readonly kind: AgentKind;
  hash: Hashed | undefined;
}

const AGENTS_REMEMBERED = 4096;
const PAST_MS = 400 * 86_400_000;
const MUTATING: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** From batches of one project to events and to what they add to the project's operations. Projects share nothing. */
export class Pipeline {
  readonly #project: string;
  readonly #operations: Operations;
  readonly #agents = new RecentMap<string, KnownAgent>(AGENTS_REMEMBERED);
  readonly #flags = new FlagSet();
  #settings: CompiledSettings;
  readonly #detectors: Detectors;
  #sources: Sources;
  #hash: KeyedHash;

  constructor({ project, knowledge, toOperationId, learner, limits }: PipelineOptions) {
    this.#project = project;
    this.#settings = compileSettings(knowledge.settings, project);
    this.#operations = new Operations({
      settings: this.#settings,
      toId: (key) => toOperationId(project, key),
      learner,
      templates: knowledge,
      limits,
    });
    this.#hash = new KeyedHash(knowledge.key);
    this.#detectors = new Detectors(knowledge.settings.detection, this.#hash.salt);
    this.#sources = createSources(knowledge, this.#hash);
  }

  get learner(): Learner {
    return this.#operations.learner;
  }

  /** Sizes of what the pipeline remembers, for metrics and tests. */
  get sizes() {
    return {
      operations: this.#operations.quota.size,
      refusedOperations: this.#operations.quota.refused,
      detectors: this.#detectors.sizes,
    };
  }

  /** Detectors whose settings did not change keep what they have seen. */
  update(knowledge: PipelineKnowledge): void {
    this.#settings = compileSettings(knowledge.settings, this.#project);
    this.#operations.update(this.#settings, knowledge);
    this.#hash = new KeyedHash(knowledge.key);
    this.#sources = createSources(knowledge, this.#hash);
    // They have hashes of the key.
    this.#agents.clear();
    this.#detectors.update(knowledge.settings.detection, this.#hash.salt);
  }

  /** Packs what the detectors have learned, for the next start. It has hashes with the key of the project, and no addresses, paths or names. Undefined: too large. */
  packDetectors(nowMs: number): Uint8Array | undefined {
    return packDetectors(this.#detectors, nowMs);
  }

  /** Continues from what `packDetectors` returned. For a pipeline that has seen nothing yet. Returns a complaint. */
  restoreDetectors(packed: Uint8Array, nowMs: number): string | undefined {
    return unpackDetectors(this.#detectors, packed, nowMs);
  }

  /** Somebody reset these operations: what was normal for them is learned again. */
  forgetOperations(operations: 'all' | readonly string[]): void {
    this.#detectors.forgetOperations(operations);
  }

  collect({ listener, entries, sequence }: LogBatch, from: From): Collected {
    const dropped = new Map<DropReason, number>();
    const place = toPlace(from.service, listener);
    const kept: Kept[] = [];
    for (const entry of entries) {
      const source = this.#sources.find(entry.sourceAddress);
      const reason = findDropReason(entry, { listener, source: source.facts }, this.#settings);
      if (reason === undefined) kept.push({ entry, source, target: this.#operations.observe(entry, place) });
      else countOne(dropped, reason);
    }
    this.#operations.settle(from.nowMs);
    const { hashesSource, hashesUserAgent, keepOneOf } = this.#settings;
    const result = new Collecting(
      { ...from, listener },
      { sampling: new Sampling(sequence), keepOneOf, most: kept.length },
    );
    for (const one of kept) {
      const { entry, source } = one;
      const agent = this.#findAgent(entry.userAgent);
      const facts = this.#describe(one, entry.protocol === 'tcp' ? 'unknown' : agent.kind, {
        listener,
        nowMs: from.nowMs,
      });
      if (hashesSource) source.hash ??= this.#hash.of('source', entry.sourceAddress);
      if (hashesUserAgent) agent.hash ??= this.#hash.of('userAgent', entry.userAgent);
      result.add(facts, this.#findFlags(facts), {
        source: (hashesSource && source.hash) || NO_HASH,
        userAgent: (hashesUserAgent && agent.hash) || NO_HASH,
      });
    }
    return result.end(entries.length, dropped);
  }

  #findFlags(facts: RequestFacts): FlagCombination {
    const flags = this.#flags;
    flags.clear();
    this.#detectors.observe(facts, flags);
    addFlags(facts, this.#settings, flags);
    return flags.combine();
  }

  #describe(
    { entry, source: { facts: source }, target }: Kept,
    agentKind: AgentKind,
    { listener, nowMs }: { listener: string; nowMs: number },
  ): RequestFacts {
    const path = this.#operations.nameOf(target);
    const isStatic = target.isStatic || isStaticType(entry.contentType);
    const confirmed = isConfirmed(path, entry, { isScanner: agentKind === 'scanner', isStatic });
    const isBlocked = entry.action === 'block';
    const { status, grpcStatus } = entry;
    const consumerHash = this.#settings.hashesConsumer ? this.#hash.ofConsumer(entry.identityHash) : NO_HASH;
    return {
      entry,
      timeMs: toTime(entry.timeMs, nowMs),
      listener,
      operation: this.#operations.find(path, confirmed),
      source,
      agentKind,
      consumer: consumerHash.text,
      consumerHash,
      object: this.#hashObject(path),
      pii: this.#joinPii(path.pii, entry.queryPii),
      isProbePath: path.isProbe,
      isStatic,
      isConfirmed: confirmed,
      isAnonymous: entry.auth === 'none' && entry.protocol !== 'tcp',
      isMutating: MUTATING.has(entry.method),
      isBlocked,
      isAccepted:
        ((status >= 200 && status < 300) || status === 101 || status === 304) &&
        (grpcStatus === 0 || grpcStatus === 255) &&
        !isBlocked,
      isEncrypted: entry.tlsVersion !== '' || (source.isTrustedTlsProxy && entry.signs.includes('forwarded_https')),
    };
  }

  #hashObject(path: PathName): Bits64 {
    path.objectHash ??= this.#hash.bitsOf('object', path.object);
    return path.objectHash;
  }

  #findAgent(userAgent: string): KnownAgent {
    const known = this.#agents.get(userAgent);
    if (known !== undefined) return known;
    const agent = { kind: classifyAgent(userAgent), hash: undefined };
    this.#agents.set(userAgent, agent);
    return agent;
  }

  #joinPii(ofPath: readonly SensitiveKind[], ofQuery: readonly string[]): readonly SensitiveKind[] {
    if (ofQuery.length === 0 || !this.#settings.detectsPii) return ofPath;
    const wanted = ofQuery.filter((name): name is PiiCategory => this.#settings.pii.has(name as PiiCategory));
    return [...new Set([...ofPath, ...wanted])];
  }
}

function createSources({ settings: { policy }, threats = [], city, asn }: PipelineKnowledge, hash: KeyedHash): Sources {
  return new Sources({
    hash,
    city,
    asn,
    threats,
    trustedProxies: NetworkSet.of(policy.trusted_proxy_cidrs),
    trustedTlsProxies: NetworkSet.of(policy.trusted_tls_proxy_cidrs),
    excluded: NetworkSet.of(policy.exclude.source_cidrs),
    hostingAsns: new Set(policy.hosting_asns.map(toNumber)),
    egressAsns: new Set(policy.trusted_egress_asns.map(toNumber)),
  });
}

/** `AS64500` or `64500`. */
function toNumber(system: string): number {
  return Number(system.replace(/^as/i, ''));
}

/** The clocks of hosts differ: nothing happened later than now, and an impossible time is now. */
function toTime(timeMs: number, nowMs: number): number {
  return timeMs > nowMs - PAST_MS && timeMs < nowMs ? Math.floor(timeMs) : nowMs;
}
