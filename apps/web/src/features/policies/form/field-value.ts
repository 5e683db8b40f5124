import type { FieldDescription } from '../../../forms/schema-source.ts';
import { asList } from '../../../yaml/plain.ts';
import type { PlacedError } from '../editing/policy-errors.ts';
import { texts } from './texts.tsx';

const text = texts.fieldValue;

/** Converts input to the value in the document. Input that is not a number stays text, and the check reports it. */
export function fromTyped(field: FieldDescription, typed: string): unknown {
  const { value } = field;
  if (value.kind !== 'scalar' || value.type === 'string') return typed;
  const number = Number(typed.trim());
  return typed.trim() !== '' && Number.isFinite(number) ? number : typed;
}

/** The option for an unset boolean, if unset differs from both values. */
export const UNSET = 'unset';

/** Returns the selected option of an optional boolean; an invalid value stays as it is. */
export function chosenOf(value: unknown): string {
  return value === undefined || value === null ? UNSET : String(value);
}

/** Returns the value that an option writes; undefined removes it. */
export function fromChosen(choice: string): boolean | undefined {
  return choice === UNSET ? undefined : choice === 'true';
}

/** Returns the message of an error of a field as a sentence, which begins with the word of the list that it is about. */
export function sentenceOf({ path, message }: Pick<PlacedError, 'path' | 'message'>, value: unknown): string {
  const [, index] = /\[(\d+)\]$/.exec(path) ?? [];
  const word = index === undefined ? undefined : asList(value)?.[Number(index)];
  if (typeof word === 'string' && word !== '') return `${word} ${message}`;
  return message.charAt(0).toUpperCase() + message.slice(1);
}

/** Converts `requests_per_second` to `Requests per second`. */
export function labelOf(name: string): string {
  const known: Readonly<Record<string, string>> = {
    jwks_file: text.jwksFileCountedBy,
    hmac_secret_file: text.hmacSecretFileCountedBy,
    public_key_file: text.publicKeyFileCountedBy,
    trusted_documents_file: text.trustedDocumentsFileCountedBy,
    require_scope_for_path: text.requireScopeForPathCountedBy,
    require_claims_for_path: text.requireClaimsForPathCountedBy,
    any_of: text.anyOfCountedBy,
    type: text.typeCountedBy,
    max_age: text.maxAgeCountedBy,
    sources: text.sourcesCountedBy,
    sha256: 'SHA-256',
    key: text.countedBy,
    name: 'Name',
    source: text.sourceCountedBy,
    timeout: text.timeoutCountedBy,
    paths: 'Paths',
    allow: text.allow,
  };
  const words = name.replaceAll('_', ' ');
  return known[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
