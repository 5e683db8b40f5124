import type { Grant } from './engine.ts';

/** What a credential's engine does to the requests it lets through, beside letting them through. */
export interface CredentialHandling {
  /** Lowercase headers that carry the credential, where it is to go from the request; else empty. */
  readonly stripHeaders: readonly string[];
  readonly stripQueryParameter: string | undefined;
  /** Lowercase; empty when the upstream is not told the subject. */
  readonly subjectHeader: string;
}

/**
 * The grant of a subject, or without one what holds for every request: the header that tells the subject is the engine's
 * alone, so what the client sent under its name goes, and where credentials are stripped a bad one goes too. Undefined
 * where there is nothing to do.
 */
export function createGrant(handling: CredentialHandling, subject: string): Grant | undefined {
  const { stripHeaders, stripQueryParameter, subjectHeader } = handling;
  const removeHeaders = subjectHeader === '' ? stripHeaders : [...stripHeaders, subjectHeader];
  if (subject === '' && removeHeaders.length === 0 && stripQueryParameter === undefined) return undefined;
  return {
    ...(subject === '' ? {} : { subject }),
    ...(removeHeaders.length === 0 ? {} : { removeHeaders }),
    ...(subject === '' || subjectHeader === '' ? {} : { setHeaders: [[subjectHeader, subject]] as const }),
    ...(stripQueryParameter === undefined ? {} : { removeQueryParameter: stripQueryParameter }),
  };
}
