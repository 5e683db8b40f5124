import type { BackupView, RestoreSummary } from '@flotilla/contract';
import { routes } from '../../api/index.ts';
import { rulesOf } from '../../ui/index.ts';

const PASSPHRASE_MIN = rulesOf(routes.backup.export).passphrase?.min ?? 1;

export const CADENCES = ['daily', 'weekly', 'monthly'] as const;
export type Cadence = (typeof CADENCES)[number];

/** Converts `03:30` to `30 3 * * *`; undefined if it is no time of day. */
export function toCron(cadence: Cadence, time: string): string | undefined {
  const found = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time);
  if (!found) return undefined;
  const at = `${Number(found[2])} ${Number(found[1])}`;
  switch (cadence) {
    case 'daily':
      return `${at} * * *`;
    case 'weekly':
      return `${at} * * 0`;
    case 'monthly':
      return `${at} 1 * *`;
  }
}

export interface Opening {
  readonly passphrase: string;
  readonly trust_key: string;
}

/** Normalises a fingerprint as people copy it: with spaces, colons, in capitals. */
export function readFingerprint(typed: string): string {
  return typed.replaceAll(/[\s:]/g, '').toLowerCase();
}

/** Whether the input suffices to open the backup. The fingerprint must be that of the signer of the file. */
export function canOpen(
  { protection, content }: Pick<BackupView, 'protection' | 'content'>,
  { passphrase, trust_key: trust }: Opening,
): boolean {
  if (content?.kind !== 'project') return false;
  if (protection === 'passphrase' && passphrase.length < PASSPHRASE_MIN) return false;
  return content.own || readFingerprint(trust) === content.signer;
}

export function toOpening(
  backup: Pick<BackupView, 'id' | 'protection' | 'content'>,
  { passphrase, trust_key: trust }: Opening,
) {
  return {
    backup: backup.id,
    ...(backup.protection === 'passphrase' && { passphrase }),
    ...(backup.content?.own === false && { trust_key: readFingerprint(trust) }),
  };
}

/** Returns the number of records that a restore writes. */
export function countWrites({ counts: { created, changed } }: Pick<RestoreSummary, 'counts'>): number {
  return created + changed;
}
