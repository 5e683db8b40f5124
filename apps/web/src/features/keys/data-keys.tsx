import type { KeysView } from '@flotilla/contract';
import { routes } from '../../api/index.ts';
import { useUrlState } from '../../app/url-state.ts';
import { Confirm, type PlainColumn, PlainTable, State, sayDone, Time, useWrite } from '../../ui/index.ts';
import { KeySection } from './key-section.tsx';
import { ResealProgress } from './reseal-progress.tsx';
import { texts } from './texts.ts';

const text = texts.data;

type DataKey = KeysView['data_keys'][number];

const LOOKS = {
  coming: { tone: 'busy', shape: 'ring' },
  sealing: { tone: 'good', shape: 'full' },
  leaving: { tone: 'busy', shape: 'arc' },
} as const;

const COLUMNS: readonly PlainColumn<DataKey>[] = [
  { id: 'id', header: text.number, isNarrow: true, cell: ({ id }) => id },
  {
    id: 'state',
    header: text.state,
    isNarrow: true,
    cell: ({ state }) => {
      const [word, why] = text.states[state];
      return <State word={word} why={why} {...LOOKS[state]} />;
    },
  },
  { id: 'made', header: texts.made, isNarrow: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

/** Shows the data keys, their rotation and the progress of re-encryption. */
export function DataKeys({ keys }: { keys: readonly DataKey[] }) {
  return (
    <KeySection
      which="data"
      title={text.title}
      about={text.text}
      action={text.rotate.action}
      rotation={routes.key.rotate}
      question={<NewDataKey />}
    >
      <ResealProgress isWanted={keys.some(({ state }) => state !== 'sealing')} />
      <PlainTable name={text.list} rows={keys} columns={COLUMNS} rowId={({ id }) => String(id)} />
    </KeySection>
  );
}

function NewDataKey() {
  const url = useUrlState();
  const write = useWrite();
  return (
    <Confirm
      opened={url.get('rotate') === 'data'}
      title={text.rotate.title}
      action={text.rotate.confirm}
      onClose={() => url.set({ rotate: undefined })}
      onConfirm={async () => {
        const input = { query: {}, body: { which: 'data' } } as const;
        const { body } = await write(routes.key.rotate, input, { stale: [routes.key.list, routes.job.list] });
        if (body.data_key !== null) sayDone(text.rotate.done(body.data_key));
      }}
    >
      {text.rotate.text}
    </Confirm>
  );
}
