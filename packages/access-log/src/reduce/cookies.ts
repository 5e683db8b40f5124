import type { Sign } from '../entry.ts';

const NAMES_MAX = 64;
/** Cookies of a browser have at most 4 KiB each; behind this nothing is read. */
const LENGTH_MAX = 16 * 1024;

/** Whether a Cookie header has a cookie that is named like a session. Values are not looked at. */
export function hasSessionCookie(header: string): boolean {
  const text = header.length > LENGTH_MAX ? header.slice(0, LENGTH_MAX) : header;
  for (let at = 0, count = 0; at < text.length && count < NAMES_MAX; count += 1) {
    const next = text.indexOf(';', at);
    const end = next === -1 ? text.length : next;
    const equals = text.indexOf('=', at);
    if (equals !== -1 && equals < end && isSessionName(text.slice(at, equals))) return true;
    at = end + 1;
  }
  return false;
}

function isSessionName(written: string): boolean {
  const name = written
    .trim()
    .toLowerCase()
    .replace(/^__(?:host|secure)-/, '');
  return /sess|sid|auth|token/.test(name) && !/csrf|xsrf/.test(name);
}

/** Signs of Set-Cookie headers, which Envoy joins with commas. */
export function listCookieSigns(header: string): Sign[] {
  const text = header.length > LENGTH_MAX ? header.slice(0, LENGTH_MAX) : header;
  const found = new Set<Sign>();
  // A comma also occurs in dates (`Expires=Wed, 21 Oct 2026 ...`); a cookie begins with a name and an equals sign.
  for (const cookie of text.split(/,(?=[^;,=]{1,256}=)/).slice(0, NAMES_MAX)) {
    const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim().toLowerCase());
    const has = (name: string) => attributes.includes(name);
    const isCrossSite = attributes.some((attribute) => /^samesite\s*=\s*none$/.test(attribute));
    if (!has('secure')) found.add('cookie_no_secure');
    // Scripts of the page read this one on purpose.
    if (!has('httponly') && !/^[^=]*(?:csrf|xsrf)/.test(pair)) found.add('cookie_no_httponly');
    if (isCrossSite && !has('secure')) found.add('cookie_samesite_none');
  }
  return [...found];
}
