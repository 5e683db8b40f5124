import { isLoopback } from '@flotilla/kit/download-address';
import * as z from 'zod';
import { defineSettings, secretText } from './define.ts';
import { groupMappingSchema } from './group-mapping.ts';

/** Part of addresses, among them the redirect URI that is registered with the provider. */
export const realmNameSchema = z
  .string()
  .max(32)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 'lower-case letters, digits and dashes');

const claim = (name: string) => z.string().min(1).max(256).default(name);

/** Lets people sign in with an OpenID Connect provider (Core 1.0: authorization code, here with PKCE). */
export const OIDC_SETTINGS = defineSettings({
  key: 'oidc',
  title: 'OpenID Connect',
  scope: 'installation',
  area: 'sign_in',
  ownersOnly: true,
  named: realmNameSchema,
  refusedWhole: true,
  whenRefused: { title: '-', issuer: 'https://refused.invalid', client_id: '-' },
  schema: z.strictObject({
    enabled: z.boolean().default(false),
    /** Shown on the button of the sign-in page. */
    title: z.string().min(1).max(64),
    /** Exactly as the provider writes it, including a final slash. */
    issuer: z
      .url({ protocol: /^https?$/ })
      .max(512)
      .refine((issuer) => issuer.startsWith('https:') || isLoopback(issuer), 'must use https'),
    client_id: z.string().min(1).max(256),
    client_secret: secretText(1024),
    /** How the secret is sent to the provider. */
    client_auth: z.enum(['basic', 'post']).default('basic'),
    scopes: z
      .array(z.string().regex(/^[!#-[\]-~]{1,128}$/))
      .max(32)
      .default(['profile', 'email']),
    /** The claim that becomes the user name of a new account. */
    name_claim: claim('preferred_username'),
    groups_claim: claim('groups'),
    /** Creates an account for a person who signs in and has a role by the mapping. */
    create_users: z.boolean().default(true),
    mapping: groupMappingSchema,
    /** Values of the claims `acr` and `amr` that replace our second factor. Empty: none does. */
    trusted_acr: z.array(z.string().min(1).max(256)).max(16).default([]),
    trusted_amr: z.array(z.string().min(1).max(64)).max(16).default([]),
    /** For each answer of the provider. */
    timeout_ms: z.number().int().min(100).max(30_000).default(5000),
  }),
  sentTo: ['issuer'],
});
export type OidcSettings = z.output<typeof OIDC_SETTINGS.schema>;
