import type { ExchangeListener } from '../exchange/exchange.ts';

const nothing = (): void => undefined;

/** Hears everything and does nothing: for exchanges that nobody is to know of. */
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
