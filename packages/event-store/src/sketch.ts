import { SKETCHED } from './columns.ts';

/**
 * Counts of different values in little space (HyperLogLog): a value sets one of 4096 registers to the place of its first bit that is set.
 * Registers of several hours are combined by their maximum. Consumers and sources are keyed hashes, so their bits are random.
 */
export const SKETCH_REGISTERS = 4096;
const REGISTER_BITS = 12;
const RANK_BITS = 40;

/** The registers of events: `project`, `service`, `counted` (the place in `SKETCHED`), `register`, `rank`. */
export function sketchSql(from: string, stepMs: number): string {
  const parts = SKETCHED.map((column, index) => {
    const rest = `(("${column}" >> ${REGISTER_BITS}) & ${2 ** RANK_BITS - 1}::UBIGINT)`;
    const rank = `case when ${rest} = 0 then ${RANK_BITS + 1} else ${RANK_BITS} - cast(floor(log2(${rest})) as integer) end`;
    const keys = `"timeMs" - "timeMs" % ${stepMs} as "bucket", project, service, ${index} as counted`;
    const register = `"${column}" & ${SKETCH_REGISTERS - 1}::UBIGINT as register`;
    return `select ${keys}, ${register}, ${rank} as "rank" from ${from} where "${column}" <> 0`;
  });
  return mergeSketchSql(`(${parts.join(' union all ')})`, stepMs);
}

export function mergeSketchSql(from: string, stepMs: number): string {
  const keys = `"bucket" - "bucket" % ${stepMs} as "bucket", project, service, counted, register`;
  return `select ${keys}, max("rank") as "rank" from ${from} group by all`;
}

/** How many different values set these registers. */
export function estimateDistinct(ranks: readonly number[]): number {
  const m = SKETCH_REGISTERS;
  const empty = m - ranks.length;
  const sum = ranks.reduce((total, rank) => total + 2 ** -rank, empty);
  const estimate = ((0.7213 / (1 + 1.079 / m)) * m * m) / sum;
  // Few values are counted better by the registers that nobody has set.
  return Math.round(estimate <= 2.5 * m && empty > 0 ? m * Math.log(m / empty) : estimate);
}
