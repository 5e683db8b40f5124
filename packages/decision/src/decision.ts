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
import { foreseeFailure } from './body/foreseen-failure.ts';
import type { BodyFailure, ReceivedBody } from './body/received-body.ts';
import type { PolicyRuntime, RuntimePolicy } from './runtime.ts';
import { TimeBudget } from './time-budget.ts';

/** Something that an engine, or the body itself, had against a request. */
export interface Finding {
  readonly policy: RuntimePolicy;
  /** An engine's name, or `body`. */
  readonly engine: string;
  readonly verdict: BlockVerdict;
  /** `error`: the engine broke or ran out of time, and `fail_open` let the request go on. */
  readonly outcome: 'blocked' | 'detected' | 'error';
}

/** Hears what a decision found. Called synchronously; must not throw. `request` is valid during the call only. */
export interface DecisionListener {
  onFinding(finding: Finding, request: RequestView): void;
  /** What an engine threw. What becomes of the request is told by a finding. */
  onEngineError(engine: string, error: unknown): void;
}

/** What becomes of an engine that breaks or takes too long. */
const ENGINE_ERROR: BlockVerdict = { kind: 'block', reason: ENGINE_ERROR_REASON, severity: 'high', status: 403 };
const ENGINE_TIMEOUT: BlockVerdict = { ...ENGINE_ERROR, reason: ENGINE_TIMEOUT_REASON };

/** An engine whose verdict waits for the body. */
interface BodyQuestion {
  readonly policy: RuntimePolicy;
  readonly engine: CompiledEngine;
}

const NO_GRANTS: readonly Grant[] = [];

/**
 * The decision over one request.
 *
 * `decideHeaders` asks the header phase; its answer is final (`allow` or a block) or `body`: then the request's body is
 * wanted, and `decideBody` has the last word. The engines of a policy decide in their fixed order. In mode `block` the
 * first block is the answer and no later engine sees the request; in mode `detect` every engine speaks and each would-be
 * block is recorded. A path with several readings is held to the policy of each, and an engine that they share decides
 * (and counts) once. An engine that throws meets the policy's fail mode: `fail_close` makes it a block like any other,
 * `fail_open` goes on with the next engine and, later, with the body. A request that is let through is counted once, for
 * the policy of the router's reading.
 *
 * The time budget binds engines with a body phase, whose work a client can make long. Those that check credentials and
 * count requests are bounded by themselves: what they say of the headers never depends on the clock.
 */
export class Decision {
  /** Until the policies are found: a client that is slow with its body keeps no bundle of the past in memory. */
  #runtime: PolicyRuntime | undefined;
  readonly #listener: DecisionListener;
  #first: RuntimePolicy | undefined;
  /** What engines have said in this phase, where several readings of a path may share them. */
  #spoken: Map<CompiledEngine, Verdict | undefined> | undefined;
  #questions: BodyQuestion[] | undefined;
  #grants: readonly Grant[] = NO_GRANTS;
  #budget: TimeBudget | undefined;
  #blockResponse: BlockResponse | undefined;

  constructor(runtime: PolicyRuntime, listener: DecisionListener) {
    this.#runtime = runtime;
    this.#listener = listener;
  }

  /** What the engines add to a request that goes on, in the order in which they decided, none twice. */
  get grants(): readonly Grant[] {
    return this.#grants;
  }

  /** How the policy that blocked wants its block to be answered; undefined: as the specification says. */
  get blockResponse(): BlockResponse | undefined {
    return this.#blockResponse;
  }

  /** The largest body, in bytes, that a policy which waits for it accepts. */
  get bodyMaxBytes(): number {
    return (this.#questions ?? []).reduce((max, { policy }) => Math.max(max, policy.bodyMaxBytes), 0);
  }

  /** The block that answers the request, or how it goes on. `hasBody` is false when the headers end the request. */
  decideHeaders(request: RequestView, hasBody: boolean): BlockVerdict | 'allow' | 'body' {
    if (this.#runtime === undefined) throw new Error('the headers of a request are decided once');
    const policies = this.#runtime.index.findPolicies(request);
    if (policies.length === 0) return 'allow';
    this.#first = policies[0];
    if (policies.length > 1) this.#spoken = new Map();
    for (const policy of policies) {
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

  /** The last word over a request whose headers were answered `body`. Undefined lets it through. */
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
      // Also after a throw or a detection: what the headers say does not speak for the body.
      // Engines that can do without the body are not told of one that the policy leaves alone.
      if (!hasBody || isUnreadable || engine.body === undefined || policy.bodyMaxBytes === 0) continue;
      if (!this.#wantsBody(engine, engine.body, request)) continue;
      const failure = foreseeFailure(request, policy.bodyMaxBytes);
      if (failure === undefined) {
        this.#questions ??= [];
        this.#questions.push({ policy, engine });
        continue;
      }
      // Nothing is waited for that could change the verdict; in mode detect the body goes on unseen.
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

  /** Asks an engine that the time budget binds: its header phase, or its body phase where there is a body. */
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
      // Nobody knows what the engine would have said: with the body in hand it may say it yet.
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

  /** Gives a would-be block the meaning of the policy's mode. `isRepeated`: it is recorded already, for another reading. */
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
    if (outcome === 'detected') return undefined;
    this.#blockResponse = blockResponse;
    return verdict;
  }

  #addGrant(grant: Grant | undefined): void {
    if (grant === undefined || this.#grants.includes(grant)) return;
    this.#grants = this.#grants.length === 0 ? [grant] : [...this.#grants, grant];
  }
}
