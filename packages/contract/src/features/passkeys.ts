import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, observed, timeSchema } from '../schemas.ts';
import { browserSessionSchema, loginResponseSchema } from './sessions.ts';

const bytesSchema = z.base64url().min(1).max(32_768);

const credential = {
  id: bytesSchema,
  rawId: bytesSchema,
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional(),
  clientExtensionResults: z.looseObject({}),
};

/** The result of a browser's `navigator.credentials.get` (WebAuthn level 3, AuthenticationResponseJSON). */
export const passkeyAnswerSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytesSchema,
    authenticatorData: bytesSchema,
    signature: bytesSchema,
    userHandle: bytesSchema.optional(),
  }),
});
export type PasskeyAnswer = z.infer<typeof passkeyAnswerSchema>;

/** The result of a browser's `navigator.credentials.create` (WebAuthn level 3, RegistrationResponseJSON). */
export const newPasskeyAnswerSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytesSchema,
    attestationObject: bytesSchema,
    transports: z.array(z.string().max(32)).max(16).optional(),
  }),
});

/** Options for `navigator.credentials` (WebAuthn level 3, section 5.1), as JSON. */
const optionsSchema = z.looseObject({ challenge: z.string(), timeout: z.number().optional() });

export const passkeySchema = z.object({
  id: idSchema,
  name: z.string(),
  created_at: timeSchema,
  last_used_at: observed(timeSchema.nullable()),
  /** True: it is synchronised between several devices of its owner. */
  backed_up: z.boolean(),
});

const passkeyNameSchema = z.string().trim().min(1).max(64);
/** Left out by accounts of a provider, which must have signed in within the last ten minutes. */
const password = z.string().min(1).max(1024).optional();
const step = {
  tag: 'Session',
  family: 'identity',
  access: { kind: 'public' },
  project: 'none',
  rate: 'login',
} as const;
const own = {
  tag: 'Passkeys',
  family: 'identity',
  access: { kind: 'authenticated' },
  people: true,
  project: 'none',
} as const;

export const passkeyRoutes = {
  beginSignIn: defineRoute({
    id: 'beginPasskeySignIn',
    method: 'POST',
    path: '/auth/passkey/begin',
    summary: 'Get the options that a browser needs to ask for a passkey; valid once, for five minutes',
    ...step,
    audit: 'passkey.ask',
    status: 200,
    response: optionsSchema,
  }),
  signIn: defineRoute({
    id: 'signInWithPasskey',
    method: 'POST',
    path: '/auth/passkey/finish',
    summary: 'Sign in with only a passkey, which is two factors: the device and what unlocks it',
    ...step,
    audit: 'session.login',
    body: z.strictObject({ passkey: passkeyAnswerSchema }),
    status: 200,
    response: loginResponseSchema,
  }),
  signInInBrowser: defineRoute({
    id: 'browserSignInWithPasskey',
    method: 'POST',
    path: '/auth/browser/passkey/finish',
    summary: 'Sign in from a browser with only a passkey; the session is a cookie',
    ...step,
    audit: 'session.login',
    body: z.strictObject({ passkey: passkeyAnswerSchema }),
    status: 200,
    response: browserSessionSchema,
  }),
  list: defineRoute({
    id: 'listPasskeys',
    method: 'GET',
    path: '/api/v3/profile/passkeys',
    summary: "List the caller's passkeys, oldest first",
    ...own,
    audit: null,
    status: 200,
    response: z.object({ items: z.array(passkeySchema), next_cursor: z.null() }),
  }),
  get: defineRoute({
    id: 'getPasskey',
    method: 'GET',
    path: '/api/v3/profile/passkeys/:passkey_id',
    summary: "Read one of the caller's passkeys",
    ...own,
    audit: null,
    params: z.strictObject({ passkey_id: idSchema }),
    status: 200,
    response: passkeySchema,
  }),
  begin: defineRoute({
    id: 'beginPasskey',
    method: 'POST',
    path: '/api/v3/profile/passkeys/begin',
    summary: 'Get the options that a browser needs to create a passkey; valid once, for five minutes',
    ...own,
    audit: 'passkey.begin',
    body: z.strictObject({ password }),
    status: 200,
    response: optionsSchema,
  }),
  add: defineRoute({
    id: 'addPasskey',
    method: 'POST',
    path: '/api/v3/profile/passkeys',
    summary: 'Register a new passkey; from now on the password alone is not enough to sign in',
    ...own,
    audit: 'passkey.add',
    query: z.strictObject(dryRunQuery),
    body: z.strictObject({ name: passkeyNameSchema, passkey: newPasskeyAnswerSchema }),
    status: 201,
    response: passkeySchema,
  }),
  rename: defineRoute({
    id: 'renamePasskey',
    method: 'PATCH',
    path: '/api/v3/profile/passkeys/:passkey_id',
    summary: "Rename one of the caller's passkeys",
    ...own,
    audit: 'passkey.rename',
    params: z.strictObject({ passkey_id: idSchema }),
    query: z.strictObject(dryRunQuery),
    body: z.strictObject({ name: passkeyNameSchema }),
    status: 200,
    response: passkeySchema,
  }),
  remove: defineRoute({
    id: 'removePasskey',
    method: 'DELETE',
    path: '/api/v3/profile/passkeys/:passkey_id',
    summary: "Remove one of the caller's passkeys, with the password",
    ...own,
    audit: 'passkey.remove',
    params: z.strictObject({ passkey_id: idSchema }),
    query: z.strictObject(dryRunQuery),
    body: z.strictObject({ password }),
    status: 204,
  }),
};

export const passkeysAuditWords = defineAuditWords({
  actions: {
    'passkey.add': 'add own passkey',
    'passkey.ask': 'start sign-in with a passkey',
    'passkey.begin': 'start adding a passkey',
    'passkey.remove': 'remove own passkey',
    'passkey.rename': 'rename own passkey',
  },
  own: ['passkey.add', 'passkey.ask', 'passkey.begin', 'passkey.remove', 'passkey.rename'],
});
