import { texts } from './texts.tsx';

const text = texts.ranges;
export interface TrafficRange {
  readonly id: string;
  readonly label: string;
  /** Part of a sentence: "in the last hour". */
  readonly words: string;
  readonly ms: number;
  readonly stepS: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const HOUR: TrafficRange = { id: '1h', label: '1 h', words: text.hour.inWords, ms: HOUR_MS, stepS: 60 };

/** Selectable ranges, with steps that give each at most 300 points. */
export const TRAFFIC_RANGES: readonly TrafficRange[] = [
  {
    id: '15m',
    label: text.trafficRanges.quarter,
    words: text.trafficRanges.quarterInWords,
    ms: 15 * MINUTE_MS,
    stepS: 60,
  },
  HOUR,
  { id: '24h', label: '24 h', words: text.trafficRanges.dayInWords, ms: DAY_MS, stepS: 300 },
  { id: '7d', label: '7 d', words: text.trafficRanges.weekInWords, ms: 7 * DAY_MS, stepS: 3600 },
];

export function toRange(id: string | undefined): TrafficRange {
  return TRAFFIC_RANGES.find((range) => range.id === id) ?? HOUR;
}

export function stepWords(stepS: number): string {
  const minutes = Math.round(stepS / 60);
  if (minutes === 1) return text.stepWords.perMinute;
  if (minutes === 60) return text.stepWords.perHour;
  return minutes % 60 === 0 ? text.stepWords.perHours(minutes / 60) : text.stepWords.perMinutes(minutes);
}
