/**
 * Folds a header name as the least careful upstreams do, so that names which some upstream confuses become equal. In a
 * CGI variable of lighttpd every sign is an underscore; WSGI, Rack and PHP map dashes (RFC 3875 section 4.1.18), and
 * PHP maps dots, too.
 */
export function foldHeaderName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '_');
}
