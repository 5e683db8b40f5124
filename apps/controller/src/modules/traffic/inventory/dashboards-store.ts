import {
  INVENTORY_PII_CATEGORIES,
  type InventoryMethod,
  type InventoryPosture,
  RISK_CLASSES,
  RISK_SEVERITIES,
  type RiskSummary,
} from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { bandOf, RISK_BANDS, RISK_FLAG_NAMES, RISK_FLAGS, type RiskFlag } from '@flotilla/inventory';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { readCounts } from './counts-store.ts';
import { hasTerm } from './filter-store.ts';
import { isConfirmed, type OperationQuery, selectMatching } from './list-store.ts';
import { FLAG_BITS } from './model/bits.ts';
import { bitsOf, bitTerms, PII_TERMS, postureOf } from './model/terms.ts';
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
  const counts = await readCounts(db, projectId, { ...query, also: isConfirmed });
  const rows: readonly RiskRow[] =
    counts?.map(({ terms, ...group }) => ({
      ...group,
      flags: bitsOf('flags', terms),
      active_flags: bitsOf('active_flags', terms),
    })) ??
    (await selectMatching(db, projectId, { ...query, also: isConfirmed })
      .groupBy(columns)
      .select([...columns, sql<number>`count(*)`.as('operations')])
      .execute());
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

/** Counts confirmed operations by their authentication. `also` is a condition of the counts. */
export async function countPostures(
  db: Db,
  projectId: string,
  query: Filtered & { readonly also: RawBuilder<SqlBool> },
) {
  const matching = { ...query, also: sql<SqlBool>`(${isConfirmed} and ${query.also})` };
  const counts = await readCounts(db, projectId, matching);
  const rows: readonly { readonly auth_posture: InventoryPosture; readonly operations: number }[] =
    counts?.map(({ terms, operations }) => ({ auth_posture: postureOf(terms), operations })) ??
    (await selectMatching(db, projectId, matching)
      .groupBy('o.auth_posture')
      .select(['o.auth_posture', sql<number>`count(*)`.as('operations')])
      .execute());
  const of = (posture: InventoryPosture) => sum(rows, (row) => row.auth_posture === posture);
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
  const counted = (await countPiiBits(db, projectId, query)).filter(({ operations }) => operations > 0);
  const samples = await readPiiSamples(db, projectId, { ...query, bits: counted.map(({ bit }) => bit) });
  return counted.flatMap(({ bit, operations, active }) => {
    const category = INVENTORY_PII_CATEGORIES[bit];
    return category
      ? [{ category, operation_count: operations, active_count: active, samples: samples.get(bit) ?? [] }]
      : [];
  });
}

/** The operations with each bit of personal data, ever and now, in the order of the bits. */
async function countPiiBits(db: Db, projectId: string, query: Filtered) {
  const matching = { ...query, also: sql<SqlBool>`(${isConfirmed} and ${hasTerm(PII_TERMS)})` };
  const counts = await readCounts(db, projectId, matching);
  const rows: readonly { readonly pii: number; readonly active_pii: number; readonly operations: number }[] =
    counts?.map(({ terms, operations }) => ({
      pii: bitsOf('pii', terms),
      active_pii: bitsOf('active_pii', terms),
      operations,
    })) ??
    (await selectMatching(db, projectId, matching)
      .groupBy(['o.pii', 'o.active_pii'])
      .select(['o.pii', 'o.active_pii', sql<number>`count(*)`.as('operations')])
      .execute());
  return INVENTORY_PII_CATEGORIES.map((_, bit) => ({
    bit,
    operations: sum(rows, ({ pii }) => ((pii >> bit) & 1) === 1),
    active: sum(rows, ({ active_pii }) => ((active_pii >> bit) & 1) === 1),
  }));
}

/** The operations with each of these bits that were seen last. */
async function readPiiSamples(
  db: Db,
  projectId: string,
  { bits, ...query }: Filtered & { readonly bits: readonly number[] },
): Promise<ReadonlyMap<number, readonly PiiSample[]>> {
  if (bits.length === 0) return new Map();
  // One query for each: the planner knows how many operations have a term that it sees.
  const newest = bits.map((bit) => {
    const also = sql<SqlBool>`(${isConfirmed} and ${hasTerm(bitTerms('pii', 2 ** bit))})`;
    const found = selectMatching(db, projectId, { ...query, also })
      .select([sql<number>`${bit}::int`.as('bit'), 'o.id', 'o.method', 'o.host', 'o.path'])
      .orderBy('o.seen_slot', 'desc')
      .orderBy('o.last_seen', 'desc')
      .orderBy('o.id')
      .limit(PII_SAMPLES);
    return sql`(${found})`;
  });
  const { rows } = await sql<
    Omit<PiiSample, 'normalized_path'> & { readonly bit: number; readonly path: string }
  >`${sql.join(newest, sql` union all `)}`.execute(db);
  const samples = rows.map(({ bit, path, ...row }) => ({ bit, sample: { ...row, normalized_path: path } }));
  const byBit = Map.groupBy(samples, ({ bit }) => bit);
  return new Map([...byBit].map(([bit, found]) => [bit, found.map(({ sample }) => sample)]));
}
