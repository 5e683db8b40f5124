import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { roleSchema } from '../roles.ts';
import { defineRoute, LIST_BODY_BYTES } from '../route.ts';
import { idSchema } from '../schemas.ts';
import { secret } from '../secret.ts';
import { LDAP_SETTINGS } from '../settings/ldap.ts';
import { realmNameSchema } from '../settings/oidc.ts';
import type { FactorNeeded } from './second-factor.ts';
import { settingTrialSchema } from './settings.ts';

/** The realm of accounts with a local password. */
export const LOCAL_REALM = 'local';
/** The realm of the LDAP directory. */
export const LDAP_REALM = 'ldap';

const realmSchema = z.object({
  /** Sent as `realm` with a name and a password; for OpenID Connect the name of the provider. */
  name: z.string(),
  kind: z.enum(['local', 'ldap', 'oidc']),
  title: z.string(),
  /** Address for a browser to sign in, with a local path in `?return_to=`; null if the realm takes a name and a password. */
  start: z.string().nullable(),
});
export type Realm = z.infer<typeof realmSchema>;

const providerParams = z.strictObject({ provider: realmNameSchema });
const public_ = { tag: 'Session', family: 'identity', access: { kind: 'public' }, project: 'none' } as const;

export const directoryRoutes = {
  realms: defineRoute({
    id: 'listRealms',
    method: 'GET',
    path: '/auth/realms',
    summary:
      'Read the name of the installation and its ways to sign in: local accounts, a directory, OpenID Connect providers',
    ...public_,
    audit: null,
    status: 200,
    response: z.object({
      installation: z.string(),
      items: z.array(realmSchema),
      /** Whether passkeys can be used: the installation must know the address that they belong to. */
      passkeys: z.boolean(),
      /** Minimum length of a new password. */
      password_min_length: z.number().int(),
    }),
  }),
  start: defineRoute({
    id: 'startOidcSignIn',
    method: 'GET',
    path: '/auth/oidc/:provider/start',
    summary: 'Redirect a browser to the sign-in page of the provider',
    ...public_,
    rate: 'login',
    audit: null,
    params: providerParams,
    /** The local path that the browser opens in the end; every other value becomes `/`. */
    query: z.strictObject({ return_to: z.string().max(1024).optional() }),
    status: 302,
  }),
  callback: defineRoute({
    id: 'finishOidcSignIn',
    method: 'GET',
    path: '/auth/oidc/:provider/callback',
    summary:
      'Redirect a browser that comes back from the provider to the path it came from, signed in or with a fragment that says what is missing',
    ...public_,
    rate: 'login',
    audit: 'session.login',
    params: providerParams,
    /** RFC 6749 4.1.2, RFC 9207; providers add members of their own. */
    query: z.looseObject({
      state: z.string().max(512).optional(),
      code: z.string().max(4096).optional(),
      iss: z.string().max(2048).optional(),
      error: z.string().max(256).optional(),
    }),
    status: 302,
  }),
};

/** A person in the directory, and the roles that they would have here. */
const foundPersonSchema = z.object({
  dn: z.string(),
  username: z.string(),
  email: z.string().nullable(),
  /** Distinguished names. */
  groups: z.array(z.string()),
  roles: z.array(z.object({ project: idSchema, role: roleSchema })),
});

export const ldapTrialRoutes = {
  signIn: defineRoute({
    id: 'testLdapSignIn',
    method: 'POST',
    path: '/api/v3/setting/ldap-config/test-auth',
    summary:
      'Test a sign-in with a configuration that need not be saved: how far it gets, and which roles it would give',
    tag: 'Directories',
    family: 'identity',
    access: { kind: 'system_owner' },
    people: true,
    project: 'none',
    rate: 'trial',
    audit: 'setting.test',
    bodyLimit: LIST_BODY_BYTES,
    body: z.strictObject({
      username: z.string().min(1).max(256),
      password: secret(z.string().min(1).max(1024)),
      /** The document to try, as it would be saved. Secrets that are left out are the stored ones. Left out: the stored document. */
      configuration: LDAP_SETTINGS.schema.optional(),
    }),
    status: 200,
    response: settingTrialSchema.extend({ person: foundPersonSchema.nullable() }),
  }),
};

/** The result for a browser that comes back from a provider without a session, in the fragment of the address. */
export type SignInNews =
  | { readonly kind: 'factor'; readonly needed: FactorNeeded }
  /** A code of the error table. */
  | { readonly kind: 'error'; readonly code: string };

const NEWS = 'sign-in';

/** Returns `#sign-in=...`. No server sees a fragment. The screens read it only if they sent the browser to the provider. */
export function toSignInFragment(news: SignInNews): string {
  return `#${NEWS}=${encodeURIComponent(JSON.stringify(news))}`;
}

export const directoriesAuditWords = defineAuditWords({
  actions: {
    'user.back': 'reinstate user',
    'user.gone': 'sign out user',
  },
});
