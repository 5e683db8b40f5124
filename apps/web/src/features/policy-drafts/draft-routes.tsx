import type { PolicyDraft, PolicyDraftRoute } from '@flotilla/contract';
import { List, Text } from '@mantine/core';
import { type PlainColumn, PlainTable } from '../../ui/index.ts';
import { texts } from './texts.tsx';

const text = texts.draft;

const COLUMNS: readonly PlainColumn<PolicyDraftRoute>[] = [
  {
    id: 'path',
    header: text.path,
    isNarrow: true,
    cell: ({ methods, host, hosts, normalized_path: path }) => (
      <>
        <span className="mono">{methods.join(' ')}</span> <bdi className="mono">{`${host}${path}`}</bdi>
        {hosts.length > 1 && (
          <Text size="sm" c="dimmed" title={hosts.join(', ')}>
            {text.more(hosts.length - 1)}
          </Text>
        )}
      </>
    ),
  },
  {
    id: 'does',
    header: text.does,
    isNarrow: true,
    cell: ({ engines }) =>
      engines.length === 0 ? (
        text.nothing
      ) : (
        <List size="sm">
          {engines.map(({ engine, why }) => (
            <List.Item key={engine}>
              <strong>{engine}</strong>: {why}
            </List.Item>
          ))}
        </List>
      ),
  },
  {
    id: 'notes',
    header: text.notes,
    cell: ({ notes }) =>
      notes.length > 0 && (
        <List size="sm">
          {notes.map((note) => (
            <List.Item key={note.text}>{note.text}</List.Item>
          ))}
        </List>
      ),
  },
  {
    id: 'traffic',
    header: text.traffic,
    cell: ({ traffic }) => traffic && text.trafficOf(traffic.requests, traffic.anonymous),
  },
];

export function DraftRoutes({ draft: { routes } }: { readonly draft: PolicyDraft }) {
  return (
    <PlainTable
      name={text.routes}
      rows={routes}
      columns={COLUMNS}
      rowId={({ host, normalized_path: path }) => `${host} ${path}`}
    />
  );
}
