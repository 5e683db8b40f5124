import * as z from 'zod';
import { roleSchema } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema } from '../schemas.ts';
import { secret } from '../secret.ts';
import { LDAP_SETTINGS } from '../settings/ldap.ts';
import { realmNameSchema } from '../settings/oidc.ts';
import type { FactorNeeded } from './second-factor.ts';
import { settingTrialSchema } from './settings.ts';

/** The realm of accounts that have a password here. */
export const LOCAL_REALM = 'local';
/** The realm of the directory that is asked by LDAP. */
export const LDAP_REALM = 'ldap';

const realmSchema = z.object({
  /** Sent as `realm` with a name and a password; of OpenID Connect the name of the provider. */
  name: z.string(),
  kind: z.enum(['local', 'ldap', 'oidc']),
  /** For people. */
  title: z.string(),
  /** Where a browser goes to sign in, with `?return_to=` a path of ours; null where a name and a password are wanted. */
  start: z.string().nullable(),
});
export type Realm = z.infer<typeof realmSchema>;

const providerParams = z.strictObject({ provider: realmNameSchema });
const public_ = { tag: 'Session', access: { kind: 'public' }, project: 'none' } as const;

export const directoryRoutes = {
  realms: defineRoute({
    id: 'listRealms',
    method: 'GET',
    path: '/auth/realms',
    summary:
      'What the installation is called, and the ways to sign in: accounts of here, a directory, providers of OpenID Connect',
    ...public_,
    audit: null,
    status: 200,
    response: z.object({
      /** What the installation is called. */
      installation: z.string(),
      items: z.array(realmSchema),
      /** Passkeys can be used at all: the installation knows the address that they belong to. */
      passkeys: z.boolean(),
      /** Characters that a new password needs. */
      password_min_length: z.number().int(),
    }),
  }),
  start: defineRoute({
    id: 'startOidcSignIn',
    method: 'GET',
    path: '/auth/oidc/:provider/start',
    summary: 'For a browser: on to the sign-in page of the provider',
    ...public_,
    rate: 'login',
    audit: null,
    params: providerParams,
    /** Where the browser goes in the end: a path of ours, `/` for everything else. */
    query: z.strictObject({ return_to: z.string().max(1024).optional() }),
    status: 302,
  }),
  callback: defineRoute({
    id: 'finishOidcSignIn',
    method: 'GET',
    path: '/auth/oidc/:provider/callback',
    summary:
      'For a browser, back from the provider: on to the path it came from, signed in or with a fragment that says what is missing',
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

/** What the directory says of somebody, and what that would be worth here. */
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
    summary: 'Try a sign-in by a configuration that need not be saved: how far it goes, and which roles it would give',
    tag: 'Directories',
    access: { kind: 'system_owner' },
    people: true,
    project: 'none',
    rate: 'trial',
    audit: 'setting.test',
    bodyLimit: 512 * 1024,
    body: z.strictObject({
      username: z.string().min(1).max(256),
      password: secret(z.string().min(1).max(1024)),
      /** As it would be saved; secrets that are left out are the stored ones. Left out: the stored configuration. */
      configuration: LDAP_SETTINGS.schema.optional(),
    }),
    status: 200,
    response: settingTrialSchema.extend({ person: foundPersonSchema.nullable() }),
  }),
};

/** What a browser that comes back from a provider without a session is told, in the fragment of its address. */
export type SignInNews =
  | { readonly kind: 'factor'; readonly needed: FactorNeeded }
  /** A code of the table of errors. */
  | { readonly kind: 'error'; readonly code: string };

const NEWS = 'sign-in';

/** `#sign-in=...`: no server gets a fragment to see. The screens alone read it, and only where they have sent the browser away. */
export function toSignInFragment(news: SignInNews): string {
  return `#${NEWS}=${encodeURIComponent(JSON.stringify(news))}`;
}
