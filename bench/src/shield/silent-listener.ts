import type { ExchangeListener } from '../../../apps/shield/src/exchange/exchange.ts';

const nothing = (): void => undefined;

/** Hears everything and does nothing: what is measured is the decision. */
export const SILENT_LISTENER: ExchangeListener = {
  onFinding: nothing,
  onEngineError: nothing,
  onDecided: nothing,
  onBodyInspected: nothing,
  onBodyAsked: nothing,
  onBodyArrived: nothing,
  onBodyCut: nothing,
  onBodyMissing: nothing,
  onBodyAbandoned: nothing,
  onHeadersMissing: nothing,
};
