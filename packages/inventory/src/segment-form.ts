/**
 * A segment as a pattern with one value: `42.json` is `{}.json` with the value `42`, `42:cancel` is `{}:cancel`, and most are `{}` with themselves.
 * Arguments of OData functions are values: `range(from='2',to='3')` is `range(from='{}',to='{}')`, and has no other value.
 */
export interface SegmentForm {
  /** With `{}` in the place of the value. */
  readonly pattern: string;
  readonly value: string;
  /** The pattern tells by itself that there are values. */
  readonly isFunction: boolean;
}

const WHOLE = '{}';
/** Endings of answers in several formats. A file's ending belongs to its name. */
const EXTENSION = /^(.+?)(\.(?:json|xml|csv|ya?ml|html?|rss|atom|php|aspx?|jsp|do|ics|m3u8|geojson|kml))$/i;
const VERB = /^([^:]+)(:[a-zA-Z]+)$/;
const CALL = /^([\w.$-]*)\((.+)\)$/;

export function formOf(segment: string): SegmentForm {
  if (segment.endsWith(')')) {
    const call = CALL.exec(segment);
    if (call !== null) return formOfCall(call[1] ?? '', call[2] ?? '');
  }
  if (segment.includes('.')) {
    const file = EXTENSION.exec(segment);
    if (file !== null)
      return { pattern: `${WHOLE}${(file[2] ?? '').toLowerCase()}`, value: file[1] ?? '', isFunction: false };
  }
  if (segment.includes(':')) {
    const verb = VERB.exec(segment);
    if (verb !== null) return { pattern: `${WHOLE}${verb[2]}`, value: verb[1] ?? '', isFunction: false };
  }
  return { pattern: WHOLE, value: segment, isFunction: false };
}

function formOfCall(name: string, list: string): SegmentForm {
  const places = list.split(',').map((argument) => {
    const equals = argument.indexOf('=');
    const key = equals === -1 ? '' : argument.slice(0, equals + 1);
    return argument.slice(equals + 1).startsWith("'") ? `${key}'${WHOLE}'` : key + WHOLE;
  });
  // Commas within a quoted value give more pieces than there are arguments.
  const isPlain = places.length === 1 || list.split(',').every((argument) => argument.includes('='));
  return { pattern: `${name}(${isPlain ? places.join(',') : WHOLE})`, value: list, isFunction: true };
}
