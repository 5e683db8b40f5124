/** Length beats rules (NIST SP 800-63B section 3.1.1.2): long enough, not guessable from the name, not a common one. */
export const PASSWORD_MIN_LENGTH = 12;
const MIN_DISTINCT_CHARACTERS = 5;

/** Words that common passwords are made of, alone, repeated, or with digits and signs around them. */
const COMMON_WORDS = new Set(
  `password passwort passw0rd pass passwd passphrase secret secure login welcome willkommen admin administrator root user
  username default changeme change letmein let trustno monkey dragon master shadow sunshine princess football baseball
  superman batman iloveyou love lovely michael jordan jennifer charlie donald hunter ranger buster thomas robert soccer
  hockey killer george andrew jessica pepper daniel access joshua maggie starwars silver william dallas yankees ashley
  amanda orange biteme freedom computer michelle austin matrix flower cheese whatever nicole chelsea summer winter spring
  autumn test testing tester temp temporary guest hello hallo monday friday january february march april june july august
  september october november december qwerty qwertz azerty qwertyuiop qwertzuiop asdfghjkl zxcvbnm qazwsx qazwsxedc
  qweasdzxc zaq xsw correcthorsebatterystaple envoy proxy flotilla controller server system service internet company
  opensesame abc abcd abcdef abcdefgh abcdefghijkl abcdefghijklmnop abcdefghijklmnopqrstuvwxyz iloveu trustnoone
  nothing something anything mustang corvette ferrari porsche samsung google facebook linkedin microsoft windows apple`.split(
    /\s+/,
  ),
);

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

/** Why the password is refused, or undefined when it is good enough. */
export function judgePassword(password: string, username: string): string | undefined {
  const lower = password.toLowerCase();
  const name = username.toLowerCase();
  if ([...password].length < PASSWORD_MIN_LENGTH) return `it needs ${PASSWORD_MIN_LENGTH} characters or more.`;
  if (name.length >= 3 && (lower.includes(name) || lower.includes([...name].reverse().join('')))) {
    return 'it must not contain the user name.';
  }
  if (new Set(lower).size < MIN_DISTINCT_CHARACTERS) return 'it repeats too few characters.';
  if (isSequence(lower) || isCommon(lower)) return 'it is one of the common passwords.';
  return undefined;
}

/** Every character follows the one before it by the same step: 123456789012, zyxwvutsrqpo. Digits wrap around. */
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
    return words.length > 0 && words.every((word) => COMMON_WORDS.has(shortestRepeat(word)));
  });
}

/** `abcabcabc` -> `abc`. */
function shortestRepeat(word: string): string {
  const period = (word + word).indexOf(word, 1);
  return word.slice(0, period);
}
