import type { BackupView, RestoreSummary } from '@flotilla/contract';

export const PASSPHRASE_MIN = 12;

export const CADENCES = ['daily', 'weekly', 'monthly'] as const;
export type Cadence = (typeof CADENCES)[number];

/** `03:30` -> `30 3 * * *`; undefined where it is no time of day. */
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
  readonly trust: string;
}

/** A fingerprint as people copy it: with spaces, colons, in capitals. */
export function readFingerprint(typed: string): string {
  return typed.replaceAll(/[\s:]/g, '').toLowerCase();
}

/** Whether all is given that it takes to read the backup. A signer counts only where it is the one of the file. */
export function canOpen(
  { protection, content }: Pick<BackupView, 'protection' | 'content'>,
  { passphrase, trust }: Opening,
): boolean {
  if (content?.kind !== 'project') return false;
  if (protection === 'passphrase' && passphrase.length < PASSPHRASE_MIN) return false;
  return content.own || readFingerprint(trust) === content.signer;
}

/** What the requests that read a backup carry. */
export function toOpening(backup: Pick<BackupView, 'id' | 'protection' | 'content'>, { passphrase, trust }: Opening) {
  return {
    backup: backup.id,
    ...(backup.protection === 'passphrase' && { passphrase }),
    ...(backup.content?.own === false && { trust_key: readFingerprint(trust) }),
  };
}

/** How many records a restore writes. */
export function countWrites({ counts: { created, changed } }: Pick<RestoreSummary, 'counts'>): number {
  return created + changed;
}
