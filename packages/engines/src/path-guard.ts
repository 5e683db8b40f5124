import type { PathReadings } from '@flotilla/policy';

/** The paths that a binding of a credential guards. */
export interface GuardedPaths {
  /** In the router's reading. */
  readonly pathPrefix: string;
  readonly wholeSegments: boolean;
}

/** A prefix of paths, ready to be compared with every reading of a request's. */
export class PathGuard {
  /** Readings of a path come in lower case, too: a prefix with capitals is compared with those in its own lower case. */
  readonly #prefixes: readonly string[];
  readonly #wholeSegments: boolean;

  constructor({ pathPrefix, wholeSegments }: GuardedPaths) {
    const prefix = wholeSegments ? pathPrefix.replace(/\/$/, '') : pathPrefix;
    this.#prefixes = [...new Set([prefix, prefix.toLowerCase()])];
    this.#wholeSegments = wholeSegments;
  }

  /**
   * True where any reading of the path lies under the prefix. With whole segments, a dot ends one as well as a slash: routes of Rails
   * take what stands behind it for a format, and serve `/admin` for `/admin.json`.
   */
  covers({ texts, mayBeAny }: PathReadings): boolean {
    if (mayBeAny) return true;
    for (const path of texts) {
      for (const prefix of this.#prefixes) {
        if (!path.startsWith(prefix)) continue;
        if (!this.#wholeSegments || path.length === prefix.length) return true;
        const next = path[prefix.length];
        if (next === '/' || next === '.') return true;
      }
    }
    return false;
  }
}
