import { BODY_VERDICTS, findKeyLimit, shareOfFleet, UNLIMITED } from '@flotilla/engines';
import type { EffectiveDomain, EngineBlock } from '@flotilla/policy';
import type { BodyFailure } from '../body/body-failure.ts';
import { foreseeFailure } from '../body/foreseen-failure.ts';
import type { ReceivedBody } from '../body/received-body.ts';
import type { Finding } from '../decision.ts';
import type { RuntimePolicy } from '../runtime-policy.ts';
import type { ExplainedEffect, ExplainedEngine, ExplainedLimiter } from './explanation.ts';
import { type Trace, TracedEngine } from './traced-engine.ts';
import type { TrialView } from './trial-view.ts';

/** A completed decision and the engines involved. */
export interface TakenDecision {
  /** Policies of all readings of the path, in decision order; their engines are traced. */
  readonly policies: readonly RuntimePolicy[];
  readonly domains: readonly EffectiveDomain[];
  readonly view: TrialView;
  readonly received: ReceivedBody | undefined;
  readonly findings: readonly Finding[];
  readonly decisive: Finding | undefined;
  /** The headers alone decided the request. */
  readonly isSettled: boolean;
}

export interface TracedDecision {
  readonly engines: readonly ExplainedEngine[];
  readonly wantedBy: readonly string[];
  readonly maxBytes: number;
  /** An engine waits for a body that the trial does not have. */
  readonly awaitsBody: boolean;
  /** Why the headers show that the body cannot be read, if they do. */
  readonly foreseen: BodyFailure | undefined;
}

/** Describes the verdict of every engine. Asks the engines that the decision did not ask. */
export function describeEngines(taken: TakenDecision): TracedDecision {
  const { policies, view, received } = taken;
  const engines: ExplainedEngine[] = [];
  const effects = new Effects(taken);
  const waiting: { policy: RuntimePolicy; engine: TracedEngine }[] = [];
  const unreadable = new Set<RuntimePolicy>();
  let foreseen: BodyFailure | undefined;
  const describeFailure = (policy: RuntimePolicy, engine: TracedEngine, failure: BodyFailure) => {
    unreadable.add(policy);
    const trace = { verdict: BODY_VERDICTS[failure], failure: undefined, tookMs: 0 };
    const effect = effects.next(policy, 'body', trace);
    engines.push({ ...describe(policy, engine, 'body', { trace, effect, taken }), engine: 'body', limiter: null });
  };
  for (const policy of policies) {
    for (const engine of tracedEnginesOf(policy)) {
      if (engine.headers === undefined) askAnyway(() => engine.decide(view, UNLIMITED));
      const effect = effects.next(policy, engine.name, engine.headers);
      engines.push(describe(policy, engine, 'headers', { trace: engine.headers, effect, taken }));
      if (policy.bodyMaxBytes === 0 || !wantsBody(engine, view)) continue;
      waiting.push({ policy, engine });
      const failure = received === undefined ? undefined : foreseeFailure(view, policy.bodyMaxBytes);
      if (failure === undefined || unreadable.has(policy)) continue;
      foreseen ??= failure;
      describeFailure(policy, engine, failure);
    }
  }
  effects.beginBody();
  for (const { policy, engine } of waiting) {
    if (unreadable.has(policy)) continue;
    if (received === undefined) {
      engines.push({
        ...describe(policy, engine, 'body', { trace: undefined, effect: 'none', taken }),
        verdict: 'body',
      });
      continue;
    }
    const body = received.read(policy.bodyMaxBytes, UNLIMITED);
    if (typeof body === 'string') {
      describeFailure(policy, engine, body);
      continue;
    }
    if (engine.content === undefined) askAnyway(() => engine.body?.decide(view, body, UNLIMITED));
    const effect = effects.next(policy, engine.name, engine.content);
    engines.push(describe(policy, engine, 'body', { trace: engine.content, effect, taken }));
  }
  return {
    engines,
    wantedBy: [...new Set(waiting.map(({ engine }) => engine.name))],
    maxBytes: waiting.reduce((max, { policy }) => Math.max(max, policy.bodyMaxBytes), 0),
    awaitsBody: received === undefined && waiting.length > 0,
    foreseen,
  };
}

