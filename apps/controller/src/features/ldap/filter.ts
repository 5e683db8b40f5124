import { Buffer } from 'node:buffer';
import { AndFilter, EqualityFilter, type Filter, FilterParser, NotFilter, OrFilter, PresenceFilter } from 'ldapts';

/** The filter of an administrator with the name of somebody in it; the name stays a value, whatever it holds. */
export function fillFilter(template: string, username: string): Filter {
  return FilterParser.parseString(template.replaceAll('{username}', () => escapeValue(username)));
}

/** The filter of an administrator for whoever it may be: a part that names somebody asks whether there is a name at all. */
export function filterOfAnybody(template: string): Filter {
  return withoutName(FilterParser.parseString(template));
}

/** By what never changes of an entry, which is known here as text, or as the hexadecimal digits of octets that are none. */
export function filterOfId(attribute: string, id: string): Filter {
  const asText = new EqualityFilter({ attribute, value: id });
  if (!/^(?:[0-9a-f]{2})+$/.test(id)) return asText;
  // Objects, not text: nothing in it is taken for a filter.
  return new OrFilter({ filters: [asText, new EqualityFilter({ attribute, value: Buffer.from(id, 'hex') })] });
}

function withoutName(filter: Filter): Filter {
  if (filter instanceof AndFilter) return new AndFilter({ filters: filter.filters.map(withoutName) });
  if (filter instanceof OrFilter) return new OrFilter({ filters: filter.filters.map(withoutName) });
  if (!filter.toString().includes(NAME_AS_WRITTEN)) return filter;
  // Whom it leaves out depends on the name: everybody is let through, and the other parts decide.
  if (filter instanceof NotFilter || !('attribute' in filter)) return new PresenceFilter({ attribute: 'objectClass' });
  return new PresenceFilter({ attribute: String(filter.attribute) });
}

const NAME_AS_WRITTEN = new EqualityFilter({ attribute: 'a', value: '{username}' }).toString().slice(3, -1);

/** RFC 4515, section 3. Other bytes stay as they are: the parser of the library opens escapes byte by byte, not as UTF-8. */
function escapeValue(value: string): string {
  return value.replaceAll(/[*()\\\0]/g, (char) => `\\${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
