import type { Tx } from '@flotilla/db';
import type { Reply, RequestContext } from '../../../platform/http/context.ts';
import type { SessionUser } from './account-store.ts';
import type { ShownFor } from './session-store.ts';

/** How a person has authenticated so far. */
export interface SignedInBy {
  readonly userId: string;
  readonly primary: ShownFor['primary'];
  /** `provider`: a trusted factor that the provider has checked. */
  readonly factors: readonly ('otp' | 'backup_code' | 'passkey' | 'provider')[];
}

/** A second factor sent with the request. */
export interface GivenCode {
  readonly otp_code?: string | undefined;
  readonly backup_code?: string | undefined;
}

/** Opens the requested kind of session, in the transaction that admits the user. */
export type OpenSession = (tx: Tx, user: SessionUser, by: SignedInBy) => Promise<Reply>;

/** The last step of every way to sign in, and the only one that opens sessions. */
export interface SignInPipeline {
  /** Throws auth.factor_required with a challenge if a factor is missing, and auth.factor_wrong for a wrong code. */
  finish(ctx: RequestContext, by: SignedInBy, given: GivenCode, open: OpenSession): Promise<Reply>;
}

/** Accounts whose passwords a directory checks. */
export interface PasswordRealms {
  /** Throws auth.wrong_credentials, auth.throttled and sign_in.*. */
  signIn(
    ctx: RequestContext,
    given: { readonly realm: string; readonly username: string; readonly password: string },
  ): Promise<SignedInBy>;
  /**
   * Whether a signed-in caller has authenticated again; undefined for local accounts. Throws sign_in.again if there is
   * no password to ask for, and the errors of `signIn` for accounts of a directory.
   */
  confirm(
    ctx: RequestContext,
    caller: { readonly id: string; readonly name: string; readonly sessionId: string },
    password: string,
  ): Promise<boolean | undefined>;
}
