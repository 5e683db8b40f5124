import { AlikeNames } from '../alike-names.ts';
import type { RequestView } from '../engine.ts';

const CONTENT_TYPE = 'content-type';
const CONTENT_TYPES = new AlikeNames([CONTENT_TYPE]);
const NO_TYPE = [''];

/**
 * The content type headers, and headers that CGI-style programs treat as such. PHP behind Caddy and lighttpd has
 * `HTTP_CONTENT_TYPE` in addition to `CONTENT_TYPE`, and frameworks merge the two; graphene-django uses the former if there is
 * no other. To all other programs the type is then missing.
 */
export function listContentTypes(request: RequestView): readonly string[] {
  const plain = request.header(CONTENT_TYPE);
  const others = request.findNames(CONTENT_TYPES).filter((name) => name !== CONTENT_TYPE);
  if (others.length === 0) return plain;
  return [...(plain.length === 0 ? NO_TYPE : plain), ...[...new Set(others)].flatMap((name) => request.header(name))];
}
