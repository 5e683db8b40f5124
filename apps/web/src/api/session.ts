import type { FactorNeeded, PasskeyAnswer, Role } from '@flotilla/contract';
import { useSyncExternalStore } from 'react';
import { ApiError, call, connectSession, OfflineError, routes } from './call.ts';
import { queryClient } from './query-client.ts';

export interface SessionUser {
  readonly id: string;
  readonly username: string;
  readonly email: string | null;
  readonly is_owner: boolean;
  /** Only the page that changes the password is available. */
  readonly must_change_password: boolean;
  readonly memberships: readonly { readonly project: string; readonly project_name: string; readonly role: Role }[];
}

/**
 * loading     not asked yet -> anonymous, signedIn or unreachable
 * unreachable the first question got no answer -> loading, when asked again
 * anonymous   nobody is signed in -> signedIn
 * signedIn    -> anonymous (signed out here), expired (the controller forgot the session)
 * expired     the page stays as it is, with what was typed; signing in again (the same user) -> signedIn
 */
export type Session =
  | { readonly status: 'loading' }
  | { readonly status: 'unreachable' }
  | { readonly status: 'anonymous' }
  | { readonly status: 'signedIn'; readonly user: SessionUser; readonly csrfToken: string }
  | { readonly status: 'expired'; readonly user: SessionUser };

let session: Session = { status: 'loading' };
const listeners = new Set<() => void>();

function change(next: Session): void {
  const [before, after] = [userOf(session), userOf(next)];
  session = next;
  // The next user of this browser must not see anything that this user read or typed.
  if (before !== undefined && before !== after) {
    queryClient.clear();
    sessionStorage.clear();
  }
  for (const listener of listeners) listener();
}

function userOf(one: Session): string | undefined {
  return one.status === 'signedIn' || one.status === 'expired' ? one.user.id : undefined;
}

connectSession({
  csrfToken: () => (session.status === 'signedIn' ? session.csrfToken : undefined),
  onSignedOut: () => {
    if (session.status === 'signedIn') change({ status: 'expired', user: session.user });
  },
  keepFresh: async () => {
    if (session.status === 'signedIn' && Date.now() > refreshAtMs) await refresh();
  },
  refresh: () => refresh(),
});

/** Replaces an access token this long before it expires, and at most this often if the clock is wrong. */
const MARGIN_MS = 60_000;
let refreshAtMs = Number.POSITIVE_INFINITY;
let refreshing: Promise<boolean> | undefined;

function signedIn(body: { user: SessionUser; csrf_token: string; expires_at: string }): void {
  refreshAtMs = Math.max(Date.parse(body.expires_at) - MARGIN_MS, Date.now() + MARGIN_MS);
  change({ status: 'signedIn', user: body.user, csrfToken: body.csrf_token });
}

/**
 * Refreshes the tokens once for all waiting calls. Returns false if the session has ended. Tabs that refresh at once get the same tokens.
 */
function refresh(): Promise<boolean> {
  refreshing ??= call(routes.session.browserRefresh, {})
    .then(({ body }) => {
      signedIn(body);
      return true;
    })
    .catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return false;
      throw error;
    })
    .finally(() => {
      refreshing = undefined;
    });
  return refreshing;
}

export function getSession(): Session {
  return session;
}

/** Calls the listener after each change until the returned function is called. */
export function subscribeSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSession(): Session {
  return useSyncExternalStore(subscribeSession, getSession);
}

/** Loads the session, also after a change of the user's account or memberships. Resolves with whether the controller answered. */
export async function loadSession(): Promise<boolean> {
  try {
    const { body } = await call(routes.session.browserSession, {});
    signedIn(body);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) {
      if (session.status !== 'expired') change({ status: 'anonymous' });
    } else if (session.status === 'loading' || session.status === 'unreachable') change({ status: 'unreachable' });
    return !(error instanceof OfflineError);
  }
  return true;
}

let otherTabs: BroadcastChannel | undefined;

/** Reloads the session when another tab signs in or out: tabs share their cookies. */
export function watchOtherTabs(): void {
  const listen = () => {
    otherTabs = new BroadcastChannel('flotilla-session');
    otherTabs.onmessage = () => void loadSession();
  };
  // An open channel would keep the page out of the back/forward cache, or evict it.
  window.addEventListener('pagehide', () => {
    otherTabs?.close();
    otherTabs = undefined;
  });
  window.addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    listen();
    void loadSession();
  });
  listen();
}

/** Notifies the other tabs. Called after signing in or out here. */
function tellOtherTabs(): void {
  otherTabs?.postMessage('changed');
}

/** Returns the missing step before a session begins, or undefined if it has begun. Throws as `call` does. */
export async function signIn(given: {
  username: string;
  password: string;
  realm?: string;
}): Promise<FactorNeeded | undefined> {
  try {
    const { body } = await call(routes.session.browserLogin, { body: given });
    signedIn(body);
    tellOtherTabs();
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'auth.factor_required')) throw error;
    return error.body as unknown as FactorNeeded;
  }
}

/** Throws as `call` does. */
export async function signInWithFactor(
  challenge: string,
  given: { otp_code: string } | { backup_code: string } | { passkey: PasskeyAnswer },
): Promise<void> {
  const { body } = await call(routes.secondFactor.redeemInBrowser, { body: { challenge, ...given } });
  signedIn(body);
  tellOtherTabs();
}

/** Signs in with only a passkey. Throws as `call` does. */
export async function signInWithPasskey(passkey: PasskeyAnswer): Promise<void> {
  const { body } = await call(routes.passkey.signInInBrowser, { body: { passkey } });
  signedIn(body);
  tellOtherTabs();
}

/** Throws if the controller did not answer: the session still exists then. */
export async function signOut(): Promise<void> {
  if (session.status === 'signedIn') await call(routes.session.browserLogout, {});
  change({ status: 'anonymous' });
  tellOtherTabs();
}
