import type { KeysView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call, invalidate, routes } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Confirm, type PlainColumn, PlainTable, Section, State, sayDone, Time } from '../../ui/index.ts';
import classes from './keys.module.css';
import { ResealProgress } from './reseal-progress.tsx';

const text = texts.keys.data;

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
  { id: 'made', header: texts.keys.made, isNarrow: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

/** What secrets are sealed with; a new one, and how far the sealing anew is. */
export function DataKeys({ keys }: { keys: readonly DataKey[] }) {
  const can = useCan();
  const url = useUrlState();
  const canRotate = can(routes.key.rotate);
  return (
    <Section
      title={text.title}
      actions={
        canRotate && (
          <Button variant="default" onClick={() => url.set({ rotate: 'data' }, 'push')}>
            {text.rotate.action}
          </Button>
        )
      }
    >
      <p className={classes.note}>{text.text}</p>
      <ResealProgress isWanted={keys.some(({ state }) => state !== 'sealing')} />
      <PlainTable name={text.list} rows={keys} columns={COLUMNS} rowId={({ id }) => String(id)} />
      {canRotate && <NewDataKey />}
    </Section>
  );
}

function NewDataKey() {
  const url = useUrlState();
  const queryClient = useQueryClient();
  return (
    <Confirm
      opened={url.get('rotate') === 'data'}
      title={text.rotate.title}
      action={text.rotate.confirm}
      onClose={() => url.set({ rotate: undefined })}
      onConfirm={async () => {
        const { body } = await call(routes.key.rotate, { query: {}, body: { which: 'data' } });
        if (body.data_key !== null) sayDone(text.rotate.done(body.data_key));
        await invalidate(queryClient, routes.key.list, routes.job.list);
      }}
    >
      {text.rotate.text}
    </Confirm>
  );
}
