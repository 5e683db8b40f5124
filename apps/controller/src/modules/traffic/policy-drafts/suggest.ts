import {
  fail,
  POLICY_DRAFT_FACTOR_DEFAULT,
  POLICY_DRAFT_OPERATIONS_MAX,
  POLICY_DRAFT_SEEN_DEFAULT,
  POLICY_DRAFT_WINDOW_MS,
  type PolicyDraft,
  type PolicyDraftBody,
  type PolicyDraftPart,
} from '@flotilla/contract';
import type { RequestContext } from '../../../platform/http/context.ts';
import { type EventSource, parseWindow, Question } from '../events/index.ts';
import { draftPolicy } from './model/draft.ts';
import { groupByPath, type PathGroup } from './model/plan.ts';
import { type Measured, measurePaths } from './path-traffic.ts';
import { selectOperations } from './selection-store.ts';

const UNMEASURED: Measured = { traffic: new Map(), unmeasured: 0 };

/** Drafts a policy for a selection. Throws request.invalid for one that is empty or too large, and record.not_found if it names nothing. */
export async function suggestPolicy(
  ctx: RequestContext,
  source: EventSource,
  body: PolicyDraftBody,
): Promise<PolicyDraft> {
  requireSelection(body);
  const parts = new Set<PolicyDraftPart>(body.parts ?? ['findings']);
  const minSeen = body.min_seen ?? (parts.has('positive_model') ? POLICY_DRAFT_SEEN_DEFAULT : 1);
  const { to = ctx.now.toISOString() } = body;
  const { from = new Date(Date.parse(to) - POLICY_DRAFT_WINDOW_MS).toISOString() } = body;
  const window = parseWindow({ from, to }, ctx.now);
  const found = await selectOperations(ctx.db, ctx.project.id, { selection: body, minSeen, now: ctx.now });
  if (found.isTooLarge)
    throw refuse('operation_ids', `selects more than ${POLICY_DRAFT_OPERATIONS_MAX} operations: narrow it`);
  const { groups, skipped } = groupByPath(found.operations);
  const unknown = found.unknown.map((id) => ({ operation_id: id, reason: 'unknown' as const }));
  const factor = body.factor ?? POLICY_DRAFT_FACTOR_DEFAULT;
  const without = source.access.store === undefined ? (source.access.reason ?? 'This controller has none.') : null;
  const measured = without === null ? await measure(ctx, source, { groups, window, parts, factor }) : UNMEASURED;
  const draft = draftPolicy({ groups, skipped: [...unknown, ...skipped], parts, traffic: measured.traffic, factor });
  if (draft === undefined) throw fail('record.not_found', { kind: 'operation for a draft', name: 'of this selection' });
  const { notes } = draft;
  if (measured.unmeasured > 0)
    notes.push(`${measured.unmeasured} paths have a default limit: select fewer paths to measure each.`);
  return { ...draft, from, to, without_traffic: without };
}

function requireSelection({ operation_ids: ids, groups, host, flags }: PolicyDraftBody): void {
  if (ids === undefined && groups === undefined && host === undefined && flags === undefined) {
    throw refuse('operation_ids', 'is required, or groups, host or flags');
  }
}

async function measure(
  ctx: RequestContext,
  source: EventSource,
  {
    groups,
    window,
    ...options
  }: {
    readonly groups: readonly PathGroup[];
    readonly window: { readonly from: number; readonly to: number };
    readonly parts: ReadonlySet<PolicyDraftPart>;
    readonly factor: number;
  },
): Promise<Measured> {
  const ids = groups.flatMap(({ operations }) => operations.map(({ id }) => id));
  if (ids.length === 0) return UNMEASURED;
  const question = await Question.open(ctx, source, { ...window, filter: { operation_id: ids } });
  return measurePaths(question, groups, options);
}

function refuse(path: string, message: string): Error {
  return fail('request.invalid', { reason: `${path} ${message}` }, { details: [{ path, rule: 'selection', message }] });
}
