export { applyBatches } from './apply-store.ts';
export { FLAG_BITS, PII_BITS, PROTOCOL_BITS } from './model/bits.ts';
export { toPathTemplate } from './openapi/path-template.ts';
export { toYaml } from './openapi/yaml-text.ts';
export { createInventoryRoutes } from './routes.ts';
