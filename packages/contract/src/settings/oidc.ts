import * as z from 'zod';
import { defineSettings, secretText } from './define.ts';
import { groupMappingSchema, isLoopback } from './group-mapping.ts';

/** Part of addresses: of the redirect URI that the provider is told, above all. */
export const realmNameSchema = z
  .string()
  .max(32)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 'lower-case letters, digits and dashes');

const claim = (name: string) => z.string().min(1).max(256).default(name);

/** People sign in at a provider of OpenID Connect (Core 1.0: authorization code, here with PKCE). */
export const OIDC_SETTINGS = defineSettings({
  key: 'oidc',
  title: 'OpenID Connect',
  scope: 'installation',
  ownersOnly: true,
  named: realmNameSchema,
  refusedWhole: true,
  whenRefused: { title: '-', issuer: 'https://refused.invalid', client_id: '-' },
  schema: z.strictObject({
    enabled: z.boolean().default(false),
    /** On the button of the sign-in page. */
    title: z.string().min(1).max(64),
    /** As the provider spells it, to the last slash. */
    issuer: z
      .url({ protocol: /^https?$/ })
      .max(512)
      .refine((issuer) => issuer.startsWith('https:') || isLoopback(issuer), 'is https'),
    client_id: z.string().min(1).max(256),
    client_secret: secretText(1024),
    /** How the secret is shown to the provider. */
    client_auth: z.enum(['basic', 'post']).default('basic'),
    scopes: z
      .array(z.string().regex(/^[!#-[\]-~]{1,128}$/))
      .max(32)
      .default(['profile', 'email']),
    /** The user name of an account that is made here. */
    name_claim: claim('preferred_username'),
    groups_claim: claim('groups'),
    /** Whoever signs in and has a role by the mapping gets an account here. */
    create_users: z.boolean().default(true),
    mapping: groupMappingSchema,
    /** What the provider may say (claims `acr` and `amr`) to spare people the second factor of here; nothing: it spares none. */
    trusted_acr: z.array(z.string().min(1).max(256)).max(16).default([]),
    trusted_amr: z.array(z.string().min(1).max(64)).max(16).default([]),
    /** For each answer of the provider. */
    timeout_ms: z.number().int().min(100).max(30_000).default(5000),
  }),
  sentTo: ['issuer'],
});
export type OidcSettings = z.output<typeof OIDC_SETTINGS.schema>;
