import {
  type BlockVerdict,
  BODY_VERDICTS,
  type BodyPhase,
  BudgetExceeded,
  type CompiledEngine,
  type Grant,
  type RequestView,
  UNLIMITED,
  type Verdict,
} from '@flotilla/engines';
import { type BlockResponse, ENGINE_ERROR_REASON, ENGINE_TIMEOUT_REASON } from '@flotilla/policy';
import { answeredVerdict } from './answered-verdict.ts';
import type { BodyFailure } from './body/body-failure.ts';
import { foreseeFailure } from './body/foreseen-failure.ts';
import type { ReceivedBody } from './body/received-body.ts';
import type { PolicyRuntime } from './runtime.ts';
import type { RuntimePolicy } from './runtime-policy.ts';
import { TimeBudget } from './time-budget.ts';

/** An objection of an engine, or of the body check, to a request. */
export interface Finding {
  readonly policy: RuntimePolicy;
  /** An engine's name, or `body`. */
  readonly engine: string;
  readonly verdict: BlockVerdict;
  /** `error`: the engine failed or ran out of time, and `fail_open` let the request continue. */
  readonly outcome: 'blocked' | 'detected' | 'error';
}

/** Receives the findings of a decision. Called synchronously; must not throw. `request` is valid only during the call. */
export interface DecisionListener {
  onFinding(finding: Finding, request: RequestView): void;
  /** An engine threw `error`. The effect on the request is reported as a finding. */
  onEngineError(engine: string, error: unknown): void;
}

/** The verdicts for an engine that fails or takes too long. */
const ENGINE_ERROR: BlockVerdict = { kind: 'block', reason: ENGINE_ERROR_REASON, severity: 'high', status: 403 };
const ENGINE_TIMEOUT: BlockVerdict = { ...ENGINE_ERROR, reason: ENGINE_TIMEOUT_REASON };

/** An engine whose verdict depends on the body. */
interface BodyQuestion {
  readonly policy: RuntimePolicy;
  readonly engine: CompiledEngine;
}

const NO_GRANTS: readonly Grant[] = [];

/**
 * The decision on one request.
 *
 * `decideHeaders` runs the header phase. Its answer is final (`allow` or a block) or `body`: then `decideBody` decides
 * with the request's body. The engines of a policy decide in their fixed order. In mode `block` the first block is the
 * answer, and no later engine sees the request; in mode `detect` every engine is asked and each would-be block is
 * recorded. If a path has several readings, the policy of each applies; an engine that they share decides (and counts)
 * once. An engine that throws is subject to the policy's fail mode: `fail_close` turns the failure into a block,
 * `fail_open` continues with the next engine and, later, with the body. An allowed request is counted once, for the
 * policy of the router's reading.
 *
 * The time budget applies to engines with a body phase, because a client can make their work long. Engines that check
 * credentials and count requests are bounded by themselves, and their header verdicts never depend on the clock.
 */
export class Decision {
  /** Cleared once the policies are known, so that a client with a slow body keeps no old bundle in memory. */
  #runtime: PolicyRuntime | undefined;
  readonly #listener: DecisionListener;
  #first: RuntimePolicy | undefined;
  /** Verdicts of this phase; kept only if several readings of the path may share engines. */
  #spoken: Map<CompiledEngine, Verdict | undefined> | undefined;
  #questions: BodyQuestion[] | undefined;
  #grants: readonly Grant[] = NO_GRANTS;
  #budget: TimeBudget | undefined;
  #blockResponse: BlockResponse | undefined;
  #detectedBy: string | undefined;
  #isInspected = false;

  constructor(runtime: PolicyRuntime, listener: DecisionListener) {
    this.#runtime = runtime;
    this.#listener = listener;
  }

  /** Grants of the engines to a request that continues, in decision order and without duplicates. */
  get grants(): readonly Grant[] {
    return this.#grants;
  }

  /** The custom block response of the policy that blocked; undefined for the default. */
  get blockResponse(): BlockResponse | undefined {
    return this.#blockResponse;
  }

  /** The first engine whose block was only recorded, because its policy is in mode detect. */
  get detectedBy(): string | undefined {
    return this.#detectedBy;
  }

  /** Whether an engine looks at the request: the own policy of a domain may have none. */
  get isInspected(): boolean {
    return this.#isInspected;
  }

