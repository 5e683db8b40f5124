import type { ShieldEvent } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { ClientLink, PolicyLink, ServiceLink } from '../../app/links.tsx';
import { type Column, State, Time, toWord } from '../../ui/index.ts';
import { verdictLook } from './event-look.ts';
import { reasonWords } from './reason-words.ts';
import { texts } from './texts.tsx';

const text = texts.eventColumns;

export const EVENT_COLUMNS: readonly Column<ShieldEvent>[] = [
  {
    id: 'time',
    header: text.time,
    sort: 'time',
    width: 104,
    cell: (row) => <Time at={row.time} />,
    text: (row) => row.time,
  },
  {
    id: 'verdict',
    header: text.verdict,
    width: 122,
    isNarrow: true,
    cell: (row) => <State {...verdictLook(row)} />,
    text: (row) => row.verdict,
  },
  {
    id: 'request',
    isOpening: true,
    header: text.request,
    width: '4fr',
    minWidth: 220,
    isNarrow: true,
    cell: (row) => (
      <Link
        to="."
        search={(before: object) => ({ ...before, event: row.id })}
        resetScroll={false}
        title={`${row.method} ${row.host}${row.path}`}
        className="mono"
      >
        {row.method} <bdi>{`${row.host}${row.path}`}</bdi>
      </Link>
    ),
    text: (row) => `${row.method} ${row.host}${row.path}`,
  },
  {
    id: 'reason',
    header: text.reason,
    width: '2fr',
    minWidth: 164,
    cell: (row) => (
      <span className="mono" title={reasonWords(row.reason)}>
        {row.reason}
      </span>
    ),
    text: (row) => row.reason,
  },
  {
    id: 'policy',
    fromPx: 1200,
    header: text.policy,
    width: '2fr',
    minWidth: 100,
    cell: (row) => <PolicyLink name={row.policy} />,
    text: (row) => row.policy,
  },
  {
    id: 'source_ip',
    header: text.from,
    width: 132,
    cell: (row) => <span className="mono">{row.source_ip || '–'}</span>,
    text: (row) => row.source_ip,
  },
  {
    id: 'subject',
    fromPx: 1200,
    header: text.subject,
    width: 120,
    cell: (row) => <bdi title={row.subject}>{row.subject || '–'}</bdi>,
    text: (row) => row.subject,
  },
  {
    id: 'service',
    header: text.service,
    width: 120,
    isOptional: true,
    cell: (row) => <ServiceLink id={row.service_id} name={row.service_name ?? 'gone'} />,
    text: (row) => row.service_name ?? row.service_id,
  },
  {
    id: 'client',
    header: text.client,
    width: 120,
    isOptional: true,
    cell: (row) => <ClientLink id={row.client_id} name={row.client_name ?? row.client_id} />,
    text: (row) => row.client_name ?? row.client_id,
  },
  {
    id: 'engine',
    header: text.engine,
    width: 100,
    isOptional: true,
    cell: (row) => <span className="mono">{row.engine}</span>,
    text: (row) => row.engine,
  },
  {
    id: 'route',
    header: text.route,
    width: 120,
    isOptional: true,
    cell: (row) => <bdi className="mono">{row.route || '–'}</bdi>,
    text: (row) => row.route,
  },
  {
    id: 'severity',
    header: text.severity,
    width: 90,
    isOptional: true,
    cell: (row) => toWord(row.severity),
    text: (row) => row.severity,
  },
  {
    id: 'detail',
    header: text.detail,
    width: '2fr',
    isOptional: true,
    cell: (row) => <bdi title={row.detail}>{row.detail || '–'}</bdi>,
    text: (row) => row.detail,
  },
  {
    id: 'request_id',
    header: text.requestId,
    width: 300,
    isOptional: true,
    cell: (row) => <span className="mono">{row.request_id || '–'}</span>,
    text: (row) => row.request_id,
  },
];
