export { listPending, noteMemberJoined, noteTargetsChanged, retryNow } from './note.ts';
export { openPairSync } from './open.ts';
export { PairSync } from './pair-sync.ts';
