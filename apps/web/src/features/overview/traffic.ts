import type { ShieldPoint, ShieldSeries } from '@flotilla/contract';

/** Adds up all steps, including the incomplete one. */
export function sumTraffic({ points }: ShieldSeries): Omit<ShieldPoint, 'at'> {
  const sum = (field: Exclude<keyof ShieldPoint, 'at'>) => points.reduce((total, point) => total + point[field], 0);
  return { allowed: sum('allowed'), blocked: sum('blocked'), detected: sum('detected'), errors: sum('errors') };
}
