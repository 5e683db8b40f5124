import { count, plural } from '../../ui/count.ts';

interface FieldText {
  readonly label?: string;
  readonly hint?: string;
}

const SIGNED_OUT = 'Turning this off signs its users out and suspends their tokens and passkeys.';

/** By kind and field, as `syslog.host`: where the name of the field does not say enough. */
const fields: Readonly<Record<string, FieldText>> = {
  'general.name': { label: 'Installation name' },
  'general.public_url': {
    label: 'Public address',
    hint: 'The address of these screens. Empty: the address of each request.',
  },
  'sign_in.otp_enforced': {
    label: 'Second factor for everybody',
    hint: 'Applies from the next sign-in. Users without one set it up then.',
  },
  'sign_in.password_min_length': {
    label: 'Minimum password length',
    hint: 'Applies to new passwords.',
  },
  'sign_in.free_attempts': {
    label: 'Failed attempts before a delay',
    hint: 'Consecutive attempts from one address on one account.',
  },
  'sign_in.longest_wait_s': {
    label: 'Maximum delay (s)',
    hint: 'Between two attempts from one address on one account.',
  },
  'sign_in.session_days': {
    label: 'Maximum session length (days)',
    hint: 'Applies to new sessions, however active they are.',
  },
  'sign_in.browser_idle_days': {
    label: 'Idle timeout (days)',
    hint: 'Browsers that are idle for this long are signed out.',
  },
  'syslog.protocol': { hint: 'With UDP, lost lines go unnoticed.' },
  'syslog.ca_cert': { label: 'CA certificates', hint: 'Empty: the CAs of the system.' },
  'syslog.client_cert': { label: 'Client certificate' },
  'syslog.client_key': { label: 'Client certificate key' },
  'smtp.ca_cert': { label: 'CA certificates', hint: 'Empty: the CAs of the system.' },
  'smtp.sender': { hint: 'The address in the From field.' },
  'outgoing.allowed_networks': {
    label: 'Private networks',
    hint: 'One per line, such as 10.20.0.0/16. Public addresses are always allowed.',
  },
  'cloud.auth_type': { label: 'Kind of credential' },
  'cloud.auth': { label: 'Credential' },
  'cloud.auth.auth_url': { label: 'Address of Keystone', hint: 'Such as https://cloud.example.com:5000/v3.' },
  'cloud.auth.application_credential_id': { hint: 'For v3applicationcredential.' },
  'cloud.auth.username': { hint: 'For v3password.' },
  'cloud.region_name': { label: 'Region' },
  'cloud.interface': { label: 'Interface', hint: 'Which addresses of the catalog are used.' },
  'cloud.ca_cert': { label: 'CA certificates', hint: 'Empty: the CAs of the system.' },
  'webhook.url': { label: 'Address', hint: 'Receives JSON by POST.' },
  'webhook.secret': { label: 'Signing secret', hint: 'Signs the requests, so that the receiver can verify them.' },
  'tokens.longest_days': {
    label: 'Maximum lifetime (days)',
    hint: 'For new tokens, which must then expire. Empty: no limit.',
  },
  'tokens.default_days': {
    label: 'Default lifetime (days)',
    hint: 'Used if no expiry is chosen. Empty: never expires.',
  },
  'tokens.default_families': {
    label: 'Default scopes',
    hint: 'Used if no scopes are chosen. One per line. Empty: all.',
  },
  'ldap.enabled': { hint: SIGNED_OUT },
  'ldap.ca': { label: 'CA certificates', hint: 'Empty: the CAs of the system.' },
  'ldap.bind_dn': { label: 'Bind DN' },
  'ldap.base_dn': { label: 'Base DN' },
  'ldap.start_tls': { label: 'StartTLS' },
  'ldap.timeout_ms': { label: 'Response timeout (ms)' },
  'ldap.deadline_ms': { label: 'Sign-in timeout (ms)', hint: 'For the whole sign-in, over all servers.' },
  'oidc.enabled': { hint: SIGNED_OUT },
  'oidc.issuer': { hint: 'A different issuer is a different provider: changing it signs its users out.' },
};

