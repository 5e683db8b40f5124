import { joinPath, parsePath } from './path.ts';

/** What a check found; `path` as the server writes it. */
export interface Finding {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
}

const NONE: readonly Finding[] = [];

/** Findings by place. Asking for a place without any gives the same empty list each time. */
export class FindingIndex {
  readonly all: readonly Finding[];
  readonly #at = new Map<string, Finding[]>();
  readonly #below = new Map<string, number>();

  constructor(findings: readonly Finding[]) {
    this.all = findings;
    for (const finding of findings) {
      // Read and written anew, so that other spellings of one place meet
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

  /** At the place and anywhere below it. */
  count(path: string): number {
    return this.#below.get(path) ?? 0;
  }

  #count(path: string): void {
    this.#below.set(path, (this.#below.get(path) ?? 0) + 1);
  }
}

/** A message lacks an arm of a oneof: found in the message, shown where the choice is. */
const ONEOF_REQUIRED = 'oneof.required';

export function lacksArm(finding: Finding, oneof: string): boolean {
  return finding.rule === ONEOF_REQUIRED && finding.message.endsWith(`(${oneof})`);
}

/** What is said of a message itself, without what its oneofs say. */
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
