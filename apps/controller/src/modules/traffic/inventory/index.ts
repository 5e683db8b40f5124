export { applyBatches } from './apply-store.ts';
export { followFormerPaths } from './former-paths-store.ts';
export { readChunk } from './list-store.ts';
export { type CurrentName, idsOf, readCurrentNames, readMerged, resolveMerges } from './merges-store.ts';
export { FLAG_BITS, PII_BITS, PROTOCOL_BITS } from './model/bits.ts';
export { toSummary } from './model/view.ts';
export { toPathTemplate } from './openapi/path-template.ts';
export { toYaml } from './openapi/yaml-text.ts';
export {
  countNamed,
  findExistingIds,
  listNamed,
  type NamedRow,
  renameOperations,
} from './rename-store.ts';
export { createInventoryRoutes } from './routes.ts';
export { followMerges } from './traffic-filter.ts';
