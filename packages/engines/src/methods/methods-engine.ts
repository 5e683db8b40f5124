import type { MethodsOptions } from '@flotilla/policy';
import {
  ALLOW,
  type BlockReason,
  type BlockVerdict,
  type BodyPhase,
  type CompiledEngine,
  type Verdict,
} from '../engine.ts';
import { AllowedMethods, type MethodFault } from '../method-overrides/allowed-methods.ts';

const NOT_ALLOWED = { reason: 'method.not_allowed', severity: 'medium' } as const;

export const METHODS_REASONS: readonly BlockReason[] = [NOT_ALLOWED];

/** Allows only some methods, also those that an upstream would use because of a header, a parameter or a field. */
export function createMethodsEngine({ allow }: MethodsOptions): CompiledEngine {
  const methods = new AllowedMethods(allow);
  const listed = `allowed are ${allow.join(', ')}`;
  const block = (detail: string): BlockVerdict => ({ kind: 'block', ...NOT_ALLOWED, status: 403, detail });
  const verdicts: Readonly<Record<MethodFault, BlockVerdict>> = {
    method: block(listed),
    override: block(`${listed}; the request overrides its method`),
    unread: block(`${listed}; nobody can tell whether the body overrides its method`),
  };
  const judge = (fault: MethodFault | undefined): Verdict => (fault === undefined ? ALLOW : verdicts[fault]);
  const body: BodyPhase = {
    wants: (request) => methods.wantsBody(request),
    decide: (request, bytes, budget) => judge(methods.findBodyFault(request, bytes, budget)),
  };
  return {
    name: 'methods',
    decide: (request) => judge(methods.findFault(request)),
    body,
    withheld: undefined,
    limiter: undefined,
  };
}
