import type { CallInput, PasskeyAnswer, passkeyRoutes } from '@flotilla/contract';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { call, routes } from '../api/index.ts';

type NewPasskey = NonNullable<CallInput<typeof passkeyRoutes.add>['body']>['passkey'];

/** Passkeys need a secure context: HTTPS or localhost. */
export const knowsPasskeys = (): boolean => typeof PublicKeyCredential === 'function';

/** Asks the browser for a passkey of this address. Throws an error that `wasCancelled` recognises if none was given. */
export async function askForPasskey(): Promise<PasskeyAnswer> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const { body } = await call(routes.passkey.beginSignIn, {});
  // The options come unchanged from the server library.
  const optionsJSON = body as unknown as PublicKeyCredentialRequestOptionsJSON;
  return (await startAuthentication({ optionsJSON })) as PasskeyAnswer;
}

/** Asks the browser to create a passkey. Throws errors that `wasCancelled` and `isKnownHere` recognise. */
export async function makePasskey(password: string): Promise<NewPasskey> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  const { body } = await call(routes.passkey.begin, { body: { password } });
  const optionsJSON = body as unknown as PublicKeyCredentialCreationOptionsJSON;
  return (await startRegistration({ optionsJSON })) as NewPasskey;
}

/** The user did not unlock or choose a passkey, or has none: browsers do not say which (WebAuthn level 3, section 14.5). */
export const wasCancelled = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError');

/** Passkeys belong to an address, and the page was opened at a different one. */
export const isElsewhere = (error: unknown): boolean => error instanceof Error && error.name === 'SecurityError';

export const isKnownHere = (error: unknown): boolean => error instanceof Error && error.name === 'InvalidStateError';
