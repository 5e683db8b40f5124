import { createHmac, randomBytes } from 'node:crypto';

export const BACKUP_CODES = 10;
/** Crockford's base32 without what is taken for something else: no I, L, O, U. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Ten codes of 50 bits each, as they are shown: `7K3QD-M9XT2`. */
export function makeBackupCodes(): string[] {
  return Array.from({ length: BACKUP_CODES }, () => {
    const digits = Array.from(randomBytes(10), (byte) => DIGITS[byte % DIGITS.length]).join('');
    return `${digits.slice(0, 5)}-${digits.slice(5)}`;
  });
}

/**
 * What is kept of a code: keyed, since 50 bits could be searched by whoever has the database alone, and of one user, so
 * that no two rows tell of equal codes. As it is read: in any case, O for 0, I and L for 1, with or without hyphens.
 */
export function digestBackupCode(key: Buffer, userId: string, code: string): Buffer {
  const read = code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return createHmac('sha256', key).update(`${userId}\0${read}`).digest();
}
