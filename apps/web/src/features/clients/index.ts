export { lookOf, nameOf } from './command-names.ts';
export { explainReason } from './model.ts';
export { RANGES, startOf } from './range.ts';
