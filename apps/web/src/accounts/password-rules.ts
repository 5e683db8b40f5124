import { texts } from './texts.tsx';

const text = texts.passwordRules;
/** The minimum of every installation, used until the actual minimum is known. */
export const LEAST_LENGTH = 12;
const MIN_DISTINCT = 5;
/** Minimum length of a generated password, in base64url characters. */
const MADE_LENGTH = 24;

export interface PasswordRule {
  readonly text: string;
  readonly isKept: boolean;
}

/** Checks the rules that the browser knows. Only the controller knows common passwords. */
export function judgeRules(password: string, username: string, minLength: number): readonly PasswordRule[] {
  const lower = password.toLowerCase();
  const name = username.toLowerCase();
  const hasName = name.length >= 3 && (lower.includes(name) || lower.includes([...name].reverse().join('')));
  return [
    { text: text.length(minLength), isKept: [...password.normalize('NFC')].length >= minLength },
    { text: text.distinct(MIN_DISTINCT), isKept: new Set(lower).size >= MIN_DISTINCT },
    { text: text.withoutName, isKept: password !== '' && !hasName },
  ];
}

export function makePassword(
  minLength: number,
  random: (bytes: Uint8Array<ArrayBuffer>) => void = (bytes) => void crypto.getRandomValues(bytes),
): string {
  // Three bytes give four characters.
  const bytes = new Uint8Array(Math.ceil(Math.max(MADE_LENGTH, minLength) / 4) * 3);
  random(bytes);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}
