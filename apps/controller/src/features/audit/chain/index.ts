export { type SignedHead, toHead } from './checkpoint-store.ts';
export { toHeadJson } from './heads-file.ts';
