export { applyBatches } from '../apply-store.ts';
export { createDelta } from './deltas.ts';
export { applyRestricted } from './restricted-operations.ts';
