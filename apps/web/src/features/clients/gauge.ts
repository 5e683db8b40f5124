import type { Tone } from '../../ui/index.ts';

/** Agents report every 10 s and the controller keeps a sample every 30 s, so four missing ones are no coincidence. */
export const STALE_AFTER_MS = 120_000;

/** A measured share, for a list. */
export interface Gauge {
  /** Formatted as `42.5 %`; a dash without a measurement. */
  readonly text: string;
  /** Fill of the bar, 0 to 100. */
  readonly fill: number;
  readonly tone: Tone;
  /** Whether the value is too old to be current. */
  readonly isStale: boolean;
}

/** Percentages from which the gauge is a warning, or bad. */
export interface Limits {
  readonly warn: number;
  readonly bad: number;
}

/** Load per core: at 100 every core is fully used. */
export const CPU_LIMITS: Limits = { warn: 100, bad: 200 };
export const MEMORY_LIMITS: Limits = { warn: 85, bad: 95 };

export interface Measured {
  readonly percent: number | null;
  readonly at: string | null;
  readonly isConnected: boolean;
}

export function toGauge({ percent, at, isConnected }: Measured, limits: Limits, nowMs: number): Gauge {
  if (percent === null || at === null) return { text: '–', fill: 0, tone: 'quiet', isStale: false };
  const isStale = !isConnected || nowMs - Date.parse(at) > STALE_AFTER_MS;
  const tone = percent >= limits.bad ? 'bad' : percent >= limits.warn ? 'warn' : 'good';
  return {
    text: formatPercent(percent),
    fill: Math.max(0, Math.min(100, percent)),
    tone: isStale ? 'quiet' : tone,
    isStale,
  };
}

/** Formats with one decimal below 100, none above. */
export function formatPercent(percent: number): string {
  return `${percent < 100 ? percent.toFixed(1) : Math.round(percent)} %`;
}
