import { AlikeNames } from './alike-names.ts';
import type { Grant } from './engine.ts';

/** Changes that a credential engine makes to the requests that it allows. */
export interface CredentialHandling {
  /** Lowercase headers with the credential, if it must be removed from the request; otherwise empty. */
  readonly stripHeaders: readonly string[];
  readonly stripQueryParameter: string | undefined;
  /** Lowercase; empty if the upstream does not get the subject. */
  readonly subjectHeader: string;
}

/** The grant for routes on which other routes' engines own headers, if any. */
export function withholdHeaders(names: readonly string[]): Grant | undefined {
  return names.length === 0 ? undefined : { ownHeaders: new AlikeNames(names) };
}

/** Creates the grants of one engine; their common parts are created once. */
export class GrantBuilder {
  readonly #subjectHeader: string;
  readonly #removeHeaders: readonly string[] | undefined;
  readonly #ownHeaders: AlikeNames | undefined;
  readonly #removeQueryParameter: string | undefined;
  /**
   * Applies to every request: clients may not set the subject header, and if credentials are stripped, invalid ones are
   * too. Undefined if there is nothing to do.
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

  /** The grant of a subject; an empty subject is anonymous. */
  make(subject: string): Grant | undefined {
    return subject === '' ? this.withheld : this.#make(subject);
  }

  #make(subject: string | undefined): Grant {
    const setsSubject = subject !== undefined && this.#subjectHeader !== '';
    return {
      subject,
      removeHeaders: this.#removeHeaders,
      ownHeaders: this.#ownHeaders,
      setHeaders: setsSubject ? [[this.#subjectHeader, subject]] : undefined,
      removeQueryParameter: this.#removeQueryParameter,
    };
  }
}
