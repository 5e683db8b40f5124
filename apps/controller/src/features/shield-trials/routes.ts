import { type Explanation, fail, shieldTrialRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../http/route.ts';
import { refusePolicy } from '../policies/index.ts';
import { findPolicySource } from './policy-source.ts';
import type { TrialAnswer } from './trial-job.ts';
import type { TrialThreads } from './trial-threads.ts';

export function createShieldTrialRoutes(threads: TrialThreads): Route[] {
  return [
    implement(shieldTrialRoutes.try, async (ctx, { body }) => {
      const found = await findPolicySource(ctx.db, ctx.project.id, body.policies);
      const request = { trusted_hops: found.trustedHops ?? 0, ...body.request };
      const answer = await threads.tries.run(ctx.project.id, { kind: 'explain', policies: found.policies, request });
      if (answer.kind !== 'explained') throw refuse(answer);
      const explanation: Explanation = answer.explanation;
      return { body: { ...explanation, warnings: answer.warnings } };
    }),
  ];
}

/** What is wrong with a trial, as for a write of the same policy. */
function refuse(answer: TrialAnswer): Error {
  switch (answer.kind) {
    case 'policy':
      return refusePolicy(answer.problems);
    case 'request': {
      const { path, reason } = answer;
      return fail('request.invalid', { reason }, { details: [{ path, rule: 'invalid', message: reason }] });
    }
    default:
      return new Error(`a thread answered ${answer.kind} to something else`);
  }
}
