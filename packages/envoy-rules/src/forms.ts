import { parseDuration, parseFieldMask, parseTimestamp, type WellKnown } from './well-known.ts';

/** Describes the JSON that a well-known type needs if `json` is not of it. Does not look inside free forms. */
export function findMissedForm(wellKnown: WellKnown, json: unknown): string | undefined {
  switch (wellKnown) {
    case 'struct':
    case 'empty':
      return isObject(json) ? undefined : 'an object';
    case 'any':
      return isObject(json) ? undefined : 'an object with "@type"';
    case 'list_value':
      return Array.isArray(json) ? undefined : 'a list';
    case 'duration':
      return parseDuration(json) ? undefined : 'a duration such as "1.5s"';
    case 'timestamp':
      return parseTimestamp(json) ? undefined : 'a time such as "2026-01-01T00:00:00Z"';
    case 'field_mask':
      return parseFieldMask(json) ? undefined : 'paths in camelCase, separated by commas';
    default:
      return undefined;
  }
}

function isObject(json: unknown): boolean {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
