/** Where a question to a directory may end. */
export type LdapStep = 'connect' | 'tls' | 'bind' | 'search' | 'password' | 'groups';

/** A directory that cannot be asked, or not this way. The message is for administrators and holds nothing that was typed. */
export class LdapFailure extends Error {
  readonly step: LdapStep;

  constructor(step: LdapStep, message: string, options?: ErrorOptions) {
    super(message, options);
    this.step = step;
  }
}
