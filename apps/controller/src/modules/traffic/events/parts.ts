import type { TrafficDimension, TrafficGeo } from '@flotilla/contract';
import type { Group } from '@flotilla/event-store';
import { toPercentage } from './answers.ts';
import { toApiValue } from './dimensions.ts';
import type { Largest } from './question.ts';

type Part = TrafficGeo['countries'][number];

/** Groups as shares of `requests`. For columns whose values have no other name. */
export function toParts({ by, groups }: Pick<Largest, 'by' | 'groups'>, requests: number): Part[] {
  return groups.map((group) => toPart(by, group, requests));
}

function toPart(by: TrafficDimension, { values: [stored = ''], requests: own }: Group, requests: number): Part {
  const value = toApiValue(by, stored);
  return { value, label: value, requests: own, percentage: toPercentage(own, requests) };
}
