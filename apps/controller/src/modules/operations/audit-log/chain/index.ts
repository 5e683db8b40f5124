export { readLastHeads, type SignedHead } from './checkpoint-store.ts';
export { toHeadJson } from './heads-file.ts';
