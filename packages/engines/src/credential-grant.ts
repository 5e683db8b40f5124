import { AlikeNames } from './alike-names.ts';
import type { Grant } from './engine.ts';

/** What a credential's engine does to the requests it lets through, beside letting them through. */
export interface CredentialHandling {
  /** Lowercase headers that carry the credential, where it is to go from the request; else empty. */
  readonly stripHeaders: readonly string[];
  readonly stripQueryParameter: string | undefined;
  /** Lowercase; empty when the upstream is not told the subject. */
  readonly subjectHeader: string;
}

/** What holds where headers belong to engines of other routes. Undefined where there are none. */
export function withholdHeaders(names: readonly string[]): Grant | undefined {
  return names.length === 0 ? undefined : { ownHeaders: new AlikeNames(names) };
}

/** Makes the grants of one engine: what all of them have in common is made once. */
export class GrantMaker {
  readonly #subjectHeader: string;
  readonly #removeHeaders: readonly string[] | undefined;
  readonly #ownHeaders: AlikeNames | undefined;
  readonly #removeQueryParameter: string | undefined;
  /**
   * What holds for every request: the header that tells the subject is the engine's alone, and where credentials are
   * stripped a bad one goes too. Undefined where there is nothing to do.
   */
  readonly withheld: Grant | undefined;

  constructor({ stripHeaders, stripQueryParameter, subjectHeader }: CredentialHandling) {
    this.#subjectHeader = subjectHeader;
    this.#removeHeaders = stripHeaders.length === 0 ? undefined : stripHeaders;
    this.#ownHeaders = subjectHeader === '' ? undefined : new AlikeNames([subjectHeader]);
    this.#removeQueryParameter = stripQueryParameter;
    const isIdle = subjectHeader === '' && stripHeaders.length === 0 && stripQueryParameter === undefined;
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
      ownHeaders: this.#ownHeaders,
      setHeaders: told ? [[this.#subjectHeader, subject]] : undefined,
      removeQueryParameter: this.#removeQueryParameter,
    };
  }
}
