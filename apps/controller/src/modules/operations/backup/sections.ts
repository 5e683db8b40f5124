import { type BackupRules, type Feature, listTables } from '../../../platform/features/index.ts';
import { type SealedPlace, toSealedPlace } from './sealed.ts';

/** A table that backups hold. */
export interface BackupSection extends BackupRules {
  readonly table: string;
  readonly sealed?: SealedPlace;
}

/** In the order in which rows can be restored: rows refer only to rows before them. */
export function listBackupSections(features: readonly Feature[]): BackupSection[] {
  return listTables(features).flatMap(({ table, backup, encrypted: [column] = [] }) => {
    if (backup !== true && 'none' in backup) return [];
    return { ...(backup === true ? {} : backup), table, ...(column && { sealed: toSealedPlace(column) }) };
  });
}
