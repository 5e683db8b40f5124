import type { LogBatch, LogEntry } from '@flotilla/access-log';
import type { ApiDiscoverySettings } from '@flotilla/contract';
import type { RequestEvent } from '@flotilla/event-store';
import {
  type Learner,
  type OperationDelta,
  type OperationKey,
  type PiiCategory,
  type RiskFlag,
  type SensitiveKind,
  scoreFlags,
  toPlace,
} from '@flotilla/inventory';
import { type DropReason, findDropReason } from './admission.ts';
import { DeltaBuilder } from './delta-builder.ts';
import type { Detector } from './detectors/detector.ts';
import { addFlags } from './flags.ts';
import { KeyedHash } from './keyed-hash.ts';
import type { OperationLimits } from './operation-quota.ts';
import { isConfirmed, type KnownTemplates, Operations } from './operations.ts';
import { isStaticType } from './path-signs.ts';
import { RecentMap } from './recent-map.ts';
import type { RequestFacts } from './request-facts.ts';
import { Sampling } from './sampling.ts';
import { type CompiledSettings, compileSettings, createDetectors } from './settings.ts';
import type { GeoDatabase } from './source/geo-database.ts';
import { NetworkSet } from './source/network-set.ts';
import { type SourceFacts, Sources } from './source/sources.ts';
import { toEvent } from './to-event.ts';
import { type AgentKind, classifyAgent } from './user-agent.ts';

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

export interface Collected {
  readonly events: readonly RequestEvent[];
  readonly deltas: readonly OperationDelta[];
  readonly received: number;
  readonly dropped: ReadonlyMap<DropReason, number>;
  /** Events that sampling left out. */
  readonly sampledOut: number;
  readonly flags: ReadonlyMap<RiskFlag, number>;
  readonly agentKinds: ReadonlyMap<AgentKind, number>;
}

export interface From {
  readonly service: string;
  readonly client: string;
  /** The clock of the collector. */
  readonly nowMs: number;
  /** The id that an event gets by its place among the events. */
  readonly toEventId?: ((ordinal: number) => string) | undefined;
}

const AGENTS_REMEMBERED = 4096;
const PAST_MS = 400 * 86_400_000;
const MUTATING: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** From batches of one project to events and to what they add to the project's operations. Projects share nothing. */
export class Pipeline {
  readonly #project: string;
  readonly #operations: Operations;
  readonly #agents = new RecentMap<string, AgentKind>(AGENTS_REMEMBERED);
  #knowledge: PipelineKnowledge;
  #settings: CompiledSettings;
  #detectors: readonly Detector[];
  #sources: Sources;
  #hash: KeyedHash;

