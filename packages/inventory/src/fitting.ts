/** Exports for the program that fits `weights.ts`. */
export type { BoostedTree } from './boosted-trees.ts';
export { detectKind } from './detectors.ts';
export { listFeatures } from './features.ts';
export { type Lexicon, replaceLexicon } from './lexicon.ts';
export { weigh } from './literal-score.ts';
export { addTo, createPlace, createValuePlace, noteValue, type Place, type ValuePlace } from './place.ts';
export { formOf } from './segment-form.ts';
export { sampleOf } from './shape.ts';
export { describe, type Sibling, type Siblings } from './siblings.ts';
export { splitWords } from './words.ts';
