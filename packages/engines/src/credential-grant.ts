import type { Grant } from './engine.ts';

/** What a credential's engine does to the requests it lets through, beside letting them through. */
export interface CredentialHandling {
  /** Lowercase headers that carry the credential, where it is to go from the request; else empty. */
  readonly stripHeaders: readonly string[];
  readonly stripQueryParameter: string | undefined;
  /** Lowercase; empty when the upstream is not told the subject. */
  readonly subjectHeader: string;
}

/** All of these are one underscore in a CGI variable (RFC 3875 section 4.1.18): to WSGI and Rack the first two, to PHP the dot, too. */
const SEPARATORS = ['-', '_', '.'];

/** How many places a name may have to be spelled in every mixture: Envoy takes 100 removals for a request (max_headers_count). */
interface SpellingBounds {
  /** Names with more are spelled with dashes and underscores in every mixture, and with dots alone. */
  readonly dottedPlacesMax: number;
  /** Names with more are removed with one separator throughout. */
  readonly spelledPlacesMax: number;
}

const FULL: SpellingBounds = { dottedPlacesMax: 3, spelledPlacesMax: 5 };
/** The fuller first. */
const BOUNDS: readonly SpellingBounds[] = [
  FULL,
  { dottedPlacesMax: 0, spelledPlacesMax: 5 },
  { dottedPlacesMax: 0, spelledPlacesMax: 0 },
];
/** So that there is room for what the request's own engines take. */
const WITHHELD_MAX = 60;

/** A header's name first, then every name that upstreams cannot tell from it. */
function spellName(name: string, { dottedPlacesMax, spelledPlacesMax }: SpellingBounds = FULL): readonly string[] {
  const parts = name.split(/[-_.]/);
  const places = parts.length - 1;
  const alike = SEPARATORS.map((separator) => parts.join(separator));
  if (places > spelledPlacesMax) return [...new Set([name, ...alike])];
  const separators = places > dottedPlacesMax ? ['-', '_'] : SEPARATORS;
  const spelled = parts
    .slice(1)
    .reduce<readonly string[]>(
      (names, part) => names.flatMap((begun) => separators.map((separator) => `${begun}${separator}${part}`)),
      parts.slice(0, 1),
    );
  return [...new Set([name, ...spelled, ...alike])];
}

/**
 * What holds where headers belong to engines of other routes: whatever the client sent under their names, or under names that
 * upstreams cannot tell from them, goes, the more headers there are in the fewer mixtures. Undefined where there are none.
 */
export function withholdHeaders(names: readonly string[]): Grant | undefined {
  if (names.length === 0) return undefined;
  let removed: readonly string[] = [];
  for (const bounds of BOUNDS) {
    removed = names.flatMap((name) => spellName(name, bounds));
    if (removed.length <= WITHHELD_MAX) break;
  }
  return { removeHeaders: removed };
}

/** Makes the grants of one engine: what all of them have in common is made once. */
export class GrantMaker {
  readonly #subjectHeader: string;
  readonly #removeHeaders: readonly string[] | undefined;
  readonly #removeQueryParameter: string | undefined;
  /**
   * What holds for every request: the header that tells the subject is the engine's alone, so what the client sent under
   * its name goes, and where credentials are stripped a bad one goes too. Undefined where there is nothing to do.
   */
  readonly withheld: Grant | undefined;

  constructor({ stripHeaders, stripQueryParameter, subjectHeader }: CredentialHandling) {
    const removed = subjectHeader === '' ? stripHeaders : [...stripHeaders, ...spellName(subjectHeader)];
    this.#subjectHeader = subjectHeader;
    this.#removeHeaders = removed.length === 0 ? undefined : removed;
    this.#removeQueryParameter = stripQueryParameter;
    const isIdle = removed.length === 0 && stripQueryParameter === undefined;
    this.withheld = isIdle ? undefined : this.#make(undefined);
  }

  /** The grant of a subject; an empty one is nobody. */
  make(subject: string): Grant | undefined {
    return subject === '' ? this.withheld : this.#make(subject);
  }

  #make(subject: string | undefined): Grant {
    const told = subject !== undefined && this.#subjectHeader !== '';
    return {
      subject,
      removeHeaders: this.#removeHeaders,
      setHeaders: told ? [[this.#subjectHeader, subject]] : undefined,
      removeQueryParameter: this.#removeQueryParameter,
    };
  }
}
