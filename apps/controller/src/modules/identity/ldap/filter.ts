import { Buffer } from 'node:buffer';
import { AndFilter, EqualityFilter, type Filter, FilterParser, NotFilter, OrFilter, PresenceFilter } from 'ldapts';

/** Inserts a user name into an administrator's filter; the name is always treated as a value. */
export function fillFilter(template: string, username: string): Filter {
  return FilterParser.parseString(template.replaceAll('{username}', () => escapeValue(username)));
}

/** The administrator's filter without a specific name: parts with a name only test that the attribute exists. */
export function filterOfAnybody(template: string): Filter {
  return withoutName(FilterParser.parseString(template));
}

/** Matches the immutable id, which is known as text, or as hexadecimal digits if it is binary. */
export function filterOfId(attribute: string, id: string): Filter {
  const asText = new EqualityFilter({ attribute, value: id });
  if (!/^(?:[0-9a-f]{2})+$/.test(id)) return asText;
  // Built as objects instead of text, so that no value can be parsed as a filter.
  return new OrFilter({ filters: [asText, new EqualityFilter({ attribute, value: Buffer.from(id, 'hex') })] });
}

function withoutName(filter: Filter): Filter {
  if (filter instanceof AndFilter) return new AndFilter({ filters: filter.filters.map(withoutName) });
  if (filter instanceof OrFilter) return new OrFilter({ filters: filter.filters.map(withoutName) });
  if (!filter.toString().includes(NAME_AS_WRITTEN)) return filter;
  // A negation excludes depending on the name, so it matches everybody here; the other parts decide.
  if (filter instanceof NotFilter || !('attribute' in filter)) return new PresenceFilter({ attribute: 'objectClass' });
  return new PresenceFilter({ attribute: String(filter.attribute) });
}

const NAME_AS_WRITTEN = new EqualityFilter({ attribute: 'a', value: '{username}' }).toString().slice(3, -1);

/** RFC 4515, section 3. Other bytes are kept: the library's parser resolves escapes byte by byte, not as UTF-8. */
function escapeValue(value: string): string {
  return value.replaceAll(/[*()\\\0]/g, (char) => `\\${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
