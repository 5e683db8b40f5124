import { BODY_VERDICTS, ENGINE_REASONS } from '@flotilla/engines';
import { ENGINE_ERROR_REASON, ENGINE_TIMEOUT_REASON } from '@flotilla/policy';

/** A possible kind of finding. The set is closed and known at build time. */
export interface FindingRow {
  readonly engine: string;
  readonly reason: string;
  readonly severity: string;
}

/** Every row, in an order that all threads of a process share. */
export const FINDING_ROWS: readonly FindingRow[] = [
  ...Object.entries(ENGINE_REASONS).flatMap(([engine, reasons]) => [
    ...reasons.map(({ reason, severity }) => ({ engine, reason, severity })),
    { engine, reason: ENGINE_ERROR_REASON, severity: 'high' },
    { engine, reason: ENGINE_TIMEOUT_REASON, severity: 'high' },
  ]),
  ...Object.values(BODY_VERDICTS).map(({ reason, severity }) => ({ engine: 'body', reason, severity })),
];
