import { redactPlain } from './redact-plain.ts';
import { REDACTED, type SecretSet } from './secret-set.ts';

/** Parameters whose values may be shown. Tokens are often written into templates, so nothing else is. */
const PUBLIC_PARAMETERS =
  /(?:^|[^\w.])(?:type|name|target|server|port|serverport|address|protocol|file|dynafile|tag|facility|severity|template|ruleset|call|load|mode|dircreatemode|filecreatemode|workdirectory|streamdriver(?:\.\w+)?|streamdrivermode|streamdriverauthmode|tcp_framing|compression\.\w+|queue\.\w+|action\.\w+|parser\.\w+|reopenontruncate|readmode|polling\w*|interval|format|log\.\w+|startmsg\.regex|addmetadata|statefile|persiststateinterval|maxmessagesize|defaultnetstreamdriver(?:cafile|certfile|keyfile)?|usehttps|bulkmode|searchindex|dynsearchindex|resetcounters|log\.file)\s*=\s*$/i;
/** The quoted texts of RainerScript, also those that a line break interrupts. */
const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gs;
const PARAMETER = /([\w.]+)\s*=\s*$/;
const SECRET_NAME = /pass|pwd|key|token|secret/i;
/** Tokens in templates, such as `[TOKEN@41058 tag="x"]`. */
const TOKEN = /[0-9A-Za-z_-]{16,}/g;
const LEGACY_SECRET = /^(\s*\$\w*(?:pass|pwd|key|token|secret|user|uid)\w*)\s+(.+)$/i;
const LEGACY_TEMPLATE = /^(\s*\$template\s+[\w.-]+)\s*,\s*(.+)$/i;
/** `*.* :ommysql:server,database,user,password`. */
const LEGACY_ACTION = /^([^#]*:om\w+:)(.+)$/i;
const PASSWORD_OF_ACTION = 3;

/**
 * Masks what may be a secret in a configuration of rsyslog: every quoted text that is not the value of a harmless parameter. Comments
 * are left out.
 */
export function redactRsyslog(text: string, secrets: SecretSet): string {
  const kept = text.replace(QUOTED, (quoted, offset: number) => {
    const before = text.slice(Math.max(0, offset - 64), offset);
    if (PUBLIC_PARAMETERS.test(before)) return quoted;
    const value = quoted.slice(1, -1);
    if (SECRET_NAME.test(PARAMETER.exec(before)?.[1] ?? '')) secrets.add(value);
    else for (const [token] of value.matchAll(TOKEN)) if (/\d/.test(token)) secrets.add(token);
    return `"${REDACTED}"`;
  });
  const lines = kept
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .map((line) => maskLegacy(line, secrets));
  return redactPlain(lines.join('\n'));
}

function maskLegacy(line: string, secrets: SecretSet): string {
  const [, name, value] = LEGACY_SECRET.exec(line) ?? LEGACY_TEMPLATE.exec(line) ?? [];
  if (name !== undefined && value !== undefined) {
    if (SECRET_NAME.test(name)) secrets.add(value);
    return `${name} ${REDACTED}`;
  }
  const [, action, parameters = ''] = LEGACY_ACTION.exec(line) ?? [];
  if (action === undefined) return line;
  secrets.add(parameters.split(/[,;]/)[PASSWORD_OF_ACTION] ?? '');
  return `${action}${REDACTED}`;
}
