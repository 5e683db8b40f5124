import type { Buffer } from 'node:buffer';
import { formatElement, formatSyslog, type SyslogHeader } from '../../../../platform/outbound/index.ts';
import type { SignedHead } from '../chain/index.ts';
import type { ForwardedEntry } from './sink-store.ts';

/**
 * RFC 5424, 6.3.2 requires an enterprise number. We have none, so we use the one that RFC 5612 reserves for
 * documentation.
 */
const ENTRY_ID = 'audit@32473';
const HEAD_ID = 'audit-head@32473';
const INFORMATIONAL = 6;
const WARNING = 4;

/**
 * An entry as an RFC 5424 message: its fields as parameters, the longest ones truncated and named in `cut`, and a line
 * of text.
 */
export function formatEntry({ entry, seq }: ForwardedEntry, header: SyslogHeader): Buffer {
  const { actor, resource, request } = entry;
  const values: readonly (readonly [name: string, value: string | null, max: number])[] = [
    ['audit_id', entry.id, 64],
    ['seq', String(seq), 20],
    ['action', entry.action, 64],
    ['actor', actor.name ?? actor.kind, 64],
    ['actor_id', actor.id, 64],
    ['actor_role', actor.role, 32],
    ['resource_type', resource.type, 64],
    ['resource_id', resource.id, 128],
    ['resource_name', resource.name, 128],
    ['outcome', entry.outcome, 16],
    ['project', entry.project, 64],
    ['method', request.method, 8],
    ['path', request.path, 256],
    ['client_ip', request.client_ip, 64],
    ['request_id', request.id, 64],
    ['status', String(entry.status), 8],
    ['error', entry.error_code, 256],
  ];
  const cut = values.flatMap(([name, value, max]) => (value !== null && value.length > max ? [name] : []));
  const parameters = values.map(([name, value, max]) => [name, value?.slice(0, max) ?? null] as const);
  const who = actor.name ?? actor.kind;
  const text = `${entry.action} ${entry.outcome} by ${who}${resource.name ? ` on ${resource.name}` : ''}`;
  return formatSyslog(header, {
    severity: entry.outcome === 'done' ? INFORMATIONAL : WARNING,
    at: entry.at,
    element: formatElement(ENTRY_ID, [...parameters, ['cut', cut.join(',') || null]]),
    text,
  });
}

/** The signed end of a chain: stored by the receiver, it reveals whether the end of the log was cut off here. */
export function formatHead(head: SignedHead, header: SyslogHeader): Buffer {
  const element = formatElement(HEAD_ID, [
    ['project', head.projectKey],
    ['seq', String(head.seq)],
    ['hash', head.hash.toString('hex')],
    ['at', head.at.toISOString()],
    ['key_id', head.keyId],
    ['signature', head.signature.toString('base64')],
  ]);
  const at = head.at.toISOString();
  return formatSyslog(header, {
    severity: INFORMATIONAL,
    at,
    element,
    text: `the record is signed up to ${head.seq}`,
  });
}

export function formatTest(header: SyslogHeader, at: Date): Buffer {
  const element = formatElement(ENTRY_ID, [['action', 'audit.test']]);
  return formatSyslog(header, {
    severity: INFORMATIONAL,
    at: at.toISOString(),
    element,
    text: 'a test of forwarding',
  });
}
