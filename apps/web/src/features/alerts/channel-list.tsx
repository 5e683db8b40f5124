import type { AlertChannelView } from '@flotilla/contract';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { type PlainColumn, ReceiverActions, ShortList, State, useWrite } from '../../ui/index.ts';
import { ChannelDrawers } from './channel-drawer.tsx';
import { texts } from './texts.ts';

const text = texts.channels;
const LOOKS = {
  unused: { tone: 'quiet', shape: 'ring' },
  working: { tone: 'good', shape: 'full' },
  failing: { tone: 'bad', shape: 'triangle' },
} as const;

const COLUMNS: readonly PlainColumn<AlertChannelView>[] = [
  { id: 'name', header: text.name, isNarrow: true, cell: ({ name }) => <bdi>{name}</bdi> },
  { id: 'kind', header: text.kind, isNarrow: true, cell: ({ target }) => text.kinds[target.kind] },
  { id: 'target', header: text.target, cell: ({ target }) => <bdi>{describeTarget(target)}</bdi> },
  {
    id: 'state',
    header: text.state,
    isNarrow: true,
    cell: ({ enabled, state, last_error: error }) => (
      <State
        word={enabled ? text.states[state] : text.isOff}
        {...(enabled ? LOOKS[state] : { tone: 'quiet', shape: 'square' })}
        {...(error !== null && { why: error })}
      />
    ),
  },
  { id: 'actions', header: texts.columns.actions, isNarrow: true, cell: (channel) => <Actions channel={channel} /> },
];

function describeTarget(target: AlertChannelView['target']): string {
  if (target.kind === 'email') return target.recipients.join(', ');
  return target.kind === 'webhook' ? target.url : text.hidden;
}

/** `?create=channel` and `?channel=<id>` open the drawers. */
export function ChannelList() {
  const project = useProject();
  const can = useCan();
  const found = useApi(
    routes.alertChannel.list,
    { query: { project: project.id, limit: 100 } },
    { topics: ['alert_channel'] },
  );
  return (
    <>
      <ShortList
        words={text}
        query={found}
        columns={COLUMNS}
        create={{ route: routes.alertChannel.create, opens: { create: 'channel' } }}
      />
      {can(routes.alertChannel.replace) && <ChannelDrawers />}
    </>
  );
}

const STALE = { stale: [routes.alertChannel.list, routes.alertChannel.deliveries] };

function Actions({ channel: { id, name } }: { channel: AlertChannelView }) {
  const project = useProject();
  const can = useCan();
  const write = useWrite();
  const url = useUrlState();
  const to = { params: { channel_id: id }, query: { project: project.id } };
  const edit = () => url.set({ channel: id }, 'push');
  const remove = () => write(routes.alertChannel.delete, to, { done: text.removed(name), ...STALE });
  return (
    <ReceiverActions
      name={name}
      words={text}
      test={can(routes.alertChannel.test) ? () => write(routes.alertChannel.test, to, STALE) : undefined}
      edit={can(routes.alertChannel.replace) ? edit : undefined}
      remove={can(routes.alertChannel.delete) ? remove : undefined}
    />
  );
}