  constructor({ project, knowledge, toOperationId, learner, limits }: PipelineOptions) {
    this.#project = project;
    this.#knowledge = knowledge;
    this.#settings = compileSettings(knowledge.settings, project);
    this.#operations = new Operations({
      settings: this.#settings,
      toId: (key) => toOperationId(project, key),
      learner,
      templates: knowledge,
      limits,
    });
    this.#detectors = createDetectors(knowledge.settings);
    this.#sources = createSources(knowledge);
    this.#hash = new KeyedHash(knowledge.key);
  }

  get learner(): Learner {
    return this.#operations.learner;
  }

  /** Sizes of what the pipeline remembers, for metrics and tests. */
  get sizes() {
    return {
      operations: this.#operations.quota.size,
      refusedOperations: this.#operations.quota.refused,
      detectors: this.#detectors.map(({ name, states }) => ({ name, size: states.size, refused: states.refused })),
    };
  }

  /** Detectors whose settings did not change keep what they have seen. */
  update(knowledge: PipelineKnowledge): void {
    const before = this.#knowledge;
    this.#knowledge = knowledge;
    this.#settings = compileSettings(knowledge.settings, this.#project);
    this.#operations.update(this.#settings, knowledge);
    this.#sources = createSources(knowledge);
    this.#hash = new KeyedHash(knowledge.key);
    if (JSON.stringify(before.settings.detection) !== JSON.stringify(knowledge.settings.detection)) {
      this.#detectors = createDetectors(knowledge.settings);
    }
  }

  collect({ listener, entries, sequence }: LogBatch, from: From): Collected {
    const dropped = new Map<DropReason, number>();
    const place = toPlace(from.service, listener);
    const kept: { readonly entry: LogEntry; readonly source: SourceFacts }[] = [];
    for (const entry of entries) {
      const source = this.#sources.find(entry.sourceAddress);
      const reason = findDropReason(entry, { listener, source }, this.#settings);
      if (reason !== undefined) {
        countOne(dropped, reason);
        continue;
      }
      kept.push({ entry, source });
      this.#operations.observe(entry, place);
    }
    this.#operations.settle(from.nowMs);
    const result = new Collecting({ ...from, listener }, new Sampling(sequence), this.#settings.keepOneOf);
    for (const { entry, source } of kept) {
      const facts = this.#describe(entry, source, { listener, place, nowMs: from.nowMs });
      const flags = new Set<RiskFlag>();
      for (const detector of this.#detectors) detector.observe(facts, flags);
      addFlags(facts, this.#settings, flags);
      result.add(facts, flags, {
        source: this.#settings.hashesSource ? this.#hash.of('source', entry.sourceAddress) : '',
        userAgent: this.#settings.hashesUserAgent ? this.#hash.of('userAgent', entry.userAgent) : '',
      });
    }
    return result.end(entries.length, dropped);
  }

  #describe(
    entry: LogEntry,
    source: SourceFacts,
    { listener, place, nowMs }: { listener: string; place: string; nowMs: number },
  ): RequestFacts {
    const path = this.#operations.readPath(entry, place);
    const agentKind = this.#classify(entry);
    const confirmed = isConfirmed(path, entry, agentKind === 'scanner');
    const isBlocked = entry.action === 'block';
    const { status, grpcStatus } = entry;
    return {
      entry,
      timeMs: toTime(entry.timeMs, nowMs),
      listener,
      operation: this.#operations.find(path, confirmed),
      source,
      agentKind,
      consumer: this.#settings.hashesConsumer ? this.#hash.of('consumer', entry.identityHash) : '',
      object: this.#hash.of('object', path.object),
      pii: this.#joinPii(path.pii, entry.queryPii),
      isProbePath: path.isProbe,
      isStatic: path.isStatic || isStaticType(entry.contentType),
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

  #classify({ userAgent, protocol }: LogEntry): AgentKind {
    if (protocol === 'tcp') return 'unknown';
    const known = this.#agents.get(userAgent);
    if (known !== undefined) return known;
    const kind = classifyAgent(userAgent);
    this.#agents.set(userAgent, kind);
    return kind;
  }

  #joinPii(ofPath: readonly SensitiveKind[], ofQuery: readonly string[]): readonly SensitiveKind[] {
    if (ofQuery.length === 0 || !this.#settings.detectsPii) return ofPath;
    const wanted = ofQuery.filter((name): name is PiiCategory => this.#settings.pii.has(name as PiiCategory));
    return [...new Set([...ofPath, ...wanted])];
  }
}

/** The result of one batch while it grows. */
class Collecting {
  readonly #from: From & { readonly listener: string };
  readonly #sampling: Sampling;
  readonly #keepOneOf: number;
  readonly #events: RequestEvent[] = [];
  readonly #deltas = new Map<string, DeltaBuilder>();
  readonly #flags = new Map<RiskFlag, number>();
  readonly #agentKinds = new Map<AgentKind, number>();
  #sampledOut = 0;

  constructor(from: From & { readonly listener: string }, sampling: Sampling, keepOneOf: number) {
    this.#from = from;
    this.#sampling = sampling;
    this.#keepOneOf = keepOneOf;
  }

  add(facts: RequestFacts, flags: ReadonlySet<RiskFlag>, hashes: { source: string; userAgent: string }): void {
    const scores = scoreFlags(flags);
    for (const flag of flags) countOne(this.#flags, flag);
    countOne(this.#agentKinds, facts.agentKind);
    const { id } = facts.operation;
    let delta = this.#deltas.get(id);
    if (delta === undefined) {
      delta = new DeltaBuilder(facts.operation, this.#from);
      this.#deltas.set(id, delta);
    }
    delta.add(facts, flags, scores);
    const weight = this.#sampling.weigh(facts, flags, this.#keepOneOf);
    if (weight === 0) {
      this.#sampledOut += 1;
      return;
    }
    const { toEventId } = this.#from;
    if (toEventId !== undefined) delta.addSample(toEventId(this.#events.length));
    this.#events.push(toEvent(facts, { ...hashes, ...scores, flags, weight, from: this.#from }));
  }

  end(received: number, dropped: ReadonlyMap<DropReason, number>): Collected {
    return {
      events: this.#events,
      deltas: Array.from(this.#deltas.values(), (delta) => delta.build()),
      received,
      dropped,
      sampledOut: this.#sampledOut,
      flags: this.#flags,
      agentKinds: this.#agentKinds,
    };
  }
}

function createSources({ settings: { policy }, threats = [], city, asn }: PipelineKnowledge): Sources {
  return new Sources({
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

function countOne<Name>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
