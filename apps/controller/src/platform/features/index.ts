export {
  type BackupRules,
  defineFeature,
  type EncryptedColumn,
  type Feature,
  type MetricDeps,
  type TableRow,
} from './define-feature.ts';
export { mergeMigrations } from './migrations.ts';
export { orderFeatures } from './order.ts';
export { listTables } from './tables.ts';
