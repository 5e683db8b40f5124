const MIN_LENGTH = 12;
const MIN_DISTINCT = 5;
/** Of a made password: 24 characters of base64url. */
const MADE_BYTES = 18;

export interface PasswordRule {
  readonly text: string;
  readonly isKept: boolean;
}

/** The rules that can be told beforehand. That it is not a common one, only the controller knows. */
export function judgeRules(password: string, username: string): readonly PasswordRule[] {
  const lower = password.toLowerCase();
  const name = username.toLowerCase();
  const hasName = name.length >= 3 && (lower.includes(name) || lower.includes([...name].reverse().join('')));
  return [
    { text: `${MIN_LENGTH} characters or more`, isKept: [...password].length >= MIN_LENGTH },
    { text: `${MIN_DISTINCT} different characters or more`, isKept: new Set(lower).size >= MIN_DISTINCT },
    { text: 'Without the user name, also backwards', isKept: password !== '' && !hasName },
  ];
}

export function makePassword(
  random: (bytes: Uint8Array<ArrayBuffer>) => void = (bytes) => void crypto.getRandomValues(bytes),
): string {
  const bytes = new Uint8Array(MADE_BYTES);
  random(bytes);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}
