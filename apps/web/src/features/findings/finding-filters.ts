import type { Filter } from '../../ui/index.ts';
import { type FlagCatalogue, keepOne, ManyField, type Option, toFlagOptions, toWords } from '../inventory/index.ts';
import { texts } from './texts.tsx';

const text = texts.filters;

interface Known {
  readonly flags: FlagCatalogue;
  readonly services: readonly Option[];
  readonly owners: readonly Option[];
}

/** The filters of the list, named like the parameters of the API. */
export function toFindingFilters({ flags, services, owners }: Known): readonly Filter[] {
  const isInformational = new Set(flags.flags.flatMap(({ flag, severity }) => (severity === 'info' ? [flag] : [])));
  const options = toFlagOptions(flags).filter(({ value }) => !(isInformational as Set<string>).has(value));
  return [
    { name: 'state', label: text.state, options: toWords(texts.states) },
    { name: 'severity', label: text.severity, options: toWords(texts.severities) },
    { name: 'risk_flag', label: text.flag, options, field: ManyField },
    { name: 'owner_id', label: text.owner, options: owners, field: ManyField },
    { name: 'unassigned', label: text.unassigned, options: [{ value: 'true', label: text.unassignedOnly }] },
    { name: 'service_id', label: text.service, options: services, field: ManyField },
    { name: 'host', label: text.host },
    { name: 'operation_id', label: text.operation },
  ];
}

const SINGLE: ReadonlySet<string> = new Set(['unassigned', 'host']);

export const SHOWS = {
  open: ['new', 'came_back', 'acknowledged', 'fix_claimed', 'accepted'],
  waiting: ['new', 'came_back'],
  closed: ['fixed', 'operation_gone'],
  all: [],
} as const;
export type Show = keyof typeof SHOWS;

export function readShow(value: string | undefined): Show {
  return value !== undefined && Object.hasOwn(SHOWS, value) ? (value as Show) : 'open';
}

/** The query of the API. States of the filter replace those of the view. */
export function toFindingQuery(
  query: Readonly<Record<string, unknown>>,
  show: Show,
): Readonly<Record<string, unknown>> {
  const states = SHOWS[show];
  return { ...(states.length > 0 && { state: states }), ...keepOne(query, SINGLE) };
}

/** The filter of a change of many, whose values are lists and not texts. */
export function toSelection(query: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { unassigned, sort: _, ...filter } = query;
  return { ...filter, ...(unassigned !== undefined && { unassigned: unassigned === 'true' }) };
}
