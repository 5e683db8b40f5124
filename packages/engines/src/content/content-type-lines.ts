import { AlikeNames } from '../alike-names.ts';
import type { RequestView } from '../engine.ts';

const CONTENT_TYPE = 'content-type';
const CONTENT_TYPES = new AlikeNames([CONTENT_TYPE]);
const NO_TYPE = [''];

/**
 * The lines of the content type, and of what programs take for them that are told headers by CGI variables: PHP behind Caddy and
 * lighttpd has `HTTP_CONTENT_TYPE` beside `CONTENT_TYPE`, and what frameworks make of the two is one header; graphene-django takes the
 * former where there is no other. To all others there is no type then.
 */
export function listContentTypes(request: RequestView): readonly string[] {
  const plain = request.header(CONTENT_TYPE);
  const others = request.findNames(CONTENT_TYPES).filter((name) => name !== CONTENT_TYPE);
  if (others.length === 0) return plain;
  return [...(plain.length === 0 ? NO_TYPE : plain), ...[...new Set(others)].flatMap((name) => request.header(name))];
}
