import * as z from 'zod';
import { defineSettings, secretText } from './define.ts';
import { pemSchema } from './forwarding.ts';

export const GENERAL_SETTINGS = defineSettings({
  key: 'general',
  title: 'General',
  scope: 'installation',
  area: 'general',
  schema: z.strictObject({
    /** Shown on the screens, to distinguish several installations. */
    name: z.string().min(1).max(64).default('Flotilla'),
    /** Address at which people open the screens; null: that of the request. */
    public_url: z
      .url({ protocol: /^https?$/ })
      .max(512)
      .nullable()
      .default(null),
  }),
});

/** The mail server through which alerts are sent. */
export const SMTP_SETTINGS = defineSettings({
  key: 'smtp',
  title: 'Mail',
  scope: 'installation',
  area: 'connections',
  refusedWhole: true,
  schema: z
    .strictObject({
      enabled: z.boolean().default(false),
      host: z.string().max(253).default(''),
      port: z.number().int().min(1).max(65535).default(587),
      encryption: z.enum(['none', 'starttls', 'tls']).default('starttls'),
      /** The authority of the server's certificate; null: the public ones. */
      ca_cert: pemSchema,
      username: z.string().max(256).default(''),
      password: secretText(1024),
      sender: z.email().max(254).nullable().default(null),
    })
    .refine(({ enabled, host }) => !enabled || host !== '', { path: ['host'], message: 'is required if enabled' })
    .refine(({ enabled, sender }) => !enabled || sender !== null, {
      path: ['sender'],
      message: 'is required if enabled',
    }),
  sentTo: ['host', 'port', 'encryption', 'ca_cert'],
});

/** The language model that writes analyses. */
export const AI_SETTINGS = defineSettings({
  key: 'ai',
  title: 'Analysis',
  scope: 'project',
  area: 'connections',
  isUnused: true,
  schema: z.strictObject({
    endpoint: z
      .url({ protocol: /^https$/ })
      .max(512)
      .nullable()
      .default(null),
    model: z.string().max(128).default(''),
    api_key: secretText(1024),
  }),
  sentTo: ['endpoint'],
});
