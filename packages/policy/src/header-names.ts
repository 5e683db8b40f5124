/**
 * A header's name as the most careless upstream has it, so that names which some upstream takes for one another are equal. All signs
 * are one underscore in a CGI variable of lighttpd; to WSGI, Rack and PHP dashes are (RFC 3875 section 4.1.18), to PHP dots, too.
 */
export function foldHeaderName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '_');
}
