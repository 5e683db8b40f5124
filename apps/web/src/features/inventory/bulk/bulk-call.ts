import { INVENTORY_CHANGE_MAX, type InventoryOperationSummary } from '@flotilla/contract';
import { call, routes } from '../../../api/index.ts';
import { texts } from './texts.tsx';

export type BulkName = keyof typeof texts.actions;

export interface BulkInput {
  readonly name: BulkName;
  readonly project: string;
  /** Undefined: all operations of the project. */
  readonly filtered: { readonly isAttack: boolean; readonly query: Readonly<Record<string, unknown>> } | undefined;
  readonly days: number;
}

export interface BulkAnswer {
  readonly count: number;
  /** For stale operations: they were last seen before this time. */
  readonly cutoff?: string;
}

/** Runs the action, or counts what it would change. */
export async function callBulk(input: BulkInput, isDryRun: boolean): Promise<BulkAnswer> {
  const query = { project: input.project, ...(isDryRun && { dry_run: 'true' as const }) };
  switch (input.name) {
    case 'stale': {
      const { body } = await call(routes.inventoryAction.cleanupStale, { query: { ...query, days: input.days } });
      return { count: body.deleted_count, cutoff: body.cutoff };
    }
    case 'rebaseline': {
      const { body } = await call(routes.inventoryAction.rebaselineScores, { query });
      return { count: body.modified_count };
    }
    case 'reset':
    case 'delete': {
      const operations = await listSelected(input);
      if (operations !== 'all' && operations.length === 0) return { count: 0 };
      const route = input.name === 'reset' ? routes.inventoryAction.resetMany : routes.inventoryAction.deleteMany;
      const { body } = await call(route, { query, body: { operations } });
      return { count: body.changed };
    }
  }
}

async function listSelected({ project, filtered }: BulkInput): Promise<'all' | string[]> {
  if (filtered === undefined) return 'all';
  const { sort: _, ...query } = filtered.query;
  const route = filtered.isAttack ? routes.inventory.attackSurface : routes.inventory.list;
  const input = { query: { ...query, project, limit: INVENTORY_CHANGE_MAX } } as never;
  const { body } = await call(route, input);
  if (body.next_cursor !== null) throw new Error(texts.tooMany(INVENTORY_CHANGE_MAX));
  return body.items.map(({ id }: InventoryOperationSummary) => id);
}
