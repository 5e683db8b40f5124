import type { InventoryOperationSummary, PolicyDraftBody } from '@flotilla/contract';
import { POLICY_DRAFT_OPERATIONS_MAX } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { followFormerPaths, readChunk, resolveMerges, toSummary } from '../inventory/index.ts';
import { type SelectedFindings, selectFindings } from './finding-store.ts';
import type { FindingSkip, SelectedGroup } from './model/plan.ts';

export interface Selected {
  readonly operations: readonly InventoryOperationSummary[];
  /** The findings that the draft is about, by operation. Undefined: no findings were selected. */
  readonly findings: SelectedFindings['open'] | undefined;
  /** Ids of the caller that name no operation that it may see. */
  readonly unknown: readonly string[];
  /** Groups that name no operation, now or before a merge. */
  readonly unknownGroups: readonly SelectedGroup[];
  readonly skippedFindings: readonly FindingSkip[];
  /** More operations match than a draft may be about. */
  readonly isTooLarge: boolean;
}

/**
 * The operations that all parts of a selection name. An operation that is part of another one now stands for that one, and so does a group whose
 * operations all have other paths now.
 */
export async function selectOperations(
  db: Db,
  projectId: string,
  { selection, minSeen, now }: { readonly selection: PolicyDraftBody; readonly minSeen: number; readonly now: Date },
): Promise<Selected> {
  const { operation_ids: given = [], finding_ids: findingIds, groups = [] } = selection;
  const [moved, findings, former] = await Promise.all([
    resolveMerges(db, projectId, given),
    findingIds && selectFindings(db, projectId, findingIds),
    followFormerPaths(
      db,
      projectId,
      groups.map((group) => ({ host: group.host, path: group.normalized_path })),
    ),
  ]);
  const ids = selection.operation_ids && [...new Set(given.map((id) => moved.get(id) ?? id))];
  const wanted = intersect(ids, findings && [...findings.open.keys()]);
  const operations =
    wanted?.length === 0
      ? []
      : await readOperations(db, projectId, {
          selection,
          wanted,
          renamed: former.flatMap((path) => path.now),
          minSeen,
          now,
        });
  const found = new Set(operations.map(({ id }) => id));
  const open = findings && new Map([...findings.open].filter(([operation]) => found.has(operation)));
  const gone = findings === undefined ? [] : [...findings.open].filter(([operation]) => !found.has(operation));
  return {
    operations,
    findings: open,
    unknown: [...new Set(given)].filter((id) => !found.has(moved.get(id) ?? id)),
    unknownGroups: former.flatMap(({ host, path, now: ids }) =>
      ids.length === 0 ? [{ host, normalized_path: path }] : [],
    ),
    skippedFindings: [
      ...(findings?.skipped ?? []),
      ...gone.flatMap(([, list]) => list.map(({ id }): FindingSkip => ({ finding_id: id, reason: 'gone' }))),
    ],
    isTooLarge: operations.length > POLICY_DRAFT_OPERATIONS_MAX,
  };
}

function intersect(a: readonly string[] | undefined, b: readonly string[] | undefined): readonly string[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.filter((id) => b.includes(id));
}

async function readOperations(
  db: Db,
  projectId: string,
  {
    selection: { groups, host, flags },
    wanted: ids,
    renamed,
    minSeen,
    now,
  }: {
    readonly selection: PolicyDraftBody;
    readonly wanted: readonly string[] | undefined;
    /** Operations that groups of the selection are part of now. */
    readonly renamed: readonly string[];
    readonly minSeen: number;
    readonly now: Date;
  },
): Promise<InventoryOperationSummary[]> {
  const filter = {
    ...(ids !== undefined && { ids }),
    ...(flags !== undefined && { risk_flag: [...flags], active: true }),
    ...(minSeen > 0 && { min_seen: minSeen }),
  };
  const also = [
    ...(host === undefined ? [] : [isHost(host)]),
    ...(groups === undefined ? [] : [isInGroups(groups, renamed)]),
    ...(ids === undefined ? [sql<SqlBool>`o.confirmed and not o.is_other`] : []),
  ];
  const rows = await readChunk(db, projectId, {
    filter,
    ...(also.length > 0 && { also: sql<SqlBool>`(${sql.join(also, sql` and `)})` }),
    after: '',
    limit: POLICY_DRAFT_OPERATIONS_MAX + 1,
    now,
  });
  return rows.map(({ state, ...row }) => toSummary(row, state, now));
}

/** At every port, because a policy names none. */
function isHost(host: string): RawBuilder<SqlBool> {
  const name = (text: RawBuilder<unknown>) => sql`rtrim(regexp_replace(lower(${text}), ':[0-9]*$', ''), '.')`;
  return sql<SqlBool>`${name(sql`o.host`)} = ${name(sql`${host}::text`)}`;
}

function isInGroups(groups: readonly SelectedGroup[], renamed: readonly string[]): RawBuilder<SqlBool> {
  const hosts = groups.map(({ host }) => host);
  const paths = groups.map((group) => group.normalized_path);
  const isNamed = sql`(o.host, o.path) in (select * from unnest(${hosts}::text[], ${paths}::text[]))`;
  return sql<SqlBool>`(${isNamed} or o.id = any(${renamed}::text[]))`;
}
