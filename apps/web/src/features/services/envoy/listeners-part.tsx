import { type EnvoyListener, readEnvoyListeners } from '@flotilla/contract';
import { Empty, type PlainColumn, PlainTable } from '../../../ui/index.ts';
import { Answer } from './answer.tsx';
import { texts } from './texts.tsx';
import { type EnvoyPlace, useProxy } from './use-proxy.ts';

const text = texts.listeners;
const EVERY_MS = 10_000;

const COLUMNS: readonly PlainColumn<EnvoyListener>[] = [
  { id: 'listener', header: text.listener, isNarrow: true, cell: ({ name }) => <bdi>{name}</bdi> },
  {
    id: 'addresses',
    header: text.addresses,
    isNarrow: true,
    cell: ({ addresses }) => <bdi>{addresses.join(', ')}</bdi>,
  },
];

export function ListenersPart({ place }: { place: EnvoyPlace }) {
  const query = useProxy(place, { path: '/listeners' }, { everyMs: EVERY_MS });
  return (
    <Answer query={query} what={text.what} read={readEnvoyListeners}>
      {(listeners) =>
        listeners.length === 0 ? (
          <Empty title={text.emptyTitle}>{text.empty}</Empty>
        ) : (
          <PlainTable name={text.list} rows={listeners} columns={COLUMNS} rowId={({ name }) => name} />
        )
      }
    </Answer>
  );
}
