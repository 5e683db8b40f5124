import type { AlertDeliveryView } from '@flotilla/contract';
import { routes } from '../../api/index.ts';
import { ApiTable, type Column, State, Time } from '../../ui/index.ts';
import { texts } from './texts.ts';

const text = texts.messages;
const LOOKS = {
  waiting: { tone: 'busy', shape: 'ring' },
  sending: { tone: 'busy', shape: 'arc' },
  delivered: { tone: 'good', shape: 'full' },
  failed: { tone: 'bad', shape: 'triangle' },
} as const;

const COLUMNS: readonly Column<AlertDeliveryView>[] = [
  {
    id: 'created_at',
    header: text.time,
    sort: 'created_at',
    width: 104,
    cell: ({ created_at: at }) => <Time at={at} />,
    text: ({ created_at: at }) => at,
  },
  {
    id: 'channel',
    header: text.channel,
    width: '1fr',
    minWidth: 90,
    isNarrow: true,
    cell: ({ channel }) => <bdi title={channel.name}>{channel.name}</bdi>,
    text: ({ channel }) => channel.name,
  },
  {
    id: 'title',
    header: text.title,
    width: '3fr',
    minWidth: 140,
    isNarrow: true,
    cell: ({ title }) => <bdi title={title}>{title}</bdi>,
    text: ({ title }) => title,
  },
  {
    id: 'status',
    header: text.status,
    width: 110,
    isNarrow: true,
    cell: ({ status }) => <State word={text.statuses[status]} {...LOOKS[status]} />,
    text: ({ status }) => status,
  },
  {
    id: 'error',
    header: text.error,
    width: '2fr',
    minWidth: 100,
    cell: ({ error }) => <bdi title={error ?? undefined}>{error ?? '–'}</bdi>,
    text: ({ error }) => error,
  },
];

export function MessageList() {
  return (
    <ApiTable<AlertDeliveryView>
      words={{ name: texts.tabs.messages, searches: text.searches, empty: { title: text.none, text: text.noneText } }}
      route={routes.alertChannel.deliveries}
      topics={['alert_channel']}
      columns={COLUMNS}
    />
  );
}