/** Follows the decision and determines the effect of each verdict. */
class Effects {
  readonly #taken: TakenDecision;
  #phase: 'headers' | 'body' = 'headers';
  #isOver = false;

  constructor(taken: TakenDecision) {
    this.#taken = taken;
  }

  beginBody(): void {
    this.#phase = 'body';
  }

  next(policy: RuntimePolicy, engine: string, trace: Trace | undefined): ExplainedEffect {
    if (this.#isOver) return 'not_asked';
    const { decisive, isSettled } = this.#taken;
    const decidesHere = isSettled === (this.#phase === 'headers');
    if (decidesHere && decisive?.policy === policy && decisive.engine === engine) {
      this.#isOver = true;
      return 'blocked';
    }
    if (trace?.failure !== undefined) return policy.failMode === 'fail_open' ? 'error' : 'detected';
    return trace?.verdict?.kind === 'block' ? 'detected' : 'none';
  }
}

interface Said {
  readonly trace: Trace | undefined;
  readonly effect: ExplainedEffect;
  readonly taken: TakenDecision;
}

function describe(
  policy: RuntimePolicy,
  engine: TracedEngine,
  phase: 'headers' | 'body',
  { trace, effect, taken }: Said,
): ExplainedEngine {
  const verdict = trace?.verdict;
  const block = verdict?.kind === 'block' ? verdict : undefined;
  const failure = trace?.failure;
  return {
    policy: policy.name,
    route: policy.pathPrefix ?? null,
    engine: engine.name,
    phase,
    mode: policy.mode,
    fail_mode: policy.failMode,
    verdict: failure === undefined ? (verdict?.kind ?? 'allow') : 'error',
    effect,
    reason: block?.reason ?? failure ?? null,
    severity: block?.severity ?? (failure === undefined ? null : 'high'),
    status: block?.status ?? (failure === undefined ? null : 403),
    detail: block?.detail ?? null,
    subject: (verdict?.kind === 'allow' ? verdict.grant?.subject : verdict?.subject) ?? null,
    limiter: phase === 'headers' ? describeLimiter(engine.block, taken) : null,
    took_ms: Math.round((trace?.tookMs ?? 0) * 1000) / 1000,
  };
}

function describeLimiter(block: EngineBlock, { domains, view }: TakenDecision): ExplainedLimiter | null {
  const policies = domains.flatMap(({ policy, routes }) => [policy, ...routes.map((route) => route.policy)]);
  const shared_by = policies.filter(({ engines }) => engines.includes(block)).length;
  if (block.engine === 'api_key') {
    const limit = findKeyLimit(block.options, view);
    if (limit === null) return null;
    const { rate, burst } = limit;
    return { key: 'api_key', header: null, value: null, has_key: true, requests_per_second: rate, burst, shared_by };
  }
  if (block.engine !== 'rate_limit') return null;
  const { key, header, rate, burst } = shareOfFleet(block.options, block.edges);
  const value = key === 'ip' ? view.sourceIp : key === 'host' ? view.host : view.header(header).join(',');
  return {
    key,
    header: key === 'header' ? header : null,
    value: key === 'header' || value === '' ? null : value,
    has_key: value !== '',
    requests_per_second: rate,
    burst,
    shared_by,
  };
}

function tracedEnginesOf(policy: RuntimePolicy): readonly TracedEngine[] {
  return policy.engines.filter((engine) => engine instanceof TracedEngine);
}

function wantsBody(engine: TracedEngine, view: TrialView): boolean {
  if (engine.body === undefined) return false;
  try {
    return engine.body.wants(view);
  } catch {
    // As in the decision: the engine's verdict is unknown, so the body is read.
    return true;
  }
}

/** The trace records what was thrown. */
function askAnyway(ask: () => unknown): void {
  try {
    ask();
  } catch {
    return;
  }
}
