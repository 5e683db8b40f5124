import { API_DISCOVERY_SETTINGS } from './api-discovery.ts';
import { CLOUD_SETTINGS } from './cloud.ts';
import type { SettingsType } from './define.ts';
import { AUDIT_SETTINGS, SYSLOG_SETTINGS, WEBHOOK_SETTINGS } from './forwarding.ts';
import { AI_SETTINGS, GENERAL_SETTINGS, SMTP_SETTINGS } from './installation.ts';
import { LDAP_SETTINGS } from './ldap.ts';
import { OIDC_SETTINGS } from './oidc.ts';
import { OTP_SETTINGS, SIGN_IN_SETTINGS } from './sign-in.ts';
import { TOKEN_SETTINGS } from './tokens.ts';

export * from './api-discovery.ts';
export * from './cloud.ts';
export * from './define.ts';
export * from './forwarding.ts';
export * from './group-mapping.ts';
export * from './installation.ts';
export * from './ldap.ts';
export * from './oidc.ts';
export * from './sign-in.ts';
export * from './tokens.ts';

/** Every kind of settings document. To add a kind, add a line here. */
export const SETTINGS: readonly SettingsType[] = [
  GENERAL_SETTINGS,
  SIGN_IN_SETTINGS,
  OTP_SETTINGS,
  TOKEN_SETTINGS,
  LDAP_SETTINGS,
  OIDC_SETTINGS,
  AUDIT_SETTINGS,
  SYSLOG_SETTINGS,
  WEBHOOK_SETTINGS,
  API_DISCOVERY_SETTINGS,
  SMTP_SETTINGS,
  CLOUD_SETTINGS,
  AI_SETTINGS,
];
