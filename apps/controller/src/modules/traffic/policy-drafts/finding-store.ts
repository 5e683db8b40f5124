import { FINDING_OPEN_STATES, type FindingState } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { resolveMerges } from '../inventory/index.ts';
import type { FindingSkip, SelectedFinding } from './model/plan.ts';

export interface SelectedFindings {
  /** Open findings by the operation that has their requests now. */
  readonly open: ReadonlyMap<string, readonly SelectedFinding[]>;
  readonly skipped: readonly FindingSkip[];
}

/** `db` shows only the findings that the caller may see: others are unknown. */
export async function selectFindings(db: Db, projectId: string, given: readonly string[]): Promise<SelectedFindings> {
  const ids = [...new Set(given)];
  const rows = await db
    .selectFrom('inventory_findings')
    .select(['id', 'operation_id', 'flag', 'state'])
    .where('project_id', '=', projectId)
    .where('id', 'in', ids)
    .orderBy('id')
    .execute();
  const known = new Set(rows.map(({ id }) => id));
  const unknown = ids.flatMap((id): FindingSkip[] => (known.has(id) ? [] : [{ finding_id: id, reason: 'unknown' }]));
  const openRows = rows.filter(({ state }) => isOpen(state));
  const closed = rows.flatMap(({ id, state }): FindingSkip[] =>
    isOpen(state) ? [] : [{ finding_id: id, reason: state === 'operation_gone' ? 'gone' : 'closed' }],
  );
  const merges = await resolveMerges(
    db,
    projectId,
    openRows.map((row) => row.operation_id),
  );
  const open = new Map<string, SelectedFinding[]>();
  for (const { id, flag, operation_id: seen } of openRows) {
    const operation = merges.get(seen) ?? seen;
    open.set(operation, [...(open.get(operation) ?? []), { id, flag }]);
  }
  return { open, skipped: [...unknown, ...closed] };
}

function isOpen(state: FindingState): boolean {
  return (FINDING_OPEN_STATES as readonly FindingState[]).includes(state);
}
