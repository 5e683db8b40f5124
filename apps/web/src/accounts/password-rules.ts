import { texts } from '../texts/index.ts';

const text = texts.accounts.passwordRules;
/** What no installation goes below: until it is known what this one asks for. */
export const LEAST_LENGTH = 12;
const MIN_DISTINCT = 5;
/** Characters of base64url: of a made password at least. */
const MADE_LENGTH = 24;

export interface PasswordRule {
  readonly text: string;
  readonly isKept: boolean;
}

/** The rules that can be told beforehand. That it is not a common one, only the controller knows. */
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
  // Three bytes are four characters.
  const bytes = new Uint8Array(Math.ceil(Math.max(MADE_LENGTH, minLength) / 4) * 3);
  random(bytes);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}
