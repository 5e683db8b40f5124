import { redactText } from '../../../envoy-admin/redact-text.ts';
import { REDACTED } from './secret-set.ts';

// Every repetition that can fail late has a bound: some texts come from services that may be compromised.
/** The end of a key whose begin was cut off. */
const TAIL_OF_KEY = /^(?:(?!-----BEGIN)[\s\S])*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/;
/** Names that `redactText` does not know, with `=` or `:`. */
const ASSIGNMENT =
  /(\b(?:psk|pwd|passcode|pre-?shared-?key|community|credentials?|signature|sig|auth[-_]?key|encryption[-_]?key|x-[\w-]{1,64}-key|password[-_]hash))(["']?\s{0,8}[:=]\s{0,8})(?!\[redacted\])("[^"\n]*"|'[^'\n]*'|[^\s"',;&)}\]]+)/gi;
/** Headers whose whole value is a secret. */
const HEADER = /\b((?:proxy-)?authorization|(?:set-)?cookie)(["']?\s{0,8}[:=]\s{0,8})("[^"\n]*"|'[^'\n]*'|[^\n"']+)/gi;
/** `password hunter2`, as routers and command lines have it, but not `password for root`. */
const SPACED =
  /((?:^|[\s-])(?:password|passwd|passphrase|secret|key-string|authentication-key|community-string|md5))(\s+(?:[0578]\s+|encrypted\s+)?)(?!(?:for|is|was|has|had|of|and|or|must|not|in|to|from|with|changed|expired|check|checksum|authentication|auth|file|sum|hash|mismatch|required|\[redacted\])\b|\[redacted\])([^\s"'[\]{}()<>,;:]{3,})/gim;

/** Masks secrets in a text of any kind, such as a log. */
export function redactPlain(text: string): string {
  const whole = KEY_END.test(text) ? text.replace(TAIL_OF_KEY, REDACTED) : text;
  return redactText(whole)
    .replace(HEADER, `$1$2${REDACTED}`)
    .replace(ASSIGNMENT, `$1$2${REDACTED}`)
    .replace(SPACED, `$1$2${REDACTED}`);
}
