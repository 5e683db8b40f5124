import { type Explanation, fail, type ReplayRecords, type ReplayReport, shieldTrialRoutes } from '@flotilla/contract';
import type { RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { refusePolicy } from '../../configuration/public.ts';
import { readEventRecords } from '../shield-events/index.ts';
import { findPolicySource } from './policy-source.ts';
import type { ReplayJob, TrialAnswer } from './trial-job.ts';
import type { TrialProcesses } from './trial-processes.ts';

/** Recorded requests of the event store as JSON lines, and what they cover. */
export type ReadTraffic = (
  ctx: RequestContext,
  records: Extract<ReplayRecords, { source: 'traffic' }>,
) => Promise<{ readonly text: string; readonly coverage: NonNullable<ReplayReport['traffic']> }>;

export interface ShieldTrialDeps {
  readonly trials: TrialProcesses;
  readonly keyring: Keyring;
  readonly readTraffic: ReadTraffic;
}

export function createShieldTrialRoutes({ trials, keyring, readTraffic }: ShieldTrialDeps): Route[] {
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
      const { records, coverage } = await readRecords(ctx, body.records, readTraffic);
      const answer = await trials.replays.run(ctx.project.id, {
        kind: 'replay',
        candidate: candidate.policies,
        baseline: baseline?.policies,
        records,
        trustedHops: body.trusted_hops ?? candidate.trustedHops ?? 0,
        enforce: body.enforce ?? false,
      });
      if (answer.kind !== 'replayed') throw refuse(answer);
      const report: ReplayReport = answer.report;
      return { body: coverage === undefined ? report : { ...report, traffic: coverage } };
    }),
  ];
}

interface ReadRecords {
  readonly records: ReplayJob['records'];
  readonly coverage?: ReplayReport['traffic'];
}

async function readRecords(
  ctx: RequestContext,
  records: ReplayRecords,
  readTraffic: ReadTraffic,
): Promise<ReadRecords> {
  if (records.source === 'text') {
    const { text, format = 'auto', name = 'records' } = records;
    return { records: { text, name, format: format === 'auto' ? undefined : format } };
  }
  if (records.source === 'traffic') {
    const { text, coverage } = await readTraffic(ctx, records);
    return { records: { text, format: 'jsonl', name: 'traffic' }, coverage };
  }
  const { from, to, service_id: serviceId } = records;
  const filter = { from, to, ...(serviceId !== undefined && { service_id: [serviceId] }) };
  const text = await readEventRecords(ctx.db, ctx.project.id, filter);
  return { records: { text, format: 'jsonl', name: 'events' } };
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
