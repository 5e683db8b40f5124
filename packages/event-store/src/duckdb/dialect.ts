import { NUMERIC } from '../columns.ts';
import { type Plan, STEP_MS } from '../query.ts';
import { sketchSql } from '../sketch.ts';
import { type Dialect, HISTOGRAM, ROLLUP_DOUBLES, type WordMatch } from '../sql.ts';
import { KIND_OF, type RollupKind } from './schema.ts';
import type { Words } from './words.ts';

/** A project that the store does not know has no rows. */
export function createDuckDbDialect(words: Words, project: number | undefined): Dialect {
  return {
    source: (plan) => (plan.resolution === 'raw' ? 'events' : rollupSource(plan, project)),
    project: () => (project === undefined ? '1 = 0' : `project = ${project}`),
    word: (column, match) => {
      const ids = project === undefined ? [] : findWords(words, project, column, match);
      return ids.length === 0 ? '1 = 0' : `"${column}" in (${ids.join(', ')})`;
    },
    anyBits: (column, mask) => `("${column}" & ${mask}::${NUMERIC[column] === 'u8' ? 'UTINYINT' : 'UBIGINT'}) <> 0`,
    orBits: (column) => `bit_or("${column}")`,
    u64: (value) => `${value}::UBIGINT`,
  };
}

function findWords(words: Words, project: number, column: string, match: WordMatch): readonly number[] {
  if ('in' in match) return words.findExact(project, column, match.in);
  if ('prefix' in match) return words.find(project, column, (text) => text.startsWith(match.prefix));
  return words.find(project, column, (text) => text.includes(match.contains));
}

/** The rollup, the minutes that it does not have yet, and the events that no rollup has yet: exact at any time. */
function rollupSource({ resolution, from, to, kind: name }: Plan, project: number | undefined): string {
  const kind = KIND_OF[name];
  const inWindow = `"bucket" >= ${from} and "bucket" < ${to} and project = ${project ?? 0}`;
  const table = resolution === 'raw' ? undefined : kind.tables[resolution];
  if (table === undefined) throw new TypeError(`There are no ${name} sums of ${resolution}.`);
  const tables = [table, kind.fresh].map((one) => `select * from ${one} where ${inWindow}`);
  return `(${[...tables, name === 'sketch' ? sketchTailSql(inWindow) : tailSql(kind, inWindow)].join(' union all ')})`;
}

function sketchTailSql(inWindow: string): string {
  return `select * from (${sketchSql('tail', STEP_MS['1h'])}) where ${inWindow}`;
}

function tailSql({ keys, hasLatencies }: RollupKind, inWindow: string): string {
  const classes = hasLatencies ? HISTOGRAM : [];
  const columns = [
    '"timeMs" - "timeMs" % 60000 as "bucket"',
    ...keys.map((name) => `"${name}"`),
    '1 as events',
    'weight as requests',
    ...ROLLUP_DOUBLES.map((name) => `cast("${name.slice(0, -'Sum'.length)}" as double) * weight as "${name}"`),
    '"responseBytes" as "responseBytesMax"',
    '"latencyUs" as "latencyUsMax"',
    'risk as "riskMax"',
    ...classes.map((name, bucket) => `case when "latencyBucket" = ${bucket} then weight else 0 end as ${name}`),
  ];
  return `select * from (select ${columns.join(', ')} from tail) where ${inWindow}`;
}
