/** Exports for the program that fits `weights.ts`. */
export { detectKind } from './detectors.ts';
export {
  describe,
  describeValues,
  listFirstFeatures,
  type Sibling,
  type Siblings,
  secondFeatures,
} from './features.ts';
export { weigh } from './literal-score.ts';
export { addTo, createPlace, createValuePlace, noteValue, type Place, type ValuePlace } from './place.ts';
export { formOf } from './segment-form.ts';
export { sampleOf } from './shape.ts';
