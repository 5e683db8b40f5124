import { findPii } from '@flotilla/inventory';
import { ENTRY_LIMITS } from '../entry.ts';
import { decodeComponent } from './decode-component.ts';
import { ParameterNames } from './parameter-names.ts';

/** The facts that are kept of a query: never a value. */
export interface QueryFacts {
  readonly names: readonly string[];
  readonly pii: readonly string[];
  /** A parameter is named like a credential. */
  readonly hasCredential: boolean;
  /** The value of a parameter that identifies its sender; for the identity only, never part of an entry. */
  readonly key: { readonly kind: 'apikey' | 'bearer'; readonly value: string } | undefined;
  /** The parameters of a signed URL. */
  readonly isSigned: boolean;
}

const NONE: readonly string[] = [];
export const NO_QUERY: QueryFacts = { names: NONE, pii: NONE, hasCredential: false, key: undefined, isSigned: false };

/** Further parameters are not read. */
const PIECES_MAX = 256;
/** A query may have 60 KiB; no value that matters is behind this. */
const QUERY_MAX = 16 * 1024;
const VALUE_MAX = 1024;

const names = new ParameterNames();

/** Reads a query without its question mark. Takes time in proportion to its length, and never throws. */
export function readQuery(text: string): QueryFacts {
  if (text === '') return NO_QUERY;
  const query = text.length > QUERY_MAX ? text.slice(0, QUERY_MAX) : text;
  const found = new Set<string>();
  const pii = new Set<string>();
  let hasCredential = false;
  let isSigned = false;
  let key: QueryFacts['key'];
  for (let at = 0, pieces = 0; at <= query.length && pieces < PIECES_MAX; pieces += 1) {
    const next = query.indexOf('&', at);
    const end = next === -1 ? query.length : next;
    const equals = query.indexOf('=', at);
    const nameEnd = equals === -1 || equals > end ? end : equals;
    const parameter = names.find(query.slice(at, nameEnd));
    const value =
      nameEnd === end ? '' : decodeComponent(query.slice(nameEnd + 1, Math.min(end, nameEnd + 1 + VALUE_MAX)));
    at = end + 1;
    if (parameter.name !== '' && found.size < ENTRY_LIMITS.queryNames) found.add(parameter.name);
    hasCredential ||= parameter.isCredential && value !== '';
    isSigned ||= parameter.isSignature && value !== '';
    if (key === undefined && parameter.key !== undefined && value !== '') key = { kind: parameter.key, value };
    if (value.length >= 7) for (const category of findPii(value, { name: parameter.label })) pii.add(category);
  }
  return {
    names: found.size === 0 ? NONE : [...found],
    pii: pii.size === 0 ? NONE : [...pii],
    hasCredential,
    isSigned,
    key,
  };
}