  /** The largest body, in bytes, that a policy waiting for it accepts. */
  get bodyMaxBytes(): number {
    return (this.#questions ?? []).reduce((max, { policy }) => Math.max(max, policy.bodyMaxBytes), 0);
  }

  /** Returns the block, or how the request continues. `hasBody` is false if the headers end the request. */
  decideHeaders(request: RequestView, hasBody: boolean): BlockVerdict | 'allow' | 'body' {
    if (this.#runtime === undefined) throw new Error('the headers of a request are decided once');
    const policies = this.#runtime.index.findPolicies(request);
    if (policies.length === 0) return 'allow';
    this.#first = policies[0];
    if (policies.length > 1) this.#spoken = new Map();
    for (const policy of policies) {
      if (policy.engines.length > 0) this.#isInspected = true;
      const block = this.#applyHeaders(policy, request, hasBody);
      if (block !== undefined) return block;
    }
    if (this.#questions !== undefined) {
      this.#runtime = undefined;
      return 'body';
    }
    this.#first?.counts.countAllowed();
    return 'allow';
  }

  /** The final decision for a request whose headers were answered with `body`. Undefined allows it. */
  decideBody(request: RequestView, received: ReceivedBody): BlockVerdict | undefined {
    this.#spoken?.clear();
    const unreadable = new Set<RuntimePolicy>();
    for (const { policy, engine } of this.#questions ?? []) {
      if (unreadable.has(policy)) continue;
      const body = this.#readWithin(policy, received);
      let block: BlockVerdict | undefined;
      if (typeof body === 'string') {
        unreadable.add(policy);
        block = this.#judge(policy, 'body', BODY_VERDICTS[body], request);
      } else {
        const known = this.#spoken?.has(engine) === true;
        const verdict = known ? this.#spoken?.get(engine) : this.#askWithin(policy, engine, request, body);
        this.#spoken?.set(engine, verdict);
        if (verdict?.kind === 'block') block = this.#judge(policy, engine.name, verdict, request, known);
      }
      if (block !== undefined) return block;
    }
    this.#first?.counts.countAllowed();
    return undefined;
  }

  #applyHeaders(policy: RuntimePolicy, request: RequestView, hasBody: boolean): BlockVerdict | undefined {
    this.#addGrant(policy.withheld);
    let isUnreadable = false;
    for (const engine of policy.engines) {
      const known = this.#spoken?.has(engine) === true;
      const verdict = known ? this.#spoken?.get(engine) : this.#ask(policy, engine, request);
      this.#spoken?.set(engine, verdict);
      if (verdict?.kind === 'block') {
        const block = this.#judge(policy, engine.name, verdict, request, known);
        if (block !== undefined) return block;
      }
      this.#addGrant(verdict?.kind === 'allow' ? verdict.grant : (verdict?.grant ?? engine.withheld));
      // Also after a failure or a detection, because acceptable headers do not vouch for the body. Engines that work
      // without a body are not asked if the policy does not inspect bodies.
      if (!hasBody || isUnreadable || engine.body === undefined || policy.bodyMaxBytes === 0) continue;
      if (!this.#wantsBody(engine, engine.body, request)) continue;
      const failure = foreseeFailure(request, policy.bodyMaxBytes);
      if (failure === undefined) {
        this.#questions ??= [];
        this.#questions.push({ policy, engine });
        continue;
      }
      // Waiting for the body could not change the verdict; in mode detect the body passes uninspected.
      isUnreadable = true;
      const block = this.#judge(policy, 'body', BODY_VERDICTS[failure], request);
      if (block !== undefined) return block;
    }
    return undefined;
  }

  #ask(policy: RuntimePolicy, engine: CompiledEngine, request: RequestView): Verdict | undefined {
    if (engine.body !== undefined) return this.#askWithin(policy, engine, request, undefined);
    try {
      return engine.decide(request, UNLIMITED);
    } catch (error) {
      return this.#fail(policy, engine, request, error);
    }
  }

  /** Asks an engine under the time budget: its header phase, or its body phase if there is a body. */
  #askWithin(
    policy: RuntimePolicy,
    engine: CompiledEngine,
    request: RequestView,
    body: Buffer | undefined,
  ): Verdict | undefined {
    const budget = this.#beginBudget(policy);
    try {
      if (body === undefined) return engine.decide(request, budget);
      return engine.body?.decide(request, body, budget);
    } catch (error) {
      return this.#fail(policy, engine, request, error);
    } finally {
      budget.end();
    }
  }

  #readWithin(policy: RuntimePolicy, received: ReceivedBody): Buffer | BodyFailure {
    const budget = this.#beginBudget(policy);
    try {
      return received.read(policy.bodyMaxBytes, budget);
    } finally {
      budget.end();
    }
  }

  #beginBudget(policy: RuntimePolicy): TimeBudget {
    this.#budget ??= new TimeBudget(policy.budgetMs);
    this.#budget.begin();
    return this.#budget;
  }

  #wantsBody(engine: CompiledEngine, body: BodyPhase, request: RequestView): boolean {
    try {
      return body.wants(request);
    } catch (error) {
      // The engine's verdict is unknown, so it may still decide with the body.
      this.#listener.onEngineError(engine.name, error);
      return true;
    }
  }

  #fail(policy: RuntimePolicy, engine: CompiledEngine, request: RequestView, error: unknown): Verdict | undefined {
    const verdict = error instanceof BudgetExceeded ? ENGINE_TIMEOUT : ENGINE_ERROR;
    policy.counts.countFinding(engine.name, verdict.reason, 'error');
    this.#listener.onEngineError(engine.name, error);
    if (policy.failMode === 'fail_close') return verdict;
    this.#listener.onFinding({ policy, engine: engine.name, verdict, outcome: 'error' }, request);
    return undefined;
  }

  /** Applies the policy's mode to a would-be block. `isRepeated`: it was already recorded for another reading. */
  #judge(
    policy: RuntimePolicy,
    engine: string,
    spoken: BlockVerdict,
    request: RequestView,
    isRepeated = false,
  ): BlockVerdict | undefined {
    if (policy.mode === 'detect' && isRepeated) return undefined;
    const outcome = policy.mode === 'block' ? 'blocked' : 'detected';
    const { blockResponse } = policy;
    const verdict = blockResponse === undefined ? spoken : answeredVerdict(spoken, blockResponse);
    policy.counts.countFinding(engine, verdict.reason, outcome);
    this.#listener.onFinding({ policy, engine, verdict, outcome }, request);
    if (outcome === 'detected') {
      this.#detectedBy ??= engine;
      return undefined;
    }
    this.#blockResponse = blockResponse;
    return verdict;
  }

  #addGrant(grant: Grant | undefined): void {
    if (grant === undefined || this.#grants.includes(grant)) return;
    this.#grants = this.#grants.length === 0 ? [grant] : [...this.#grants, grant];
  }
}
