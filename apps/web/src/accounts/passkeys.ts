import type { CallInput, PasskeyAnswer, passkeyRoutes } from '@flotilla/contract';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { call, routes } from '../api/index.ts';

type NewPasskey = NonNullable<CallInput<typeof passkeyRoutes.add>['body']>['passkey'];

/** Passkeys are for pages that came encrypted, or from this machine. */
export const knowsPasskeys = (): boolean => typeof PublicKeyCredential === 'function';

/** Has the browser ask for a passkey of this address. Throws what `wasCancelled` knows where none was shown. */
export async function askForPasskey(): Promise<PasskeyAnswer> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const { body } = await call(routes.passkey.beginSignIn, {});
  // The options come from the library of the other side, as they are.
  const optionsJSON = body as unknown as PublicKeyCredentialRequestOptionsJSON;
  return (await startAuthentication({ optionsJSON })) as PasskeyAnswer;
}

/** Has the browser make one. Throws what `wasCancelled` and `isKnownHere` know. */
export async function makePasskey(password: string): Promise<NewPasskey> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  const { body } = await call(routes.passkey.begin, { body: { password } });
  const optionsJSON = body as unknown as PublicKeyCredentialCreationOptionsJSON;
  return (await startRegistration({ optionsJSON })) as NewPasskey;
}

/** Not unlocked, not chosen, or no passkey there: browsers do not say which (WebAuthn level 3, section 14.5). */
export const wasCancelled = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError');

/** The page was opened at another address than the one that passkeys belong to. */
export const isElsewhere = (error: unknown): boolean => error instanceof Error && error.name === 'SecurityError';

export const isKnownHere = (error: unknown): boolean => error instanceof Error && error.name === 'InvalidStateError';
