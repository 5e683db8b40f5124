import { API_DISCOVERY_SETTINGS } from './api-discovery.ts';
import { CLOUD_SETTINGS } from './cloud.ts';
import type { SettingsType } from './define.ts';
import { SYSLOG_SETTINGS, WEBHOOK_SETTINGS } from './forwarding.ts';
import { AI_SETTINGS, GENERAL_SETTINGS, SMTP_SETTINGS } from './installation.ts';

export * from './api-discovery.ts';
export * from './cloud.ts';
export * from './define.ts';
export * from './forwarding.ts';
export * from './installation.ts';

/** Every kind of settings document there is. A new one is a line here. */
export const SETTINGS: readonly SettingsType[] = [
  GENERAL_SETTINGS,
  SYSLOG_SETTINGS,
  WEBHOOK_SETTINGS,
  API_DISCOVERY_SETTINGS,
  SMTP_SETTINGS,
  CLOUD_SETTINGS,
  AI_SETTINGS,
];
