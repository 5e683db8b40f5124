import type { OwnedOperation } from '@flotilla/contract';
import { routes } from '../../api/index.ts';
import { ApiTable, type Column, type Filter } from '../../ui/index.ts';
import { OperationLink } from '../inventory/index.ts';
import { texts } from './texts.ts';

const text = texts.endpoints;

const toOptions = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));

const FILTERS: readonly Filter[] = [
  { name: 'team', label: text.team },
  { name: 'owner', label: text.owner },
  { name: 'criticality', label: text.criticality, options: toOptions(texts.criticalities) },
  { name: 'data_class', label: text.data, options: toOptions(texts.data) },
  { name: 'tag', label: text.tags },
  { name: 'unauthenticated_write', label: text.write, options: [{ value: 'true', label: text.yes }] },
];

const COLUMNS: readonly Column<OwnedOperation>[] = [
  {
    id: 'endpoint',
    isOpening: true,
    header: text.endpoint,
    width: '3fr',
    minWidth: 180,
    isNarrow: true,
    cell: ({ operation_id: id, method, host, path }) => (
      <OperationLink of={{ id, method, host, normalized_path: path, operation: '' }} isPathFirst />
    ),
    text: ({ method, host, path }) => `${method} ${host}${path}`,
  },
  {
    id: 'team',
    header: text.team,
    width: '1fr',
    minWidth: 100,
    isNarrow: true,
    cell: ({ team, overridden }) => (
      <>
        <bdi>{team || texts.none}</bdi>
        {overridden && ` (${text.own})`}
      </>
    ),
    text: ({ team }) => team,
  },
  {
    id: 'owner',
    header: text.owner,
    width: '1fr',
    minWidth: 90,
    cell: ({ owner }) => <bdi>{owner || texts.none}</bdi>,
    text: ({ owner }) => owner,
  },
  {
    id: 'criticality',
    header: text.criticality,
    width: 100,
    cell: ({ criticality }) => (criticality === null ? texts.none : texts.criticalities[criticality]),
    text: ({ criticality }) => criticality,
  },
  {
    id: 'data',
    header: text.data,
    width: '1fr',
    minWidth: 100,
    cell: (row) => describeData(row),
    text: ({ data_classes: classes }) => classes.join(' '),
  },
  {
    id: 'tags',
    header: text.tags,
    width: '1fr',
    minWidth: 90,
    fromPx: 1440,
    cell: ({ tags }) => <bdi>{tags.join(', ')}</bdi>,
    text: ({ tags }) => tags.join(' '),
  },
  {
    id: 'risk',
    header: text.risk,
    width: 80,
    align: 'right',
    cell: ({ active_risk_score: score }) => score,
    text: ({ active_risk_score: score }) => score,
  },
];

/** Classes that the traffic suggests are named if nobody has said anything. */
function describeData({ data_classes: classes, suggested_data_classes: suggested }: OwnedOperation): string {
  const toWords = (names: readonly (keyof typeof texts.data)[]) => names.map((name) => texts.data[name]).join(', ');
  if (classes.length > 0) return toWords(classes);
  return suggested.length > 0 ? text.suggested(toWords(suggested)) : texts.none;
}

/** The endpoints with their teams and owners, the highest risk first. */
export function OwnedTable() {
  return (
    <ApiTable<OwnedOperation>
      words={text}
      route={routes.apiOwner.operations}
      topics={['inventory']}
      toQuery={({ sort: _, ...query }) => query}
      columns={COLUMNS}
      filters={FILTERS}
      rowId={({ operation_id: id }) => id}
    />
  );
}
