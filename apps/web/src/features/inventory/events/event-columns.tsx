import type { TrafficEvent } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { ClientLink, ServiceLink } from '../../../app/links.tsx';
import { type Column, formatBytes, formatExact, State } from '../../../ui/index.ts';
import { ConsumerLink } from '../consumer-link.tsx';
import { countryName } from '../countries.ts';
import { formatLatency } from '../looks.ts';
import { pathOf } from '../operation-name.tsx';
import { texts as shared } from '../texts.tsx';
import { formatMoment, statusLook } from './event-look.ts';
import { texts } from './texts.tsx';

const text = texts.columns;

type EventColumn = Column<TrafficEvent>;

const MAIN: readonly EventColumn[] = [
  {
    id: 'time',
    header: text.time,
    width: 116,
    cell: ({ time }) => (
      <time dateTime={time} title={formatExact(time)}>
        {formatMoment(time, Date.now())}
      </time>
    ),
    text: ({ time }) => time,
  },
  {
    id: 'status',
    header: text.status,
    width: 118,
    isNarrow: true,
    cell: (row) => <State {...statusLook(row)} />,
    text: ({ status }) => status,
  },
  {
    id: 'method',
    header: text.method,
    width: 80,
    cell: ({ method }) => <span className="mono">{method || shared.unknown}</span>,
    text: ({ method }) => method,
  },
  {
    id: 'request',
    isOpening: true,
    header: text.request,
    width: '4fr',
    minWidth: 170,
    isNarrow: true,
    cell: (row) => (
      <Link
        to="."
        search={(before: object) => ({ ...before, event: row.id })}
        resetScroll={false}
        title={`${row.method} ${row.host}${pathOf(row)}`}
        className="mono"
      >
        <bdi>{pathOf(row) || shared.operation.tcp}</bdi>
      </Link>
    ),
    text: (row) => pathOf(row),
  },
  {
    id: 'host',
    header: text.host,
    width: '2fr',
    minWidth: 110,
    cell: ({ host }) => (
      <bdi className="mono" title={host}>
        {host || shared.unknown}
      </bdi>
    ),
    text: ({ host }) => host,
  },
  {
    id: 'latency_ms',
    header: text.latency,
    width: 88,
    align: 'right',
    isNarrow: true,
    cell: ({ latency_ms: ms }) => formatLatency(ms),
    text: ({ latency_ms: ms }) => ms,
  },
  {
    id: 'risk_score',
    header: text.risk,
    width: 76,
    align: 'right',
    cell: ({ risk_score: score }) => (score === 0 ? shared.unknown : score),
    text: ({ risk_score: score }) => score,
  },
];

const WHO: readonly EventColumn[] = [
  {
    id: 'consumer',
    fromPx: 1200,
    header: text.consumer,
    width: 160,
    cell: ({ consumer }) => <ConsumerLink hash={consumer} />,
    text: ({ consumer }) => consumer,
  },
  {
    id: 'country',
    fromPx: 1440,
    header: text.country,
    width: 120,
    cell: ({ country }) => <bdi>{country === '' ? shared.unknown : countryName(country)}</bdi>,
    text: ({ country }) => country,
  },
  {
    id: 'action',
    header: text.action,
    width: 100,
    fromPx: 1200,
    cell: ({ action }) => texts.actions[action] ?? texts.facets.noFilter,
    text: ({ action }) => action,
  },
];

const FURTHER: readonly EventColumn[] = [
  {
    id: 'service',
    header: text.service,
    width: 120,
    isOptional: true,
    cell: (row) => <ServiceLink id={row.service_id} name={row.service_name ?? shared.gaps.gone} />,
    text: (row) => row.service_name ?? row.service_id,
  },
  {
    id: 'client',
    header: text.client,
    width: 120,
    isOptional: true,
    cell: (row) => <ClientLink id={row.client_id} name={row.client_name ?? shared.gaps.gone} />,
    text: (row) => row.client_name ?? row.client_id,
  },
  {
    id: 'response_bytes',
    header: text.size,
    width: 90,
    align: 'right',
    isOptional: true,
    cell: ({ response_bytes: bytes }) => formatBytes(bytes),
    text: ({ response_bytes: bytes }) => bytes,
  },
  {
    id: 'agent_kind',
    header: text.agent,
    width: 110,
    isOptional: true,
    cell: ({ agent_kind: kind }) => shared.agentKinds[kind] ?? kind,
    text: ({ agent_kind: kind }) => kind,
  },
  {
    id: 'cluster',
    header: text.cluster,
    width: 120,
    isOptional: true,
    cell: ({ cluster }) => <bdi className="mono">{cluster || shared.unknown}</bdi>,
    text: ({ cluster }) => cluster,
  },
  {
    id: 'request_id',
    header: text.requestId,
    width: 300,
    isOptional: true,
    cell: ({ request_id: id }) => <span className="mono">{id || shared.unknown}</span>,
    text: ({ request_id: id }) => id,
  },
  {
    id: 'sample_weight',
    header: text.weight,
    width: 90,
    align: 'right',
    isOptional: true,
    cell: ({ sample_weight: weight }) => weight.toLocaleString('en'),
    text: ({ sample_weight: weight }) => weight,
  },
];

export const EVENT_COLUMNS: readonly EventColumn[] = [...MAIN, ...WHO, ...FURTHER];
