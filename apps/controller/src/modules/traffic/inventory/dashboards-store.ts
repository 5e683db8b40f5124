import {
  INVENTORY_PII_CATEGORIES,
  type InventoryMethod,
  RISK_CLASSES,
  RISK_SEVERITIES,
  type RiskSummary,
} from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { bandOf, RISK_BANDS, RISK_FLAG_NAMES, RISK_FLAGS, type RiskFlag } from '@flotilla/inventory';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isConfirmed, type OperationQuery, selectMatching } from './list-store.ts';
import { FLAG_BITS } from './model/bits.ts';
import { bySeverity } from './model/view.ts';

type Filtered = Pick<OperationQuery, 'filter' | 'now'>;

interface RiskRow {
  readonly flags: number;
  readonly active_flags: number;
  readonly risk: number;
  readonly posture_risk: number;
  readonly active_risk: number;
  readonly active_posture_risk: number;
  readonly operations: number;
}

/** Counts operations by flag, class, severity and band. Operations with the same flags and scores are one row of the query. */
export async function summarizeRisk(db: Db, projectId: string, query: Filtered): Promise<RiskSummary> {
  const columns = [
    'o.flags',
    'o.active_flags',
    'o.risk',
    'o.posture_risk',
    'o.active_risk',
    'o.active_posture_risk',
  ] as const;
  const rows = await selectMatching(db, projectId, { ...query, also: isConfirmed })
    .groupBy(columns)
    .select([...columns, sql<number>`count(*)`.as('operations')])
    .execute();
  const sets = rows.map((row) => ({
    ...row,
    ever: new Set(FLAG_BITS.toNames(row.flags)),
    now: new Set(FLAG_BITS.toNames(row.active_flags)),
  }));
  const countWith = (matches: (flag: RiskFlag) => boolean) => ({
    operations: sum(sets, ({ ever }) => [...ever].some(matches)),
    active_operations: sum(sets, ({ now }) => [...now].some(matches)),
  });
  const isFinding = (flag: RiskFlag) => RISK_FLAGS[flag].severity !== 'info';
  const flagged = countWith(isFinding);
  return {
    total_operations: sum(rows, () => true),
    flagged_operations: flagged.operations,
    active_flagged_operations: flagged.active_operations,
    by_flag: [...RISK_FLAG_NAMES].toSorted(bySeverity).map((flag) => {
      const { severity, class: riskClass, axis } = RISK_FLAGS[flag];
      return { flag, severity, class: riskClass, axis, ...countWith((one) => one === flag) };
    }),
    by_class: RISK_CLASSES.map((name) => ({ class: name, ...countWith((flag) => RISK_FLAGS[flag].class === name) })),
    by_severity: RISK_SEVERITIES.map((severity) => ({
      severity,
      ...countWith((flag) => RISK_FLAGS[flag].severity === severity),
    })),
    by_band: countBands(rows),
  };
}

function countBands(rows: readonly RiskRow[]): RiskSummary['by_band'] {
  return RISK_BANDS.map(({ band }) => ({
    band,
    threat: sum(rows, ({ risk }) => bandOf(risk) === band),
    exposure: sum(rows, ({ posture_risk }) => bandOf(posture_risk) === band),
    active_threat: sum(rows, ({ active_risk }) => bandOf(active_risk) === band),
    active_exposure: sum(rows, ({ active_posture_risk }) => bandOf(active_posture_risk) === band),
  }));
}

function sum<Row extends { readonly operations: number }>(
  rows: readonly Row[],
  matches: (row: Row) => boolean,
): number {
  return rows.reduce((total, row) => total + (matches(row) ? row.operations : 0), 0);
}

/** Counts confirmed operations by their authentication. */
export async function countPostures(
  db: Db,
  projectId: string,
  query: Filtered & { readonly also: RawBuilder<SqlBool> },
) {
  const rows = await selectMatching(db, projectId, { ...query, also: sql<SqlBool>`(${isConfirmed} and ${query.also})` })
    .groupBy('o.auth_posture')
    .select(['o.auth_posture', sql<number>`count(*)`.as('operations')])
    .execute();
  const counts = new Map(rows.map((row) => [row.auth_posture, row.operations]));
  const of = (posture: (typeof rows)[number]['auth_posture']) => counts.get(posture) ?? 0;
  return {
    operations: sum(rows, () => true),
    authenticated: of('authenticated'),
    unauthenticated: of('anonymous'),
    inconsistent: of('inconsistent'),
    mixed: of('mixed'),
    unknown: of('unknown'),
  };
}

const PII_SAMPLES = 5;

interface PiiSample {
  readonly id: string;
  readonly method: InventoryMethod;
  readonly host: string;
  readonly normalized_path: string;
}

/** Counts confirmed operations by category of personal data, with those of the latest traffic. */
export async function countPii(db: Db, projectId: string, query: Filtered) {
  const has = (column: 'pii' | 'active_pii') => sql<SqlBool>`o.${sql.ref(column)} & (1 << c.bit) <> 0`;
  const matching = selectMatching(db, projectId, { ...query, also: sql<SqlBool>`(${isConfirmed} and o.pii <> 0)` });
  const { rows } = await sql<{ bit: number; operations: number; active: number; samples: PiiSample[] | null }>`
    with found as materialized (${matching.select(['o.id', 'o.method', 'o.host', 'o.path', 'o.pii', 'o.active_pii', 'o.last_seen'])})
    select c.bit,
      (select count(*) from found o where ${has('pii')}) as operations,
      (select count(*) from found o where ${has('active_pii')}) as active,
      (select jsonb_agg(jsonb_build_object('id', s.id, 'method', s.method, 'host', s.host, 'normalized_path', s.path))
       from (select * from found o where ${has('pii')} order by o.last_seen desc, o.id limit ${PII_SAMPLES}) s) as samples
    from generate_series(0, ${INVENTORY_PII_CATEGORIES.length - 1}) as c(bit) order by c.bit`.execute(db);
  return rows.flatMap(({ bit, operations, active, samples }) => {
    const category = INVENTORY_PII_CATEGORIES[bit];
    return category && operations > 0
      ? [{ category, operation_count: operations, active_count: active, samples: samples ?? [] }]
      : [];
  });
}
