import type { ApiCoverageItem } from '@flotilla/contract';
import { type Column, Time } from '../../ui/index.ts';
import { OperationLink } from '../inventory/index.ts';
import { DocumentLink } from './document-columns.tsx';
import { KindStates } from './kind-states.tsx';
import { texts } from './texts.ts';

const text = texts.differences;

/** An endpoint of the traffic is one row; one that was not seen, a row for each document. */
export function differenceId({ operation_id: id, method, path, documents }: ApiCoverageItem): string {
  return id ?? `${documents[0]?.id ?? ''} ${method} ${path} ${documents[0]?.path ?? ''}`;
}

export const DIFFERENCE_COLUMNS: readonly Column<ApiCoverageItem>[] = [
  {
    id: 'endpoint',
    isOpening: true,
    header: text.endpoint,
    width: '3fr',
    minWidth: 180,
    isNarrow: true,
    cell: (row) => <Endpoint item={row} />,
    text: ({ method, host, path }) => `${method} ${host}${path}`,
  },
  {
    id: 'kind',
    header: text.kind,
    width: 210,
    isNarrow: true,
    cell: ({ kinds }) => <KindStates kinds={kinds} />,
    text: ({ kinds }) => kinds.join(' '),
  },
  {
    id: 'detail',
    header: text.detail,
    width: '2fr',
    minWidth: 120,
    cell: (row) => <bdi title={describeDetail(row)}>{describeDetail(row)}</bdi>,
    text: describeDetail,
  },
  {
    id: 'document',
    header: text.document,
    width: '1fr',
    minWidth: 100,
    cell: ({ documents }) => <Documents documents={documents} />,
    text: ({ documents }) => documents.map(({ name }) => name).join(' '),
  },
  {
    id: 'calls',
    header: text.calls,
    width: 100,
    align: 'right',
    fromPx: 1200,
    cell: ({ seen_count: calls }) => calls.toLocaleString('en'),
    text: ({ seen_count: calls }) => calls,
  },
  {
    id: 'last_seen',
    header: text.lastSeen,
    width: 110,
    cell: ({ last_seen: at }) => (at === null ? '–' : <Time at={at} />),
    text: ({ last_seen: at }) => at,
  },
];

/** Names come from requests and documents: they may contain anything, and are shown as text. */
function Endpoint({ item }: { item: ApiCoverageItem }) {
  const { operation_id: id, method, host, path } = item;
  if (id === null)
    return (
      <span className="mono" title={`${method} ${path}`}>
        {method} <bdi>{path}</bdi>
      </span>
    );
  return <OperationLink of={{ id, method, host, normalized_path: path, operation: '' }} isPathFirst />;
}

function Documents({ documents }: Pick<ApiCoverageItem, 'documents'>) {
  return (
    <>
      {documents.map(({ id, name }) => (
        <div key={id}>{id === null ? <bdi>{name}</bdi> : <DocumentLink id={id} name={name} />}</div>
      ))}
    </>
  );
}

function describeDetail({ undeclared_parameters: parameters, undeclared_statuses: statuses }: ApiCoverageItem): string {
  return [
    ...(parameters.length > 0 ? [text.parameters(parameters.join(', '))] : []),
    ...(statuses.length > 0 ? [text.statuses(statuses.join(', '))] : []),
  ].join('; ');
}
