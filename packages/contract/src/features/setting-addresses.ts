import * as z from 'zod';
import { defineRoute, LIST_BODY_BYTES } from '../route.ts';
import { dryRunQuery, idSchema } from '../schemas.ts';
import { API_DISCOVERY_SETTINGS } from '../settings/api-discovery.ts';
import type { SettingsType } from '../settings/define.ts';
import { SYSLOG_SETTINGS } from '../settings/forwarding.ts';
import { LDAP_SETTINGS } from '../settings/ldap.ts';
import { ofAnyProject, readingSettings, SETTING_BASE, settingAdmins, settingOwners } from './setting-calls.ts';
import { settingSchema } from './settings.ts';

const ofInstallation = { access: settingOwners, project: 'none', query: z.strictObject(dryRunQuery) } as const;
/** Without a project: of the installation, for its owners only. */
const ofProjectToo = {
  access: settingAdmins,
  project: 'query_or_all',
  query: z.strictObject({ project: idSchema.optional(), ...dryRunQuery }),
} as const;

/** The routes of a settings document with its own address, for the installation and, if allowed, for projects. */
function singletonRoutes<S extends z.ZodObject>(type: SettingsType<S>, path: string, name: string) {
  const write = { tag: 'Settings', family: 'settings', ...(type.perProject ? ofProjectToo : ofInstallation) } as const;
  return {
    get: defineRoute({
      ...readingSettings,
      ...(type.ownersOnly ? ({ access: settingOwners, project: 'none' } as const) : ofAnyProject),
      id: `get${name}`,
      path: `${SETTING_BASE}/${path}`,
      summary: `Read the settings of ${type.title}`,
      response: settingSchema,
    }),
    replace: defineRoute({
      ...write,
      id: `replace${name}`,
      method: 'PUT',
      path: `${SETTING_BASE}/${path}`,
      summary: `Replace the settings of ${type.title}`,
      audit: 'setting.update',
      bodyLimit: LIST_BODY_BYTES,
      body: type.schema,
      writes: 'value',
      status: 200,
      response: settingSchema,
    }),
    reset: defineRoute({
      ...write,
      id: `reset${name}`,
      method: 'DELETE',
      path: `${SETTING_BASE}/${path}`,
      summary: `Reset the settings of ${type.title} to the defaults and delete their secrets`,
      audit: 'setting.delete',
      status: 204,
    }),
  };
}

export const ldapSettingRoutes = singletonRoutes(LDAP_SETTINGS, 'ldap-config', 'LdapConfig');
export const syslogSettingRoutes = {
  ...singletonRoutes(SYSLOG_SETTINGS, 'syslog-config', 'SyslogConfig'),
  test: defineRoute({
    id: 'testSyslogConfig',
    method: 'POST',
    path: `${SETTING_BASE}/syslog-config/test`,
    summary:
      'Send a test line with a configuration from the body or the stored one; the answer is 200 even if the server does not accept it',
    tag: 'Settings',
    family: 'settings',
    access: settingOwners,
    project: 'none',
    audit: 'setting.test',
    rate: 'trial',
    bodyLimit: LIST_BODY_BYTES,
    body: SYSLOG_SETTINGS.schema.optional(),
    status: 200,
    response: z.object({
      success: z.boolean(),
      latency_ms: z.number().int(),
      /** For people; never contains a secret. */
      error: z.string().optional(),
    }),
  }),
};
export const apiDiscoverySettingRoutes = singletonRoutes(API_DISCOVERY_SETTINGS, 'api_discovery', 'ApiDiscovery');
