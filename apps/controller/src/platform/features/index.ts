export {
  type BackupRules,
  defineFeature,
  type EncryptedColumn,
  type Feature,
  type TableRow,
} from './define-feature.ts';
export { listTables } from './tables.ts';
