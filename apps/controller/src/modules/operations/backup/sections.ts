import { type BackupRules, type Feature, listTables } from '../../../platform/features/index.ts';
import { type ColumnCipher, toColumnCipher } from './column-cipher.ts';

/** A table in the backup of an installation. */
export interface BackupSection extends BackupRules {
  readonly table: string;
  readonly cipher?: ColumnCipher;
}

/** Lists the tables in an order in which rows refer only to rows before them. */
export function listBackupSections(features: readonly Feature[]): BackupSection[] {
  return listTables(features).flatMap(({ table, backup, encrypted: [column] = [] }) => {
    if (backup !== true && 'none' in backup) return [];
    return { ...(backup === true ? {} : backup), table, ...(column && { cipher: toColumnCipher(column) }) };
  });
}
