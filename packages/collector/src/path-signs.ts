import { findPii, type PiiCategory, type SensitiveKind } from '@flotilla/inventory';

/** Paths of files and programs that scanners ask for, over the path in lowercase. */
const PROBES =
  /(?:^|\/)(?:\.(?:env|git|svn|hg|aws|ssh|kube|docker|npmrc|htpasswd|htaccess|ds_store|vscode|idea)(?:$|[/._-])|wp-(?:login|admin|config|content|includes)|xmlrpc\.php|phpmyadmin|pma\/|phpinfo|phpunit|eval-stdin|cgi-bin\/|server-(?:status|info)|boaform|hnap1|solr\/admin|actuator\/(?:env|heapdump|gateway)|console\/login\/loginform\.jsp|manager\/html|_ignition\/|telescope\/requests|vendor\/|etc\/passwd|web\.config$|id_rsa|\.well-known\/security\.txt\.bak|backup\.(?:sql|zip|tar)|dump\.sql|struts|owa\/auth|autodiscover\/|remote\/fgt_lang|geoserver|druid\/index)/;
const SENSITIVE =
  /(?:^|\/)(?:admin|administrator|debug|actuator|metrics|pprof|internal|private|console|management|manage|config|env|trace|heapdump|phpinfo|graphiql|swagger)(?=$|[/._-])/;
const READONLY = /^\/(?:healthz?|livez?|readyz?|health\/(?:live|ready)|metrics|favicon\.ico|robots\.txt)$/;
const STATIC_PATH = /\.(?:css|m?js|map|png|jpe?g|gif|svg|ico|webp|avif|woff2?|ttf|eot|otf|mp4|webm|mp3|wasm)$/;
const STATIC_TYPE = /^(?:text\/(?:css|javascript)|application\/javascript|image\/|font\/|audio\/|video\/)/;
/** Links in e-mails carry a token that is used once. */
const EMAILED = /(?:^|\/)(?:reset|verify|confirm|unsubscribe|invite|activate|magic|onboard)/;
const JWT = /^eyJ[\w-]{8,}\.[\w-]+\.[\w-]*$/;
/** A path without these has no personal data that `findPii` recognises. */
const MAYBE_PII = /@|%40|(?:\d[-. ()+]?){5}\d|eyJ/;

const NOTHING: readonly SensitiveKind[] = [];
const SECRET: readonly SensitiveKind[] = ['secret_in_path'];

export function isProbe(path: string): boolean {
  return PROBES.test(path.toLowerCase());
}

export function isSensitive(normalizedPath: string): boolean {
  return SENSITIVE.test(normalizedPath.toLowerCase());
}

/** Paths that only answer reads on every server. */
export function isReadonly(normalizedPath: string): boolean {
  return READONLY.test(normalizedPath.toLowerCase());
}

export function isStaticPath(path: string): boolean {
  return STATIC_PATH.test(path.slice(-16).toLowerCase());
}

export function isStaticType(contentType: string): boolean {
  return STATIC_TYPE.test(contentType);
}

/** Personal data, tokens and secrets that a path contains. */
export function findPathPii(
  path: string,
  normalizedPath: string,
  wanted: ReadonlySet<PiiCategory>,
): readonly SensitiveKind[] {
  const hasSecret = normalizedPath.includes('{secret}');
  if (!MAYBE_PII.test(path)) return hasSecret ? SECRET : NOTHING;
  const found = new Set<SensitiveKind>(hasSecret ? SECRET : NOTHING);
  const isEmailed = EMAILED.test(path.toLowerCase());
  let before = '';
  for (const raw of path.split('/')) {
    const segment = decode(raw);
    if (!isEmailed && JWT.test(segment)) found.add('jwt_in_path');
    for (const category of findPii(segment, { name: before })) if (wanted.has(category)) found.add(category);
    before = segment;
  }
  return [...found];
}

function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Where a template has its object: the number of the segment, and how many segments there are. */
export interface ObjectPlace {
  /** -1: it has no object. */
  readonly at: number;
  readonly segments: number;
}

/** The value at this place; empty if the path has other segments than its template. */
export function objectAt(path: string, { at, segments }: ObjectPlace): string {
  if (at < 0) return '';
  let [object, count] = ['', 0];
  for (let from = 0; from < path.length; ) {
    const slash = path.indexOf('/', from);
    const end = slash < 0 ? path.length : slash;
    if (end > from) {
      if (count === at) object = path.slice(from, end);
      count += 1;
    }
    from = end + 1;
  }
  return count === segments ? object : '';
}

/** The place of the last segment with a placeholder. Secrets are no objects. */
export function findObjectPlace(normalizedPath: string): ObjectPlace {
  const segments = normalizedPath.split('/').slice(1);
  return {
    at: segments.findLastIndex((segment) => segment.includes('{') && !NO_OBJECT.has(segment)),
    segments: segments.length,
  };
}

const NO_OBJECT: ReadonlySet<string> = new Set(['{other}', '{traversal}', '{secret}']);
