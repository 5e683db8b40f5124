export { isOpenTo } from './factor-demand-store.ts';
export { failPermission, requireNeed, requireStill } from './need.ts';
export { ReachCache } from './reach-cache.ts';
export {
  chooseSeenRows,
  findReach,
  listReached,
  permittedRows,
  type Reader,
  readerOf,
  type SeenRows,
} from './reach-store.ts';