const leads: Readonly<Record<string, string>> = {
  general: 'The name and address of the installation.',
  sign_in: 'Rules for everyone who signs in to this installation.',
  otp: 'Restrict this project to sessions with a second factor. Set up your own before you turn it on.',
  ldap: 'Let users of a directory (LDAP, Active Directory) sign in.',
  oidc: 'Let users of OpenID Connect providers sign in.',
  smtp: 'The mail server for alerts.',
  outgoing: 'Private networks that the alert webhooks and clouds of projects may reach.',
  cloud: 'OpenStack clouds. Their ports and free addresses are shown on the page of a client that runs there.',
  syslog: 'Also send the audit log to syslog (RFC 5424).',
  webhook: 'Also send the audit log to a webhook, as JSON.',
  audit: 'How long the audit log is kept.',
  tokens: 'Limits and defaults for new API tokens.',
};

const PARTS: Readonly<Record<string, string>> = {
  ai: 'AI',
  api: 'API',
  ca: 'CA',
  cert: 'certificate',
  cidrs: 'networks',
  ip: 'IP',
  dn: 'DN',
  hsts: 'HSTS',
  id: 'ID',
  ms: '(ms)',
  oidc: 'OIDC',
  otp: 'second factor',
  pii: 'personal data',
  s: '(s)',
  seconds: '(s)',
  tls: 'TLS',
  ttl: 'lifetime',
  uri: 'URI',
  url: 'address',
};

/** `connect_timeout_ms` -> `Connect timeout (ms)` */
function fromName(name: string): string {
  const words = name
    .split('_')
    .map((part) => PARTS[part] ?? part)
    .join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const texts = {
  labelOf: (path: string, name: string) => fields[path]?.label ?? fromName(name),
  hintOf: (path: string) => fields[path]?.hint,
  leadOf: (key: string) => leads[key],
  what: (title: string) => `The settings “${title}”`,
  readOnly: 'Only owners of the installation can change these settings.',
  never: 'These are the defaults.',
  changedBy: 'Changed by',
  save: 'Save',
  saved: (title: string) => `${title}: saved.`,
  discard: 'Discard',
  /** The effect of deleting the document on users. */
  effectOfDeletion: (key: string) =>
    key === 'ldap' || key === 'oidc'
      ? 'Its users are signed out at once, and their tokens and passkeys are suspended.'
      : undefined,
  refused: {
    title: 'This version rejects the stored settings',
    text: (fields: string) =>
      `Until you fix and save them, the strictest values apply to ${fields}. A sign-in method or a receiver stays off.`,
  },
  failed: 'Nothing was saved',
  unsaved: 'Not saved yet',
  leave: 'Leave without saving your changes?',
  locksOut: {
    title: 'Change the public address?',
    action: 'Change the address',
    text: (people: number, host: string) =>
      `${count(people, 'user signs', 'users sign')} in with passkeys for ${host} and ${plural(people, 'has', 'have')} no codes. Passkeys belong to an address: after the change, they cannot sign in until their second factor is reset.`,
  },
  reset: {
    action: 'Reset to defaults …',
    title: (title: string) => `Reset ${title} to defaults?`,
    confirm: 'Reset',
    text: 'All values on this page are reset and stored secrets are deleted. The history keeps the values, not the secrets.',
    done: (title: string) => `${title}: reset to defaults.`,
  },
  test: {
    action: 'Test',
    hint: 'Tests the values above, saved or not.',
    good: (ms: number) => `Test passed in ${ms} ms`,
    bad: 'Test failed',
    failed: 'The test could not run',
    stepGood: 'done',
    stepBad: 'failed',
  },
  secret: {
    set: 'Set',
    notSet: 'Not set',
    replace: 'Replace',
    enter: 'Enter',
    clear: 'Clear',
    keep: 'Keep it',
    willClear: 'Cleared when you save.',
    willReplace: 'Replaced when you save.',
    label: (label: string, action: string) => `${action}: ${label}`,
    never: 'It is not shown again.',
  },
  file: { choose: 'Choose a file', tooLarge: (max: number) => `The file has more than ${max} characters.` },
  words: 'One per line.',
  items: { add: 'Add', remove: (n: number) => `Remove item ${n}`, none: 'None.' },
  json: 'Not valid JSON',
  choose: 'not set',
  named: {
    none: 'None yet.',
    add: 'Add',
    name: 'Name',
    nameHint: 'Cannot be changed later.',
    back: 'All',
    gone: 'It does not exist, or it was deleted.',
    create: (title: string) => `Add: ${title}`,
    delete: 'Delete …',
    confirm: 'Delete',
    deleteTitle: (name: string) => `Delete ${name}?`,
    deleteText: 'Its secrets are deleted with it. Anything that uses it stops working.',
    deleted: (name: string) => `${name} is deleted.`,
  },
};
