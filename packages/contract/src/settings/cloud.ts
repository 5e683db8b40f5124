import * as z from 'zod';
import { defineSettings, secretText } from './define.ts';

const RESERVED = ['other', 'default', 'system', 'admin', 'root'];

export const cloudNameSchema = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\w-]+$/, 'letters, digits, dash and underscore')
  .refine((name) => !RESERVED.includes(name.toLowerCase()), `must not be one of ${RESERVED.join(', ')}`);

/** Access to an OpenStack cloud with an application credential of its identity service (Keystone v3). */
export const CLOUD_SETTINGS = defineSettings({
  key: 'cloud',
  title: 'Clouds',
  scope: 'project',
  area: 'connections',
  isUnused: true,
  named: cloudNameSchema,
  schema: z.strictObject({
    provider: z.literal('openstack').default('openstack'),
    auth: z.strictObject({
      auth_url: z.url({ protocol: /^https?$/ }).max(512),
      application_credential_id: z.string().min(1).max(128),
      application_credential_secret: secretText(1024),
    }),
    region_name: z.string().min(1).max(128),
    interface: z.enum(['public', 'internal', 'admin']).default('public'),
    identity_api_version: z.literal('3').default('3'),
    auth_type: z.literal('v3applicationcredential').default('v3applicationcredential'),
  }),
  wanted: ['auth.application_credential_secret'],
  sentTo: ['auth.auth_url'],
});
