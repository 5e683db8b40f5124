import { isLoopback } from '@flotilla/kit/download-address';
import * as z from 'zod';
import { defineSettings, secretText } from './define.ts';
import { pemSchema } from './forwarding.ts';

const RESERVED = ['other', 'default', 'system', 'admin', 'root'];

export const cloudNameSchema = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\w-]+$/, 'letters, digits, dash and underscore')
  .refine((name) => !RESERVED.includes(name.toLowerCase()), `must not be one of ${RESERVED.join(', ')}`);

const authUrlSchema = z
  .url({ protocol: /^https?$/ })
  .max(512)
  .refine((text) => !/[?#@]/.test(text), 'must have neither a user nor a query')
  .refine(
    (text) => text.startsWith('https:') || isLoopback(text),
    'must start with https, because the secret would cross the network unencrypted',
  );

/** Access to an OpenStack cloud (Keystone v3): with an application credential, or with the password of a user. */
export const CLOUD_SETTINGS = defineSettings({
  key: 'cloud',
  title: 'Clouds',
  scope: 'project',
  area: 'connections',
  named: cloudNameSchema,
  schema: z
    .strictObject({
      provider: z.literal('openstack').default('openstack'),
      auth_type: z.enum(['v3applicationcredential', 'v3password']).default('v3applicationcredential'),
      auth: z.strictObject({
        auth_url: authUrlSchema,
        application_credential_id: z.string().max(128).default(''),
        application_credential_secret: secretText(1024),
        username: z.string().max(255).default(''),
        user_domain_name: z.string().max(64).default('Default'),
        password: secretText(1024),
      }),
      region_name: z.string().min(1).max(128),
      interface: z.enum(['public', 'internal', 'admin']).default('public'),
      identity_api_version: z.literal('3').default('3'),
      /** CA certificates of the cloud; null: those of the operating system. */
      ca_cert: pemSchema,
    })
    .superRefine(({ auth_type: type, auth }, ctx) => {
      const [name, isMissing] =
        type === 'v3password'
          ? ['username', auth.username === '']
          : ['application_credential_id', auth.application_credential_id === ''];
      if (isMissing) ctx.addIssue({ code: 'custom', path: ['auth', name], message: `is required for ${type}` });
    }),
  wanted: ({ auth_type: type }) => [type === 'v3password' ? 'auth.password' : 'auth.application_credential_secret'],
  sentTo: ['auth.auth_url', 'ca_cert'],
});
