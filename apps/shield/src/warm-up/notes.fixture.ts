import type { Finding } from '@flotilla/decision';
import type { ExchangeListener } from '../exchange/exchange.ts';

const nothing = (): void => undefined;

/** Results of the requests of a warm-up. */
export class Notes implements ExchangeListener {
  decided = 0;
  errors = 0;
  readonly reasons = new Set<string>();
  readonly onBodyInspected = nothing;
  readonly onBodyAsked = nothing;
  readonly onBodyArrived = nothing;
  readonly onBodyCut = nothing;
  readonly onBodyMissing = nothing;
  readonly onBodyIgnored = nothing;
  readonly onBodyAbandoned = nothing;
  readonly onHeadersMissing = nothing;

  onDecided(): void {
    this.decided += 1;
  }
  onFinding({ verdict }: Finding): void {
    this.reasons.add(verdict.reason);
  }
  onEngineError(): void {
    this.errors += 1;
  }
}
