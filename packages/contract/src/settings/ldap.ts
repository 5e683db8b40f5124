import { isLoopback } from '@flotilla/kit/download-address';
import * as z from 'zod';
import { defineSettings, secretText } from './define.ts';
import { pemSchema } from './forwarding.ts';
import { groupMappingSchema } from './group-mapping.ts';

const attribute = (name: string) =>
  z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'the name of an attribute')
    .default(name);
const dnSchema = z.string().max(1024).default('');

const serverSchema = z
  .strictObject({
    url: z
      .string()
      .regex(
        /^ldaps?:\/\/(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/,
        'ldaps://host or ldap://host',
      ),
    /** For ldap:// only: encrypts the connection before anything else is sent (RFC 4511, 4.14). */
    start_tls: z.boolean().default(false),
  })
  .refine(({ url, start_tls: startsTls }) => url.startsWith('ldaps:') || startsTls || isLoopback(url), {
    path: ['start_tls'],
    message: 'is required for ldap://, because passwords would cross the network unencrypted',
  })
  .refine(({ url, start_tls: startsTls }) => !(url.startsWith('ldaps:') && startsTls), {
    path: ['start_tls'],
    message: 'is only allowed for ldap://',
  });

/** Lets people sign in with their password of a directory. */
export const LDAP_SETTINGS = defineSettings({
  key: 'ldap',
  title: 'LDAP directory',
  scope: 'installation',
  area: 'sign_in',
  ownersOnly: true,
  refusedWhole: true,
  schema: z
    .strictObject({
      enabled: z.boolean().default(false),
      /** Shown on the sign-in page. */
      title: z.string().min(1).max(64).default('Directory'),
      /** Tried in this order. A server that does not answer is skipped for half a minute. */
      servers: z.array(serverSchema).max(8).default([]),
      /** CA certificates for the servers; null: those of the operating system. */
      ca: pemSchema,
      /** The account that searches; empty if the directory does not allow searches. */
      bind_dn: dnSchema,
      bind_password: secretText(1024),
      base_dn: dnSchema,
      user_filter: z
        .string()
        .max(1024)
        .refine((filter) => filter.includes('{username}'), 'must contain {username}')
        .default('(&(objectClass=person)(uid={username}))'),
      /** An attribute of a person that never changes: `objectGUID` in Active Directory. */
      id_attribute: attribute('entryUUID'),
      name_attribute: attribute('uid'),
      email_attribute: attribute('mail'),
      groups: z
        .strictObject({
          /** `member_of`: an attribute of the person's entry lists the groups; `search`: group entries name the person. */
          from: z.enum(['none', 'member_of', 'search']).default('none'),
          /** Empty: the base DN of the people. */
          base_dn: dnSchema,
          filter: z.string().max(1024).default('(objectClass=groupOfNames)'),
          member_attribute: attribute('member'),
          /** How nested groups are resolved. `walk`: level by level; `matching_rule`: by Active Directory itself. */
          nested: z.enum(['no', 'walk', 'matching_rule']).default('no'),
        })
        .prefault({}),
      /** Creates an account for a person who signs in and has a role by the mapping. */
      create_users: z.boolean().default(true),
      mapping: groupMappingSchema,
      /** For each answer of a server. */
      timeout_ms: z.number().int().min(100).max(30_000).default(3000),
      /** For a whole sign-in, across all servers. */
      deadline_ms: z.number().int().min(500).max(60_000).default(10_000),
    })
    .refine(({ enabled, servers }) => !enabled || servers.length > 0, {
      path: ['servers'],
      message: 'is required if enabled',
    })
    .refine(({ enabled, base_dn: baseDn }) => !enabled || baseDn !== '', {
      path: ['base_dn'],
      message: 'is required if enabled',
    }),
  sentTo: ['servers', 'bind_dn'],
});
export type LdapSettings = z.output<typeof LDAP_SETTINGS.schema>;
