import type { InventoryOperationSummary, RiskFlagEntry, TrafficEvent } from '@flotilla/contract';
import type { StateProps, Tone } from '../../ui/state.tsx';
import { texts } from './texts.tsx';

export type Band = InventoryOperationSummary['risk_band'];
export type Severity = RiskFlagEntry['severity'];
export type Posture = InventoryOperationSummary['auth_posture'];

type Look = Required<Pick<StateProps, 'word' | 'tone' | 'shape'>>;

export const BAND_LOOKS: Readonly<Record<Band, Look>> = {
  none: { word: texts.bands.none, tone: 'quiet', shape: 'ring' },
  low: { word: texts.bands.low, tone: 'quiet', shape: 'full' },
  medium: { word: texts.bands.medium, tone: 'warn', shape: 'half' },
  high: { word: texts.bands.high, tone: 'bad', shape: 'half' },
  critical: { word: texts.bands.critical, tone: 'bad', shape: 'triangle' },
};

export const SEVERITY_LOOKS: Readonly<Record<Severity, Look>> = {
  info: { word: texts.severities.info, tone: 'quiet', shape: 'ring' },
  low: { word: texts.severities.low, tone: 'quiet', shape: 'full' },
  medium: { word: texts.severities.medium, tone: 'warn', shape: 'half' },
  high: { word: texts.severities.high, tone: 'bad', shape: 'half' },
  critical: { word: texts.severities.critical, tone: 'bad', shape: 'triangle' },
};

export const POSTURE_LOOKS: Readonly<Record<Posture, Look>> = {
  authenticated: { word: texts.postures.authenticated, tone: 'good', shape: 'full' },
  anonymous: { word: texts.postures.anonymous, tone: 'warn', shape: 'ring' },
  inconsistent: { word: texts.postures.inconsistent, tone: 'bad', shape: 'triangle' },
  mixed: { word: texts.postures.mixed, tone: 'warn', shape: 'half' },
  unknown: { word: texts.postures.unknown, tone: 'quiet', shape: 'ring' },
};

/** Classes of statuses. */
export const STATUS_TONES: Readonly<Record<TrafficEvent['status_class'], Tone>> = {
  '1xx': 'busy',
  '2xx': 'good',
  '3xx': 'quiet',
  '4xx': 'warn',
  '5xx': 'bad',
  none: 'quiet',
};

/** Share of 5xx from which an operation stands out (specification, "Listing columns"). */
const ERRORS_BAD = 0.01;
const ERRORS_WARN = 0.001;

export function toneOfErrors(rate: number): 'bad' | 'warn' | undefined {
  if (rate >= ERRORS_BAD) return 'bad';
  return rate >= ERRORS_WARN ? 'warn' : undefined;
}

const FRESH_MS = 3_600_000;

/** Whether an operation was seen within the last hour. `now` is in ms. */
export function isFresh(lastSeen: string, now: number): boolean {
  return now - Date.parse(lastSeen) < FRESH_MS;
}

/** Milliseconds below one second, and seconds from there on. */
export function formatLatency(ms: number | null): string {
  if (ms === null) return texts.unknown;
  if (ms >= 1000) return texts.seconds((ms / 1000).toFixed(ms >= 10_000 ? 1 : 2));
  return texts.milliseconds(ms >= 100 || Number.isInteger(ms) ? Math.round(ms).toLocaleString('en') : ms.toFixed(1));
}
