import { redactAdsSecrets } from '../host/ads-secret.ts';

/** Envoy's own mark. */
export const REDACTED = '[redacted]';

// Every repetition that can fail late has a bound: the text may come from a compromised service.
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g;
const ENCODED_PEM = /^LS0tLS1CRUdJTi[A-Za-z0-9+/=\s]+$/;
const JSON_WEB_TOKEN = /(?<![\w-])eyJ[\w-]{8,256}\.[\w-]{8,}\.[\w-]*/g;
const CREDENTIALS = /\b(Bearer|Basic) +[\w.~+/=-]{8,}/gi;
/** The user and password in front of the host of an address. */
const USER_OF_ADDRESS = /:\/\/[^\s/?#@]{1,1024}@/g;
/** `password = "x"`, as in scripts, configurations and queries of addresses. */
const ASSIGNMENT =
  /(passwo?r?d|passphrase|secret|token|api_?-?key|access_?-?key|private_?-?key)(["']?\s*[:=]\s*)("[^"\n]*"|'[^'\n]*'|[^\s"',;&)}\]]+)/gi;

/** Masks private keys, tokens and passwords in a text. */
export function redactText(text: string): string {
  if (ENCODED_PEM.test(text)) {
    const decoded = Buffer.from(text, 'base64').toString('latin1');
    return decoded.includes('PRIVATE KEY-----') ? REDACTED : text;
  }
  return redactAdsSecrets(text)
    .replace(PRIVATE_KEY, REDACTED)
    .replace(JSON_WEB_TOKEN, REDACTED)
    .replace(CREDENTIALS, `$1 ${REDACTED}`)
    .replace(USER_OF_ADDRESS, `://${REDACTED}@`)
    .replace(ASSIGNMENT, `$1$2${REDACTED}`);
}
