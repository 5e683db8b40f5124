export { COLLECTION_LABELS } from './collection-texts.ts';
