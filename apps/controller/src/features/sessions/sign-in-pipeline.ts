import type { Tx } from '@flotilla/db';
import type { Reply, RequestContext } from '../../http/context.ts';
import type { SessionUser } from './service.ts';
import type { ShownFor } from './session-store.ts';

/** How somebody has shown who they are, so far. */
export interface SignedInBy {
  readonly userId: string;
  readonly primary: ShownFor['primary'];
  /** `provider`: one that was shown where the user signed in, and that is trusted. */
  readonly factors: readonly ('otp' | 'backup_code' | 'passkey' | 'provider')[];
}

/** A second factor that came along. */
export interface GivenCode {
  readonly otp_code?: string | undefined;
  readonly backup_code?: string | undefined;
}

/** Opens the kind of session that was asked for, in the transaction that let the user in. */
export type OpenSession = (tx: Tx, user: SessionUser, by: SignedInBy) => Promise<Reply>;

/** What every way of signing in ends in, and the only one that opens sessions. */
export interface SignInPipeline {
  /** Throws auth.factor_required with a challenge where something is still wanted, auth.factor_wrong for a wrong code. */
  finish(ctx: RequestContext, by: SignedInBy, given: GivenCode, open: OpenSession): Promise<Reply>;
}

/** Accounts whose passwords are somebody else's to check. */
export interface PasswordRealms {
  /** Throws auth.wrong_credentials, auth.throttled and sign_in.*. */
  signIn(
    ctx: RequestContext,
    given: { readonly realm: string; readonly username: string; readonly password: string },
  ): Promise<SignedInBy>;
  /**
   * Whether a signed-in caller shows once more who they are; undefined for accounts of here. Throws sign_in.again where
   * there is no password to ask for, and what `signIn` does of an account that a directory has.
   */
  confirm(
    ctx: RequestContext,
    caller: { readonly id: string; readonly name: string; readonly sessionId: string },
    password: string,
  ): Promise<boolean | undefined>;
}
