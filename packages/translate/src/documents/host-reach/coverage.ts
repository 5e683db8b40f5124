import type { EnvoyApi } from '@flotilla/envoy-api';
import { collectionTakenBy } from '../name-table.ts';
import { isFileField } from '../service-files.ts';
import { restrictionOfExtension } from './decide.ts';
import { listFields } from './fields-of-api.ts';
import { FREE_FIELDS } from './free-fields.ts';
import { isKnownField } from './known-fields.ts';
import { UNDECIDED } from './reach.ts';
import { RESTRICTED_FIELDS } from './restricted-fields.ts';
import { restrictionByType } from './restricted-messages.ts';
import { FIELD_RULES, RULED_MEMBERS } from './rules.ts';
import { isSuspicious } from './suspicious.ts';

/** Whether this field, or its whole message, has an explicit decision. */
export function isDecidedField(message: string, field: string): boolean {
  const name = `${message}.${field}`;
  return (
    [RESTRICTED_FIELDS, FIELD_RULES, RULED_MEMBERS, FREE_FIELDS].some((table) => table.has(name)) ||
    isFileField(message, field) ||
    collectionTakenBy(message, field) !== undefined ||
    restrictionByType(message) !== undefined
  );
}

/** Sorted `message.field` of new fields, and of fields that need an explicit decision and have none. */
export function findUndecidedFields(api: EnvoyApi): string[] {
  return listFields(api)
    .filter(
      ({ message, field, shape }) =>
        !isKnownField(message, field) || (isSuspicious(shape) && !isDecidedField(message, field)),
    )
    .map(({ message, field }) => `${message}.${field}`)
    .toSorted();
}

/** Messages that Envoy may accept in an Any and that have no decision. */
export function findUndecidedExtensions(types: Iterable<string>): string[] {
  return [...new Set(types)].filter((type) => restrictionOfExtension(type) === UNDECIDED).toSorted();
}
