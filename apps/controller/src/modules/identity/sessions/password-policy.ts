import { failIdentity } from '@flotilla/contract';
import { isLeakedWalk, isLeakedWord } from './leaked-passwords.ts';
import { normalizePassword } from './passwords.ts';

const MIN_DISTINCT_CHARACTERS = 5;

const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
};

/**
 * Returns why the password is refused; undefined if it is good enough. Length matters more than character rules (NIST
 * SP 800-63B section 3.1.1.2): it must be long enough, not derivable from the name, and not a known one.
 */
export function judgePassword(password: string, username: string, minLength: number): string | undefined {
  const normal = normalizePassword(password);
  const lower = normal.toLowerCase();
  const name = normalizePassword(username).toLowerCase();
  if ([...normal].length < minLength) return `it needs ${minLength} characters or more.`;
  if (name.length >= 3 && (lower.includes(name) || lower.includes([...name].reverse().join('')))) {
    return 'it must not contain the user name.';
  }
  if (new Set(lower).size < MIN_DISTINCT_CHARACTERS) return 'it repeats too few characters.';
  if (isSequence(lower) || isLeakedWalk(shortestRepeat(lower)) || isCommon(lower))
    return 'it is one of the common passwords.';
  return undefined;
}

/** Every character follows the previous one by the same step: 123456789012, zyxwvutsrqpo. Digits wrap around. */
function isSequence(text: string): boolean {
  const codes = [...text].map((character) => character.charCodeAt(0));
  const steps = codes.slice(1).map((code, i) => code - (codes[i] ?? 0));
  const [first] = steps;
  return steps.every((step) => step === first || (Math.abs(step) === 9 && Math.abs(first ?? 0) === 1));
}

function isCommon(text: string): boolean {
  if (text.replaceAll(/\P{L}/gu, '').length < 4) return !/\P{N}/u.test(text.replaceAll(/[\p{P}\p{S}\s]/gu, ''));
  const trimmed = text.replaceAll(/^\P{L}+|\P{L}+$/gu, '');
  const translated = [...text].map((character) => LEET[character] ?? character).join('');
  return [trimmed, translated].some((one) => {
    const words = one.split(/\P{L}+/u).filter((word) => word.length > 2);
    return words.length > 0 && words.every((word) => isLeakedWord(shortestRepeat(word)));
  });
}

/** `abcabcabc` -> `abc`. */
function shortestRepeat(word: string): string {
  const period = (word + word).indexOf(word, 1);
  return word.slice(0, period);
}

/** password.weak with the reason as a sentence, also at the field `path`. */
export function failWeakPassword(reason: string, path: string): Error {
  return failIdentity('password.weak', { reason }, { details: [{ path, rule: 'policy', message: reason }] });
}
