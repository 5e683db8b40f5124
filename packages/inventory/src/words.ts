import { lexicon } from './lexicon.ts';

export interface Words {
  readonly count: number;
  /** Share of the letters that are in words of API vocabulary: 1 for `createOrder`, 0 for `zanzibar`. */
  readonly knownShare: number;
}

/** Words that camelCase, digits and separators divide, in small letters. */
export function splitWords(segment: string): string[] {
  return Array.from(segment.matchAll(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g), ([word]) => word.toLowerCase());
}

export function wordsOf(segment: string): Words {
  let count = 0;
  let letters = 0;
  let known = 0;
  for (const word of splitWords(segment)) {
    count += 1;
    letters += word.length;
    if (isVocabulary(word)) known += word.length;
  }
  return { count, knownShare: letters === 0 ? 0 : known / letters };
}

function isVocabulary(word: string): boolean {
  const { vocabulary } = lexicon();
  return vocabulary.has(word) || (word.endsWith('s') && vocabulary.has(word.slice(0, -1)));
}

/** Versions, and names of standards with digits. They are literal everywhere. */
const LITERALS =
  /^(?:v\d{1,3}(?:[._-]\d{1,3}){0,2}(?:-?(?:alpha|beta|rc|preview)\.?\d*)?|(?:api|web|app|rest)-?v?\d|(?:oauth|saml|openid|psd|x|pkcs|utf|md5|sha|base|http|ipv|iso|erc|bep|trc|h|mp|m3u|p|snmpv|web|b|win|log|top|office)-?\d{1,4}|[a-z]2[a-z]|b2[bc]|i18n|l10n|a11y|k8s|s3|ec2|route53|\d{1,2}fa)$/i;

export function isKnownLiteral(segment: string): boolean {
  return LITERALS.test(segment);
}
