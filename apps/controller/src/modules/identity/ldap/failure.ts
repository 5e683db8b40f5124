/** The steps of asking a directory, each of which may fail. */
export type LdapStep = 'connect' | 'tls' | 'bind' | 'search' | 'password' | 'groups';

/**
 * A directory that is unreachable or refuses the request. The message is for administrators and contains nothing that a
 * user typed.
 */
export class LdapFailure extends Error {
  readonly step: LdapStep;

  constructor(step: LdapStep, message: string, options?: ErrorOptions) {
    super(message, options);
    this.step = step;
  }
}
