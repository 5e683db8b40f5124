import * as z from 'zod';
import { defineSettings, secretText } from './define.ts';
import { pemSchema } from './forwarding.ts';
import { groupMappingSchema, isLoopback } from './group-mapping.ts';

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
    /** Of ldap://: the connection is encrypted before anything else is sent (RFC 4511, 4.14). */
    start_tls: z.boolean().default(false),
  })
  .refine(({ url, start_tls: startsTls }) => url.startsWith('ldaps:') || startsTls || isLoopback(url), {
    path: ['start_tls'],
    message: 'is needed for ldap://: passwords would go over the network as they are',
  })
  .refine(({ url, start_tls: startsTls }) => !(url.startsWith('ldaps:') && startsTls), {
    path: ['start_tls'],
    message: 'is for ldap:// only',
  });

/** People of a directory sign in with the password they have there. */
export const LDAP_SETTINGS = defineSettings({
  key: 'ldap',
  title: 'LDAP directory',
  scope: 'installation',
  ownersOnly: true,
  refusedWhole: true,
  schema: z
    .strictObject({
      enabled: z.boolean().default(false),
      /** On the sign-in page. */
      title: z.string().min(1).max(64).default('Directory'),
      /** Asked in this order; one that does not answer is left out for half a minute. */
      servers: z.array(serverSchema).max(8).default([]),
      /** Certificates that the servers are trusted by; null: those of the operating system. */
      ca: pemSchema,
      /** Who searches; empty: nobody, where the directory lets nobody search. */
      bind_dn: dnSchema,
      bind_password: secretText(1024),
      base_dn: dnSchema,
      user_filter: z
        .string()
        .max(1024)
        .refine((filter) => filter.includes('{username}'), 'holds {username}')
        .default('(&(objectClass=person)(uid={username}))'),
      /** What never changes of a person: `objectGUID` in Active Directory. */
      id_attribute: attribute('entryUUID'),
      name_attribute: attribute('uid'),
      email_attribute: attribute('mail'),
      groups: z
        .strictObject({
          /** `member_of`: an attribute of the person's entry; `search`: groups that name the person. */
          from: z.enum(['none', 'member_of', 'search']).default('none'),
          /** Empty: that of the people. */
          base_dn: dnSchema,
          filter: z.string().max(1024).default('(objectClass=groupOfNames)'),
          member_attribute: attribute('member'),
          /** Groups in groups: `walk` asks level by level, `matching_rule` asks Active Directory to do it. */
          nested: z.enum(['no', 'walk', 'matching_rule']).default('no'),
        })
        .prefault({}),
      /** Whoever signs in and has a role by the mapping gets an account here. */
      create_users: z.boolean().default(true),
      mapping: groupMappingSchema,
      /** For each answer of a server. */
      timeout_ms: z.number().int().min(100).max(30_000).default(3000),
      /** For a whole sign-in, however many servers are asked. */
      deadline_ms: z.number().int().min(500).max(60_000).default(10_000),
    })
    .refine(({ enabled, servers }) => !enabled || servers.length > 0, {
      path: ['servers'],
      message: 'is needed when enabled',
    })
    .refine(({ enabled, base_dn: baseDn }) => !enabled || baseDn !== '', {
      path: ['base_dn'],
      message: 'is needed when enabled',
    }),
  sentTo: ['servers', 'bind_dn'],
});
export type LdapSettings = z.output<typeof LDAP_SETTINGS.schema>;
