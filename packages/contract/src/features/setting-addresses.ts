import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { dryRunQuery } from '../schemas.ts';
import { API_DISCOVERY_SETTINGS } from '../settings/api-discovery.ts';
import type { SettingsType } from '../settings/define.ts';
import { SYSLOG_SETTINGS } from '../settings/forwarding.ts';
import { LDAP_SETTINGS } from '../settings/ldap.ts';
import { ofAnyProject, readingSettings, SETTING_BASE, SETTING_BODY_BYTES, settingOwners } from './setting-calls.ts';
import { settingSchema } from './settings.ts';

/** The routes of one document of the installation at an address of its own. */
function singletonRoutes<S extends z.ZodObject>(type: SettingsType<S>, path: string, name: string) {
  const write = {
    tag: 'Settings',
    access: settingOwners,
    project: 'none',
    query: z.strictObject(dryRunQuery),
  } as const;
  return {
    get: defineRoute({
      ...readingSettings,
      ...(type.ownersOnly ? ({ access: settingOwners, project: 'none' } as const) : ofAnyProject),
      id: `get${name}`,
      path: `${SETTING_BASE}/${path}`,
      summary: `The settings of ${type.title}`,
      response: settingSchema,
    }),
    replace: defineRoute({
      ...write,
      id: `replace${name}`,
      method: 'PUT',
      path: `${SETTING_BASE}/${path}`,
      summary: `Replace the settings of ${type.title}`,
      audit: 'setting.update',
      bodyLimit: SETTING_BODY_BYTES,
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
      summary: `Back to the defaults of ${type.title}, without secrets`,
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
    summary: 'Send one test line by a configuration as it is sent, or as it is stored; 200 also where nobody takes it',
    tag: 'Settings',
    access: settingOwners,
    project: 'none',
    audit: 'setting.test',
    rate: 'trial',
    bodyLimit: SETTING_BODY_BYTES,
    body: SYSLOG_SETTINGS.schema.optional(),
    status: 200,
    response: z.object({
      success: z.boolean(),
      latency_ms: z.number().int(),
      /** Words for people; never of a secret. */
      error: z.string().optional(),
    }),
  }),
};
export const apiDiscoverySettingRoutes = singletonRoutes(API_DISCOVERY_SETTINGS, 'api_discovery', 'ApiDiscovery');
