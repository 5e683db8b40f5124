import type { TrafficEvent } from '@flotilla/contract';
import type { ComponentProps, ReactNode } from 'react';
import { ClientLink, ServiceLink } from '../../../app/links.tsx';
import { Copy, type Facts, formatBytes, formatExact, State } from '../../../ui/index.ts';
import { ConsumerLink } from '../consumer-link.tsx';
import { countryName } from '../countries.ts';
import { formatLatency } from '../looks.ts';
import { nameOf } from '../operation-name.tsx';
import { texts as shared } from '../texts.tsx';
import type { FlagCatalogue } from '../use-inventory.ts';
import { formatMoment, statusLook } from './event-look.ts';
import classes from './events.module.css';
import { texts } from './texts.tsx';

const text = texts.drawer;

type EventFacts = ComponentProps<typeof Facts>['facts'];

/** A text of the request, which may be anything. */
function mono(value: string): ReactNode {
  if (value === '') return null;
  return <bdi className={`mono ${classes.break}`}>{value}</bdi>;
}

function yesOrNo(value: boolean | null): string {
  if (value === null) return text.unknown;
  return value ? text.yes : text.no;
}

/** The request and what became of it. */
export function describeEvent(event: TrafficEvent): EventFacts {
  return [
    [text.request, mono(nameOf(event))],
    [
      text.time,
      <span key="time">
        {formatMoment(event.time, Date.now())} <span className={classes.dimmed}>{formatExact(event.time)}</span>
        {event.clock_off && <div className={classes.dimmed}>{text.clockOff}</div>}
      </span>,
    ],
    [text.status, <State key="status" {...statusLook(event)} />],
    [text.grpcStatus, event.grpc_status ?? undefined],
    [text.latency, formatLatency(event.latency_ms)],
    [text.requestBytes, formatBytes(event.request_bytes)],
    [text.responseBytes, formatBytes(event.response_bytes)],
    [text.contentType, mono(event.content_type)],
    [text.protocol, event.protocol],
    [text.service, <ServiceLink key="service" id={event.service_id} name={event.service_name ?? shared.gaps.gone} />],
    [text.client, <ClientLink key="client" id={event.client_id} name={event.client_name ?? shared.gaps.gone} />],
    [text.listener, mono(event.listener_name)],
    [text.route, mono(event.route)],
    [text.cluster, mono(event.cluster)],
    [text.responseFlags, mono(event.response_flags)],
    [text.matched, yesOrNo(event.confirmed)],
    [
      text.requestId,
      event.request_id === '' ? null : (
        <span key="id">
          {mono(event.request_id)} <Copy text={event.request_id} what={text.requestIdName} />
        </span>
      ),
    ],
    [text.weight, event.sample_weight > 1 ? text.requests(event.sample_weight) : undefined],
  ];
}

/** How the request was judged. */
export function describeJudgement(event: TrafficEvent, { titleOf }: FlagCatalogue): EventFacts {
  const list = (words: readonly string[]) => (words.length === 0 ? null : words.join(', '));
  return [
    [text.action, texts.actions[event.action] ?? texts.facets.noFilter],
    [text.engine, event.engine === '' ? undefined : mono(event.engine)],
    [text.threat, event.risk_score],
    [text.exposure, event.exposure_score],
    [text.flags, list(event.risk_flags.map(titleOf))],
    [text.pii, list(event.pii_categories.map((one) => shared.pii[one]))],
    [text.categories, list(event.endpoint_categories.map((one) => shared.categories[one]))],
  ];
}

/** The sender of the request, as far as it is stored. */
export function describeSource(event: TrafficEvent): EventFacts {
  const schemes: Readonly<Record<string, string>> = shared.schemes;
  return [
    [text.consumer, <ConsumerLink key="consumer" hash={event.consumer} />],
    [text.authenticated, yesOrNo(event.authenticated)],
    [text.scheme, schemes[event.auth_scheme] ?? mono(event.auth_scheme)],
    [text.tls, event.tls_version === '' ? text.noTls : mono(event.tls_version)],
    [text.origin, event.origin === null ? text.unknown : texts.filters[event.origin]],
    [text.country, event.country === '' ? text.unknown : countryName(event.country)],
    [text.network, event.asn === null ? text.unknown : `AS${event.asn}`],
    [text.agentKind, shared.agentKinds[event.agent_kind] ?? null],
    [text.source, mono(event.source)],
    [text.userAgent, mono(event.user_agent)],
    [text.object, event.object === '' ? undefined : mono(event.object)],
  ];
}
