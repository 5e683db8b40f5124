import type { BlockVerdict, CompiledEngine, RequestView, Verdict } from '@flotilla/engines';
import { ENGINE_ERROR_REASON, type FailMode } from '@flotilla/policy';
import type { PolicyRuntime, RuntimePolicy } from './runtime.ts';

/** Hears what a decision found. Called synchronously; must not throw. */
export interface DecisionListener {
  onBlock(engine: string, verdict: BlockVerdict): void;
  onDetection(engine: string, verdict: BlockVerdict): void;
  onEngineError(engine: string, failMode: FailMode, error: unknown): void;
}

/** What a policy with `fail_close` says when an engine breaks. */
export const ENGINE_ERROR: BlockVerdict = { kind: 'block', reason: ENGINE_ERROR_REASON, severity: 'high', status: 403 };

/**
 * Decides one request: undefined lets it through.
 *
 * The engines of the policy decide in their fixed order. In mode `block` the first block is the answer and no later
 * engine sees the request; in mode `detect` every engine speaks and each would-be block is counted. A path with several
 * readings is held to the policy of each, and an engine that they share decides (and counts) once. An engine that throws
 * meets the policy's fail mode: `fail_close` makes it a block like any other, `fail_open` goes on with the next engine.
 * A request that is let through is counted once, for the policy of the router's reading.
 */
export function decide(
  runtime: PolicyRuntime,
  request: RequestView,
  listener: DecisionListener,
): BlockVerdict | undefined {
  const domain = runtime.index.findDomain(request.host);
  if (domain === undefined) return undefined;
  const policies = domain.findPolicies(request.paths);
  const spoken = policies.length > 1 ? new Map<CompiledEngine, Verdict | undefined>() : undefined;
  for (const policy of policies) {
    const block = applyPolicy(policy, request, listener, spoken);
    if (block !== undefined) return block;
  }
  const first = policies[0];
  if (first !== undefined) first.counts.allowed += 1;
  return undefined;
}

function applyPolicy(
  policy: RuntimePolicy,
  request: RequestView,
  listener: DecisionListener,
  spoken: Map<CompiledEngine, Verdict | undefined> | undefined,
): BlockVerdict | undefined {
  for (const engine of policy.engines) {
    const known = spoken?.has(engine) === true;
    const verdict = known ? spoken?.get(engine) : ask(engine, policy, request, listener);
    spoken?.set(engine, verdict);
    if (verdict?.kind !== 'block') continue;
    if (policy.mode === 'block') {
      policy.counts.countFinding(engine.name, verdict.reason, 'blocked');
      listener.onBlock(engine.name, verdict);
      return verdict;
    }
    if (known) continue;
    policy.counts.countFinding(engine.name, verdict.reason, 'detected');
    listener.onDetection(engine.name, verdict);
  }
  return undefined;
}

function ask(
  engine: CompiledEngine,
  policy: RuntimePolicy,
  request: RequestView,
  listener: DecisionListener,
): Verdict | undefined {
  try {
    return engine.decide(request);
  } catch (error) {
    policy.counts.countFinding(engine.name, ENGINE_ERROR.reason, 'error');
    listener.onEngineError(engine.name, policy.failMode, error);
    return policy.failMode === 'fail_close' ? ENGINE_ERROR : undefined;
  }
}
