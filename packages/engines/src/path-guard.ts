import type { PathReadings } from '@flotilla/policy';

/** The paths that a credential binding protects. */
export interface GuardedPaths {
  /** As the router reads it. */
  readonly pathPrefix: string;
  readonly wholeSegments: boolean;
}

/** A path prefix, prepared for comparison with every reading of a request path. */
export class PathGuard {
  /** Readings of a path include lowercase ones: a prefix with capitals is compared with those in its own lowercase form. */
  readonly #prefixes: readonly string[];
  readonly #wholeSegments: boolean;

  constructor({ pathPrefix, wholeSegments }: GuardedPaths) {
    const prefix = wholeSegments ? pathPrefix.replace(/\/$/, '') : pathPrefix;
    this.#prefixes = [...new Set([prefix, prefix.toLowerCase()])];
    this.#wholeSegments = wholeSegments;
  }

  /**
   * True if any reading of the path has the prefix. With whole segments, a dot ends a segment as well as a slash: Rails
   * reads what follows the dot as a format, and serves `/admin` for `/admin.json`.
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
