export { type SignedHead, toHead } from './checkpoint-store.ts';
