import { createHmac, randomBytes } from 'node:crypto';

export const BACKUP_CODES = 10;
/** Crockford's base32, which omits the ambiguous letters I, L, O and U. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Creates ten codes of 50 bits in their displayed form: `7K3QD-M9XT2`. */
export function makeBackupCodes(): string[] {
  return Array.from({ length: BACKUP_CODES }, () => {
    const digits = Array.from(randomBytes(10), (byte) => DIGITS[byte % DIGITS.length]).join('');
    return `${digits.slice(0, 5)}-${digits.slice(5)}`;
  });
}

/**
 * The stored digest of a code. It is keyed, because 50 bits could be searched with the database alone, and includes the
 * user, so that equal codes have different digests. Ignores case and hyphens; reads O as 0, and I and L as 1.
 */
export function digestBackupCode(key: Buffer, userId: string, code: string): Buffer {
  const read = code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return createHmac('sha256', key).update(`${userId}\0${read}`).digest();
}
