import { refuseQuery } from './errors.ts';
import type { EventStore, ProjectId, Rates } from './port.ts';
import { checkDimension, planRange, STEP_MS } from './query.ts';
import { type Context, toRead } from './read-context.ts';
import { ratesSql, ratesTotalSql } from './sql-rates.ts';

/** Different counts of a minute that an answer lists, the largest first. */
export const RATES_MAX = 5_000;

/** Counts each value of a column minute by minute, and the values and minutes above a limit. */
export async function readRates(
  context: Context,
  project: ProjectId,
  { by: name, above, ...range }: Parameters<EventStore['rates']>[1],
): Promise<Rates> {
  const by = checkDimension(name);
  if (above !== undefined && !(Number.isSafeInteger(above) && above >= 0)) {
    throw refuseQuery('The limit of a minute is a whole number from zero.');
  }
  const plan = planRange({ ...range, resolution: 'raw' }, [by]);
  const options = { by, stepMs: STEP_MS['1m'] };
  const readTotal = async (limit: number) => {
    const [row] = await context.query(project, (dialect) => ratesTotalSql(plan, { ...options, above: limit }, dialect));
    return {
      values: Number(row?.keys ?? 0),
      minutes: Number(row?.minutes ?? 0),
      requests: Number(row?.requests ?? 0),
      excess: Number(row?.excess ?? 0),
    };
  };
  if (above !== undefined) return { ...toRead(plan, []), ...(await readTotal(above)), hasMore: false };
  const total = await readTotal(0);
  const rows = await context.query(project, (dialect) => ratesSql(plan, { ...options, limit: RATES_MAX + 1 }, dialect));
  const data = rows
    .slice(0, RATES_MAX)
    .map((row) => ({ perMinute: Number(row.perMinute), minutes: Number(row.minutes) }));
  return { ...toRead(plan, data), ...total, hasMore: rows.length > RATES_MAX };
}
