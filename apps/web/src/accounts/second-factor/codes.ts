const CODE_DIGITS = 6;
const BACKUP_MIN = 10;
const BACKUP_MAX = 32;

export type FactorKind = 'otp_code' | 'backup_code';

/** Authenticators show `123 456`, and people type it with the space. */
export function cleanCode(typed: string): string {
  return typed.replaceAll(/\D/g, '').slice(0, CODE_DIGITS);
}

export function cleanBackupCode(typed: string): string {
  return typed.trimStart().slice(0, BACKUP_MAX);
}

export function isComplete(kind: FactorKind, code: string): boolean {
  return kind === 'otp_code' ? code.length === CODE_DIGITS : code.trim().length >= BACKUP_MIN;
}

/** Converts to the shape that the second factor routes take. */
export function toGiven(kind: FactorKind, code: string): { otp_code: string } | { backup_code: string } {
  return kind === 'otp_code' ? { otp_code: code } : { backup_code: code.trim() };
}
