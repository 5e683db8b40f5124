import type { FieldDescription } from '../../../forms/schema-source.ts';

/** What somebody typed as the value that the document gets. Text that is no number stays text: the check says so. */
export function fromTyped(field: FieldDescription, typed: string): unknown {
  const { value } = field;
  if (value.kind !== 'scalar' || value.type === 'string') return typed;
  const number = Number(typed.trim());
  return typed.trim() !== '' && Number.isFinite(number) ? number : typed;
}

/** `requests_per_second` -> `Requests per second`. */
export function labelOf(name: string): string {
  const known: Readonly<Record<string, string>> = {
    jwks_file: 'Key set file (JWKS)',
    hmac_secret_file: 'Shared secret file',
    public_key_file: 'Public key file',
    require_scope_for_path: 'Scopes that paths need',
    sources: 'Several places',
    sha256: 'SHA-256',
    key: 'Counted by',
    name: 'Name',
    source: 'Read from',
    timeout: 'Time for one request',
    paths: 'Paths',
  };
  const words = name.replaceAll('_', ' ');
  return known[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
