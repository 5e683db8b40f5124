import type { Logger } from '@flotilla/kit';

export interface ShieldIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** Aborts when the program must end: exchanges are drained, then the run resolves. */
  readonly signal: AbortSignal;
  /** Default: one line of JSON per event on stdout. */
  readonly logger?: Logger;
}

export const EXIT_OK = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
