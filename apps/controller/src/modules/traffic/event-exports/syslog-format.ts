import type { Buffer } from 'node:buffer';
import { formatElement, formatSyslog } from '../../../platform/outbound/index.ts';
import type { EventDocument } from './document.ts';

/**
 * RFC 5424, 6.3.2 requires an enterprise number. We have none, so we use the one that RFC 5612 reserves for
 * documentation.
 */
const ENTERPRISE = 32473;
const VALUE_MAX = 512;

const SEVERITY = { critical: 2, error: 3, warning: 4, notice: 5, info: 6 } as const;
const OF_FINDING = { critical: 'critical', high: 'error', medium: 'warning', low: 'notice', info: 'info' } as const;

/**
 * A document as one message: each member is a parameter of one element with the same name. Lists are joined by commas, members without
 * a value are left out, long values are cut and named in `cut`. MSGID is the kind.
 */
export function formatDocument(
  document: EventDocument,
  { facility, app_name: tag }: { readonly facility: string; readonly app_name: string },
): Buffer {
  const { kind, time } = document;
  const values = Object.entries(document).flatMap(([name, value]) => {
    const text = toText(value);
    return name === 'kind' || name === 'time' || text === '' ? [] : [[name, text] as const];
  });
  const cut = values.flatMap(([name, text]) => (text.length > VALUE_MAX ? [name] : []));
  const parameters = values.map(([name, text]) => [name, text.slice(0, VALUE_MAX)] as const);
  return formatSyslog(
    { facility, tag },
    {
      severity: SEVERITY[severityOf(document)],
      at: time,
      kind,
      element: formatElement(`${kind}@${ENTERPRISE}`, [...parameters, ['cut', cut.join(',') || null]]),
      text: describe(document),
    },
  );
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.join(',') : String(value);
}

function severityOf(document: EventDocument): keyof typeof SEVERITY {
  switch (document.kind) {
    case 'test':
      return 'info';
    case 'finding':
      return OF_FINDING[document.severity];
    case 'request':
      if (document.decision !== 'allowed') return 'warning';
      return document.risk > 0 ? 'notice' : 'info';
  }
}

function describe(document: EventDocument): string {
  switch (document.kind) {
    case 'test':
      return `a test of forwarding by ${document.by}`;
    case 'finding':
      return `${document.decision} by ${document.engine}: ${document.reason}, ${document.method} ${document.host}`;
    case 'request':
      return `${document.decision}: ${document.method} ${document.host}${document.path} ${document.status}`;
  }
}
