import type { TrafficGroup } from '@flotilla/contract';
import type { Filter } from '../../../ui/index.ts';
import { countryName } from '../countries.ts';
import { CountryField, DecimalField, ListField, ManyField, NumberField } from '../filters/fields.tsx';
import { METHOD_OPTIONS, type Option, PROTOCOL_OPTIONS, toFlagOptions, toPlain, toWords } from '../filters/options.ts';
import { keepOne } from '../filters/single.ts';
import { texts as shared } from '../texts.tsx';
import type { FlagCatalogue } from '../use-inventory.ts';
import { texts } from './texts.tsx';

const text = texts.filters;

/** Parameters for which the API accepts one value. */
const SINGLE: ReadonlySet<string> = new Set([
  'host',
  'normalized_path',
  'listener_name',
  'status_min',
  'status_max',
  'min_risk_score',
  'max_risk_score',
  'min_exposure_score',
  'min_latency_ms',
  'max_latency_ms',
  'min_response_bytes',
  'confirmed',
  'authenticated',
  'clock_off',
]);

/** The columns that are counted, and the filter that has their values. */
export const FACETS = {
  status_class: 'status_class',
  method: 'method',
  operation: 'operation_id',
  host: 'host_is',
  service: 'service_id',
  consumer: 'consumer',
  country: 'country',
  agent_kind: 'agent_kind',
  action: 'action',
  engine: 'engine',
} as const;
export type Facet = keyof typeof FACETS;
export const FACET_NAMES = Object.keys(FACETS) as readonly Facet[];

interface Known {
  readonly flags: FlagCatalogue;
  readonly services: readonly Option[];
  readonly clients: readonly Option[];
}

/** The name of a value for people. */
export function facetLabel(facet: Facet, { value, label: name }: TrafficGroup): string {
  if (facet === 'country') return value === '' ? texts.facets.unknown : countryName(value);
  if (facet === 'agent_kind') return shared.agentKinds[value] ?? value;
  if (facet === 'action') return value === '' ? texts.facets.noFilter : (texts.actions[value] ?? value);
  if (facet === 'engine' && value === '') return texts.facets.noEngine;
  if (facet === 'consumer' && value === '') return texts.facets.anonymous;
  if (facet === 'status_class') return value === 'none' ? texts.statuses.none : value;
  return name ?? value;
}

/** The same for a narrow column. Endpoints of one host differ by their paths. */
export function shortFacetLabel(facet: Facet, group: TrafficGroup): string {
  const label = facetLabel(facet, group);
  return facet === 'operation' ? label.replace(/^(\S+ )[^/]+(?=\/)/, '$1') : label;
}

/** All filters of the list, named like the parameters of the API. */
export function toEventFilters(known: Known): readonly Filter[] {
  return [...listCommon(known), ...listFields(known)];
}

function listCommon({ flags, services }: Known): readonly Filter[] {
  return [
    { name: 'status_class', label: text.statusClass, options: toWords(shared.statusClasses) },
    { name: 'status', label: text.status, field: ListField },
    { name: 'method', label: text.method, options: METHOD_OPTIONS, field: ManyField },
    { name: 'host', label: text.host },
    { name: 'host_is', label: text.hostIs, field: ListField },
    { name: 'normalized_path', label: text.path },
    { name: 'operation_id', label: text.operation, field: ListField },
    { name: 'service_id', label: text.service, options: services, field: ManyField },
    { name: 'min_latency_ms', label: text.minLatency, field: DecimalField },
    { name: 'max_latency_ms', label: text.maxLatency, field: DecimalField },
    { name: 'risk_flag', label: text.flag, options: toFlagOptions(flags), field: ManyField },
    { name: 'min_risk_score', label: text.minRisk, field: NumberField },
    { name: 'action', label: text.action, options: toWords(texts.actions) },
    { name: 'consumer', label: text.consumer, field: ListField },
    { name: 'country', label: text.country, field: CountryField, describe: countryName },
    { name: 'agent_kind', label: text.agentKind, options: toWords(shared.agentKinds), field: ManyField },
    { name: 'request_id', label: text.requestId },
  ];
}

function listFields({ clients }: Known): readonly Filter[] {
  const yesOrNo = [
    { value: 'true', label: text.yes },
    { value: 'false', label: text.no },
  ];
  return [
    { name: 'pii_category', label: text.pii, options: toWords(shared.pii), field: ManyField },
    { name: 'endpoint_category', label: text.category, options: toWords(shared.categories), field: ManyField },
    { name: 'auth_scheme', label: text.scheme, options: toWords(shared.schemes), field: ManyField },
    { name: 'authenticated', label: text.authenticated, options: yesOrNo },
    {
      name: 'confirmed',
      label: text.confirmed,
      options: [
        { value: 'true', label: text.confirmedYes },
        { value: 'false', label: text.confirmedNo },
      ],
    },
    {
      name: 'origin',
      label: text.origin,
      options: [
        { value: 'internal', label: text.internal },
        { value: 'external', label: text.external },
      ],
    },
    { name: 'status_min', label: text.statusMin, field: NumberField },
    { name: 'status_max', label: text.statusMax, field: NumberField },
    { name: 'max_risk_score', label: text.maxRisk, field: NumberField },
    { name: 'min_exposure_score', label: text.minExposure, field: NumberField },
    { name: 'min_response_bytes', label: text.minBytes, field: NumberField },
    { name: 'path_is', label: text.pathIs },
    { name: 'listener_name', label: text.listener },
    { name: 'listener_is', label: text.listenerIs },
    { name: 'client_id', label: text.client, options: clients, field: ManyField },
    { name: 'engine', label: text.engine },
    { name: 'route', label: text.route },
    { name: 'cluster', label: text.cluster },
    { name: 'protocol', label: text.protocol, options: PROTOCOL_OPTIONS, field: ManyField },
    {
      name: 'tls_version',
      label: text.tls,
      options: toPlain(['TLSv1_3', 'TLSv1_2', 'TLSv1_1', 'TLSv1']),
      field: ManyField,
    },
    { name: 'content_type', label: text.contentType },
    { name: 'response_flags', label: text.responseFlags },
    { name: 'grpc_status', label: text.grpcStatus, field: ListField },
    { name: 'asn', label: text.asn, field: ListField },
    { name: 'source_ip', label: text.sourceIp, field: ListField },
    { name: 'source', label: text.source, field: ListField },
    { name: 'user_agent', label: text.agent },
    { name: 'user_agent_hash', label: text.agentHash, field: ListField },
    { name: 'clock_off', label: text.clock, options: [{ value: 'true', label: text.clockOff }] },
  ];
}

/** Returns the query of the API. */
export function toEventQuery(query: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  // The API sorts by time only, and has no search over texts.
  const { sort: _, q: __, ...filters } = query;
  return keepOne(filters, SINGLE);
}
