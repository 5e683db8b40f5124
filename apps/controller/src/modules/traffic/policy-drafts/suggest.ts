import {
  fail,
  failPolicyDraft,
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
import { readMerged } from '../inventory/index.ts';
import { draftPolicy } from './model/draft.ts';
import { type FindingSkip, groupByPath, type PathGroup, type Skip } from './model/plan.ts';
import { explainFindingSkips, explainSkips, explainUnknownGroups } from './model/skips.ts';
import { type Measured, measurePaths } from './path-traffic.ts';
import { type Selected, selectOperations } from './selection-store.ts';

/** Ids in one condition of the event store. */
const IDS_MAX = 20_000;

const UNMEASURED: Measured = { traffic: new Map(), unmeasured: 0, uncounted: 0 };

/**
 * Drafts a policy for a selection. Throws request.invalid for one that is empty or too large, record.not_found if it names nothing, and
 * policy_draft.nothing_to_do if what it names asks for no rule.
 */
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
  requireOperations(found);
  const { groups, skipped } = groupByPath(found.operations, found.findings);
  const unknown = found.unknown.map((id) => ({ operation_id: id, reason: 'unknown' as const }));
  const factor = body.factor ?? POLICY_DRAFT_FACTOR_DEFAULT;
  const without = source.access.store === undefined ? (source.access.reason ?? 'This controller has none.') : null;
  const measured = without === null ? await measure(ctx, source, { groups, window, parts, factor }) : UNMEASURED;
  const draft = draftPolicy({
    groups,
    skipped: [...unknown, ...skipped],
    parts,
    traffic: measured.traffic,
    factor,
    name: body.name,
  });
  if (!('text' in draft)) throw failNothing(draft.skipped, found.skippedFindings);
  const { notes } = draft;
  notes.push(...explainUnknownGroups(found.unknownGroups));
  if (measured.unmeasured > 0)
    notes.push(`${measured.unmeasured} paths have a default limit: select fewer paths to measure each.`);
  if (measured.uncounted > 0)
    notes.push(`${measured.uncounted} paths have no counts: select fewer paths, or a shorter time.`);
  return { ...draft, skipped_findings: [...found.skippedFindings], from, to, without_traffic: without };
}

function requireSelection({ operation_ids, finding_ids, groups, host, flags }: PolicyDraftBody): void {
  if ([operation_ids, finding_ids, groups, host, flags].every((part) => part === undefined)) {
    throw refuse('operation_ids', 'is required, or finding_ids, groups, host or flags');
  }
}

function requireOperations({ operations, isTooLarge, skippedFindings, unknownGroups }: Selected): void {
  if (isTooLarge)
    throw refuse('operation_ids', `selects more than ${POLICY_DRAFT_OPERATIONS_MAX} operations: narrow it`);
  if (operations.length > 0) return;
  // A finding that is closed exists: it is no error of the caller's ids.
  if (skippedFindings.some(({ reason }) => reason !== 'unknown')) throw failNothing([], skippedFindings);
  const details = explainUnknownGroups(unknownGroups).map((message) => ({ path: 'groups', rule: 'unknown', message }));
  throw fail(
    'record.not_found',
    { kind: 'operation for a draft', name: 'of this selection' },
    details.length > 0 ? { details } : {},
  );
}

function failNothing(skipped: readonly Skip[], findings: readonly FindingSkip[]): Error {
  const all = [...explainSkips(skipped), ...explainFindingSkips(findings)];
  const details = all.map(({ reason, text }) => ({ path: 'selection', rule: reason, message: text }));
  return failPolicyDraft(
    'policy_draft.nothing_to_do',
    { reasons: all.map(({ text }) => text).join(', ') },
    { details },
  );
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
  const merged = await readMerged(ctx.db, ctx.project.id, { ids, max: IDS_MAX });
  return measurePaths(question, groups, { ...options, merged });
}

function refuse(path: string, message: string): Error {
  return fail('request.invalid', { reason: `${path} ${message}` }, { details: [{ path, rule: 'selection', message }] });
}
