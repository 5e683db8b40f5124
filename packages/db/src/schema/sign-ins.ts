/** Of second factors, passkeys and other ways to sign in. */
export type SignInTables = Record<never, never>;
