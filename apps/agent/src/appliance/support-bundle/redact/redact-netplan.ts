import { parseDocument, stringify } from 'yaml';
import { redactPlain } from './redact-plain.ts';
import { REDACTED, type SecretSet } from './secret-set.ts';

const SECRET_KEYS =
  /^(?:password|passphrase|psk|secret|token|client-key-password|private|private-key|shared|key|keys|pin)$/i;
/** Below `auth`, everything but these is masked. */
const PUBLIC_OF_AUTH = new Set(['key-management', 'method', 'ca-certificate', 'client-certificate', 'phase2-auth']);
const ALIASES_MAX = 100;

/**
 * Masks the secrets of a netplan file: passwords of wireless networks, of 802.1X and of modems, and keys of tunnels. Comments are left
 * out. Throws if it is not YAML, because then nobody knows what is a secret.
 */
export function redactNetplan(text: string, secrets: SecretSet): string {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) throw new Error(`it is not YAML: ${error.code}`);
  const value: unknown = document.toJS({ maxAliasCount: ALIASES_MAX });
  return redactPlain(stringify(mask(value, { isSecret: false, isAuth: false }, secrets)));
}

interface Place {
  readonly isSecret: boolean;
  readonly isAuth: boolean;
}

function mask(value: unknown, place: Place, secrets: SecretSet): unknown {
  if (Array.isArray(value)) return value.map((item) => mask(item, place, secrets));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => [key, mask(item, toInner(key, place), secrets)]);
    return Object.fromEntries(entries);
  }
  if (!place.isSecret || value === null) return value;
  secrets.add(String(value));
  return REDACTED;
}

function toInner(key: string, { isSecret, isAuth }: Place): Place {
  const isOpen = isAuth && PUBLIC_OF_AUTH.has(key);
  return { isSecret: !isOpen && (isSecret || isAuth || SECRET_KEYS.test(key)), isAuth: isAuth || key === 'auth' };
}
