import type { Tx } from '@flotilla/db';
import type { Reply, RequestContext } from '../../http/context.ts';
import type { SessionUser } from './service.ts';

/** How somebody has shown who they are, so far. */
export interface SignedInBy {
  readonly userId: string;
  readonly primary: 'password' | 'passkey';
  readonly factors: readonly ('otp' | 'backup_code' | 'passkey')[];
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
