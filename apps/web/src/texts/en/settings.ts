interface FieldText {
  readonly label?: string;
  readonly hint?: string;
}

const SIGNED_OUT = 'Switched off, its people are signed out at once, and their tokens and passkeys rest.';

/** By kind and field, as `syslog.host`: where the name of the field does not say enough. */
const fields: Readonly<Record<string, FieldText>> = {
  'general.name': { label: 'Name of the installation' },
  'general.public_url': {
    label: 'Public address',
    hint: 'Where people reach these screens. Empty: where each request came to.',
  },
  'sign_in.otp_enforced': {
    label: 'Second factor for everybody',
    hint: 'From the next sign-in on. Whoever has none sets one up then.',
  },
  'sign_in.password_min_length': {
    label: 'Shortest password (characters)',
    hint: 'Of passwords that are chosen from now on.',
  },
  'sign_in.free_attempts': {
    label: 'Wrong passwords before a wait',
    hint: 'In a row, of one address for one account.',
  },
  'sign_in.longest_wait_s': {
    label: 'Longest wait (s)',
    hint: 'Between two tries of one address for one account.',
  },
  'sign_in.session_days': {
    label: 'Longest session (days)',
    hint: 'However much it is used. Of sessions that begin from now on.',
  },
  'sign_in.browser_idle_days': {
    label: 'Signed out when idle for (days)',
    hint: 'A browser that nobody uses for so long is signed out.',
  },
  'syslog.protocol': { hint: 'Over UDP nothing tells whether a line has arrived.' },
  'syslog.ca_cert': { label: 'CA certificates', hint: 'Empty: those of the system.' },
  'syslog.client_cert': { label: 'Client certificate' },
  'syslog.client_key': { label: 'Key of the client certificate' },
  'webhook.url': { label: 'Address', hint: 'Takes JSON by POST.' },
  'webhook.secret': { label: 'Signing secret', hint: 'Requests are signed with it, so that the receiver knows them.' },
  'smtp.sender': { label: 'Sender address' },
  'cloud.auth.auth_url': { label: 'Address of Keystone', hint: 'Version 3 of the identity service.' },
  'cloud.auth.application_credential_id': { label: 'Application credential: id' },
  'cloud.auth.application_credential_secret': { label: 'Application credential: secret' },
  'cloud.region_name': { label: 'Region' },
  'cloud.interface': { label: 'Endpoint' },
  'tokens.longest_days': {
    label: 'Longest life (days)',
    hint: 'Of new tokens; each then needs an end. Empty: no bound.',
  },
  'tokens.default_days': { label: 'Usual life (days)', hint: 'Where no end is named. Empty: none.' },
  'tokens.default_families': { label: 'Usual families', hint: 'Where none are named, one a line. Empty: all.' },
  'ldap.enabled': { hint: SIGNED_OUT },
  'ldap.ca': { label: 'CA certificates', hint: 'Empty: those of the system.' },
  'ldap.bind_dn': { label: 'Bind as' },
  'ldap.base_dn': { label: 'Search below' },
  'ldap.start_tls': { label: 'StartTLS' },
  'ldap.timeout_ms': { label: 'Time for each answer (ms)' },
  'ldap.deadline_ms': { label: 'Time for a whole sign-in (ms)', hint: 'However many servers are asked.' },
  'oidc.enabled': { hint: SIGNED_OUT },
  'oidc.issuer': { hint: 'Another one is another provider: people of this one are signed out.' },
  'api_discovery.policy.raw_sample_rate': { label: 'Share of requests kept whole', hint: 'From 0 to 1.' },
};

const leads: Readonly<Record<string, string>> = {
  general: 'How the installation presents itself to people.',
  sign_in: 'Rules for everybody who signs in to this installation.',
  otp: 'Whether members of this project sign in with a second factor.',
  ldap: 'A directory (LDAP, Active Directory) whose people may sign in.',
  oidc: 'Providers of OpenID Connect whose people may sign in.',
  syslog: 'Where the audit log is sent besides, line by line (RFC 5424).',
  webhook: 'Where the audit log is sent besides, as JSON.',
  audit: 'How long the audit log is kept.',
  api_discovery: 'What is kept of the traffic from which APIs are discovered, and what in it is conspicuous.',
  smtp: 'How mail is sent.',
  cloud: 'Access to the clouds in which hosts of this project run.',
  ai: 'The language model that analyses are asked of.',
  tokens: 'What new API tokens may be.',
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

export const settings = {
  labelOf: (path: string, name: string) => fields[path]?.label ?? fromName(name),
  hintOf: (path: string) => fields[path]?.hint,
  leadOf: (key: string) => leads[key],
  what: (title: string) => `The settings “${title}”`,
  readOnly: 'Only owners of the installation change these settings.',
  never: 'Never changed: these are the defaults.',
  changedBy: 'Changed by',
  save: 'Save',
  saved: (title: string) => `${title}: saved.`,
  discard: 'Discard',
  /** What taking the document away does to people. */
  takenAwayOf: (key: string) =>
    key === 'ldap' || key === 'oidc'
      ? 'People who sign in there are signed out at once, and their tokens and passkeys rest.'
      : undefined,
  refused: {
    title: 'This version does not take what is stored',
    text: (fields: string) =>
      `Until it is mended and saved, what is strictest holds for ${fields}; a way to sign in, or a receiver, is off.`,
  },
  failed: 'Nothing was saved',
  unsaved: 'Not saved yet',
  leave: 'Leave without saving what was typed?',
  locksOut: {
    title: 'Another address?',
    action: 'Change the address',
    text: (people: number, host: string) =>
      `${people === 1 ? 'One person signs' : `${people} people sign`} in with passkeys of ${host} and ${people === 1 ? 'has' : 'have'} no codes. Passkeys belong to an address: with another one they cannot sign in until their second factor is reset.`,
  },
  reset: {
    action: 'Back to the defaults …',
    title: (title: string) => `${title}: back to the defaults?`,
    confirm: 'Reset',
    text: 'Everything that was set here is taken back, and stored secrets are deleted. The history keeps the values, not the secrets.',
    done: (title: string) => `${title}: back to the defaults.`,
  },
  test: {
    action: 'Test',
    hint: 'Tries what is in the form, saved or not.',
    good: (ms: number) => `It works: ${ms} ms`,
    bad: 'It does not work',
    failed: 'It could not be tried',
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
    never: 'It is never shown again.',
  },
  file: { choose: 'Choose a file', tooLarge: (max: number) => `More than ${max} characters.` },
  words: 'One a line.',
  items: { add: 'Add', remove: (n: number) => `Remove ${n}`, none: 'None.' },
  json: 'Not valid JSON',
  choose: 'not set',
  named: {
    none: 'There is none yet.',
    add: 'Add',
    name: 'Name',
    nameHint: 'Cannot be changed later.',
    back: 'All',
    gone: 'There is none of this name (any more).',
    create: (title: string) => `${title}: add one`,
    delete: 'Delete …',
    confirm: 'Delete',
    deleteTitle: (name: string) => `Delete ${name}?`,
    deleteText: 'Its secrets are deleted with it. What uses it stops working.',
    deleted: (name: string) => `${name} is deleted.`,
  },
};
