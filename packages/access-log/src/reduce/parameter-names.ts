import { findPii } from '@flotilla/inventory';
import { decodeComponent } from './decode-component.ts';

/** A judged name of a parameter. */
export interface ParameterName {
  /** In lowercase; empty if it is not kept, because it is no name or looks like a value. */
  readonly name: string;
  /** As it was written, for the detection of personal data in the value. */
  readonly label: string;
  readonly isCredential: boolean;
  readonly isSignature: boolean;
  readonly key: 'apikey' | 'bearer' | undefined;
}

const CREDENTIALS = [
  'api_key',
  'apikey',
  'token',
  'access_token',
  'id_token',
  'refresh_token',
  'auth_token',
  'password',
  'passwd',
  'pwd',
  'secret',
  'client_secret',
  'private_key',
  'jwt',
  'bearer',
  'sessionid',
  'session_id',
  'jsessionid',
  'phpsessid',
] as const;
const CREDENTIAL = new RegExp(`^(?:.+[_-])?(?:${CREDENTIALS.join('|')})$`);
const API_KEY = /^(?:.+[_-])?(?:api_key|apikey)$/;
const BEARER = /^(?:access_token|jwt|bearer|id_token)$/;
/** The signature of a URL that its creator signed: AWS, Google Cloud, Azure, CloudFront. */
const SIGNATURES = new Set(['x-amz-signature', 'x-goog-signature', 'sig', 'signature', 'x-oss-signature', 'hmac']);
const NAME = /^[a-z0-9_.\-[\]]{1,64}$/;
const LABEL_MAX = 128;
const KNOWN_MAX = 4096;

/** Judges names of parameters. Applications have few of them, so judgements are kept; strangers who send others only replace them. */
export class ParameterNames {
  readonly #known = new Map<string, ParameterName>();

  find(written: string): ParameterName {
    if (written.length > LABEL_MAX) return UNNAMED;
    const known = this.#known.get(written);
    if (known !== undefined) return known;
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    const judged = judge(written);
    this.#known.set(written, judged);
    return judged;
  }
}

const UNNAMED: ParameterName = { name: '', label: '', isCredential: false, isSignature: false, key: undefined };

function judge(written: string): ParameterName {
  const label = decodeComponent(written);
  const lower = label.toLowerCase();
  const bare = lower.replace(/\[[^[\]]*\]$/, '');
  return {
    name: NAME.test(lower) && /[a-z]/.test(lower) && !looksLikeValue(label) ? lower : '',
    label,
    isCredential: CREDENTIAL.test(bare),
    isSignature: SIGNATURES.has(bare),
    key: API_KEY.test(bare) ? 'apikey' : BEARER.test(bare) ? 'bearer' : undefined,
  };
}

/** A query without names (`?3f9ac...`) is a value in the place of a name. */
function looksLikeValue(label: string): boolean {
  if (/\d{5}/.test(label) || /^[0-9a-f]{12,}$/i.test(label) || label.startsWith('eyJ')) return true;
  // Random text changes between digits and letters more often than names that people give.
  const changes = label.match(/[a-z](?=\d)|\d(?=[a-z])/gi)?.length ?? 0;
  if (label.length >= 8 && changes >= 4) return true;
  return findPii(label).length > 0;
}
