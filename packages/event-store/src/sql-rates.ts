import { isWordColumn } from './columns.ts';
import type { Plan } from './query.ts';
import { type Dialect, keySql, stepSql, whereSql } from './sql.ts';

interface RateOptions {
  readonly by: string;
  readonly stepMs: number;
}

/** A row for each value and each minute in which it made requests. Empty values do not count. */
function minutesSql(plan: Plan, { by, stepMs }: RateOptions, dialect: Dialect): string {
  const key = keySql(by);
  const empty = isWordColumn(by) ? dialect.word(by, { in: [''] }) : `${key} = 0`;
  const selected = `${stepSql(plan, stepMs)} as "minute", ${key} as "key", sum(cast(weight as double)) as "perMinute"`;
  return `select ${selected} from ${dialect.source(plan)} where ${whereSql(plan, dialect)} and not (${empty}) group by "minute", "key"`;
}

/** How many minutes had each count of requests, the largest count first. */
export function ratesSql(plan: Plan, options: RateOptions & { readonly limit: number }, dialect: Dialect): string {
  return [
    `select "perMinute", count(*) as "minutes" from (${minutesSql(plan, options, dialect)}) as counted`,
    `group by "perMinute" order by "perMinute" desc limit ${options.limit}`,
  ].join(' ');
}

/** Values and minutes with more requests than `above`, and the requests beyond it. */
export function ratesTotalSql(plan: Plan, options: RateOptions & { readonly above: number }, dialect: Dialect): string {
  const { above } = options;
  return [
    `select count(distinct "key") as "keys", count(*) as "minutes", sum("perMinute") as "requests",`,
    `sum("perMinute" - ${above}) as "excess" from (${minutesSql(plan, options, dialect)}) as counted where "perMinute" > ${above}`,
  ].join(' ');
}
