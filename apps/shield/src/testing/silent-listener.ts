import type { ExchangeListener } from '../exchange/exchange.ts';

const nothing = (): void => undefined;

/** Ignores everything, for exchanges that must not be recorded. */
export const SILENT_LISTENER: ExchangeListener = {
  onFinding: nothing,
  onEngineError: nothing,
  onDecided: nothing,
  onBodyInspected: nothing,
  onBodyAsked: nothing,
  onBodyArrived: nothing,
  onBodyCut: nothing,
  onBodyMissing: nothing,
  onBodyIgnored: nothing,
  onBodyAbandoned: nothing,
  onHeadersMissing: nothing,
};
