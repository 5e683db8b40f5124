export { findResets, noteReset, type Resets } from './reset-store.ts';
