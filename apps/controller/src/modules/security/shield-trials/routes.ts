import { type Explanation, fail, type ReplayRecords, type ReplayReport, shieldTrialRoutes } from '@flotilla/contract';
import type { RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { refusePolicy } from '../../configuration/public.ts';
import { readEventRecords } from '../shield-events/index.ts';
import { findPolicySource } from './policy-source.ts';
import type { ReplayJob, TrialAnswer } from './trial-job.ts';
import type { TrialProcesses } from './trial-processes.ts';

export function createShieldTrialRoutes(trials: TrialProcesses, keyring: Keyring): Route[] {
  return [
    implement(shieldTrialRoutes.try, async (ctx, { body }) => {
      const found = await findPolicySource({ db: ctx.db, keyring }, ctx.project.id, body.policies);
      const request = { trusted_hops: found.trustedHops ?? 0, ...body.request };
      const answer = await trials.tries.run(ctx.project.id, {
        kind: 'explain',
        policies: found.policies,
        request,
        requestChars: (body.request.body ?? body.request.body_base64 ?? '').length,
      });
      if (answer.kind !== 'explained') throw refuse(answer);
      const explanation: Explanation = answer.explanation;
      return { body: { ...explanation, warnings: answer.warnings } };
    }),
    implement(shieldTrialRoutes.replay, async (ctx, { body }) => {
      const candidate = await findPolicySource({ db: ctx.db, keyring }, ctx.project.id, body.candidate);
      const baseline =
        body.baseline && (await findPolicySource({ db: ctx.db, keyring }, ctx.project.id, body.baseline));
      const answer = await trials.replays.run(ctx.project.id, {
        kind: 'replay',
        candidate: candidate.policies,
        baseline: baseline?.policies,
        records: await readRecords(ctx, body.records),
        trustedHops: body.trusted_hops ?? candidate.trustedHops ?? 0,
      });
      if (answer.kind !== 'replayed') throw refuse(answer);
      const report: ReplayReport = answer.report;
      return { body: report };
    }),
  ];
}

async function readRecords({ db, project }: RequestContext, records: ReplayRecords): Promise<ReplayJob['records']> {
  if (records.source === 'text') {
    const { text, format = 'auto', name = 'records' } = records;
    return { text, name, format: format === 'auto' ? undefined : format };
  }
  const { from, to, service_id: serviceId } = records;
  const filter = { from, to, ...(serviceId !== undefined && { service_id: [serviceId] }) };
  return { text: await readEventRecords(db, project.id, filter), format: 'jsonl', name: 'events' };
}

/** The error of a trial, the same as for a write of the policy. */
function refuse(answer: TrialAnswer): Error {
  switch (answer.kind) {
    case 'policy':
      return refusePolicy(answer.problems);
    case 'request': {
      const { path, reason } = answer;
      return fail('request.invalid', { reason }, { details: [{ path, rule: 'invalid', message: reason }] });
    }
    default:
      return new Error(`a process answered ${answer.kind} to something else`);
  }
}
