import { joinPath, parsePath } from './path.ts';

/** A result of the check; `path` as the server writes it. */
export interface Finding {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
}

const NONE: readonly Finding[] = [];

/** Findings by path. A path without findings always gets the same empty list. */
export class FindingIndex {
  readonly all: readonly Finding[];
  readonly #at = new Map<string, Finding[]>();
  readonly #below = new Map<string, number>();

  constructor(findings: readonly Finding[]) {
    this.all = findings;
    for (const finding of findings) {
      // Parses and reformats the path, so that different spellings of one place match.
      let at = '';
      this.#count(at);
      for (const key of parsePath(finding.path)) {
        at = joinPath(at, key);
        this.#count(at);
      }
      const list = this.#at.get(at);
      if (list) list.push(finding);
      else this.#at.set(at, [finding]);
    }
  }

  at(path: string): readonly Finding[] {
    return this.#at.get(path) ?? NONE;
  }

  /** Counts findings at the path and inside it. */
  count(path: string): number {
    return this.#below.get(path) ?? 0;
  }

  #count(path: string): void {
    this.#below.set(path, (this.#below.get(path) ?? 0) + 1);
  }
}

/** Rule of the finding that a oneof has no arm: found in the message, shown at the selection. */
const ONEOF_REQUIRED = 'oneof.required';

export function lacksArm(finding: Finding, oneof: string): boolean {
  return finding.rule === ONEOF_REQUIRED && finding.message.endsWith(`(${oneof})`);
}

/** Returns findings about a message itself, without those about its oneofs. */
export function withoutArms(findings: readonly Finding[]): readonly Finding[] {
  return findings.some(({ rule }) => rule === ONEOF_REQUIRED)
    ? findings.filter(({ rule }) => rule !== ONEOF_REQUIRED)
    : findings;
}

export function isSameFindings(a: readonly Finding[], b: readonly Finding[]): boolean {
  return (
    a.length === b.length &&
    a.every((one, index) => {
      const other = b[index];
      return other?.path === one.path && other.rule === one.rule && other.message === one.message;
    })
  );
}
