import { type Filter, FilterParser } from 'ldapts';

/** The filter of an administrator with the name of somebody in it; the name stays a value, whatever it holds. */
export function fillFilter(template: string, username: string): Filter {
  return FilterParser.parseString(template.replaceAll('{username}', () => escapeValue(username)));
}

/** RFC 4515, section 3. Other bytes stay as they are: the parser of the library opens escapes byte by byte, not as UTF-8. */
function escapeValue(value: string): string {
  return value.replaceAll(/[*()\\\0]/g, (char) => `\\${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
