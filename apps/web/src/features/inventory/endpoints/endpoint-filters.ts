import type { Filter } from '../../../ui/index.ts';
import { CountryField, ListField, ManyField, NumberField, TimeField } from '../filters/fields.tsx';
import {
  describeTime,
  METHOD_OPTIONS,
  type Option,
  PROTOCOL_OPTIONS,
  toFlagOptions,
  toWords,
} from '../filters/options.ts';
import { keepOne } from '../filters/single.ts';
import { texts as shared } from '../texts.tsx';
import type { FlagCatalogue } from '../use-inventory.ts';
import { texts } from './texts.ts';

const text = texts.filters;

/** The specification's threshold of maturity. */
export const MATURE_SEEN = '5';

/** Parameters for which the API accepts one value. */
const SINGLE: ReadonlySet<string> = new Set([
  'active',
  'host',
  'normalized_path',
  'listener_name',
  'min_seen',
  'min_risk_score',
  'max_risk_score',
  'min_active_risk_score',
  'last_seen_from',
  'last_seen_to',
  'first_seen_from',
  'first_seen_to',
]);

interface Known {
  readonly flags: FlagCatalogue;
  readonly services: readonly Option[];
}

/** All filters of the lists of operations, named like the parameters of the API. */
export function toEndpointFilters({ flags, services }: Known): readonly Filter[] {
  const time = (name: string, label: string): Filter => ({ name, label, field: TimeField, describe: describeTime });
  return [
    { name: 'method', label: text.method, options: METHOD_OPTIONS, field: ManyField },
    { name: 'risk_flag', label: text.flag, options: toFlagOptions(flags), field: ManyField },
    { name: 'active', label: text.active, options: [{ value: 'true', label: text.activeOnly }] },
    { name: 'pii_category', label: text.pii, options: toWords(shared.pii), field: ManyField },
    { name: 'endpoint_category', label: text.category, options: toWords(shared.categories), field: ManyField },
    { name: 'auth_posture', label: text.posture, options: toWords(shared.postures) },
    { name: 'auth_scheme', label: text.scheme, options: toWords(shared.schemes), field: ManyField },
    { name: 'host', label: text.host },
    { name: 'normalized_path', label: text.path },
    { name: 'listener_name', label: text.listener },
    { name: 'service_id', label: text.service, options: services, field: ManyField },
    { name: 'protocol', label: text.protocol, options: PROTOCOL_OPTIONS, field: ManyField },
    { name: 'min_risk_score', label: text.minRisk, field: NumberField },
    { name: 'max_risk_score', label: text.maxRisk, field: NumberField },
    { name: 'min_active_risk_score', label: text.minActiveRisk, field: NumberField },
    { name: 'min_seen', label: text.minSeen, field: NumberField, describe: text.times },
    time('last_seen_from', text.lastSeenFrom),
    time('last_seen_to', text.lastSeenTo),
    time('first_seen_from', text.firstSeenFrom),
    time('first_seen_to', text.firstSeenTo),
    { name: 'country', label: text.country, field: CountryField },
    { name: 'asn', label: text.asn, field: ListField },
    { name: 'source_ip', label: text.source, field: ListField },
    { name: 'user_agent', label: text.agent },
  ];
}

/** Returns the query of the API. `isAttack`: maturity is about confirmed operations only (specification, "Maturity"). */
export function toEndpointQuery(
  query: Readonly<Record<string, unknown>>,
  { isAttack }: { readonly isAttack: boolean },
): Readonly<Record<string, unknown>> {
  const { min_seen: seen, ...rest } = keepOne(query, SINGLE);
  return isAttack || seen === undefined ? rest : { ...rest, min_seen: seen };
}
