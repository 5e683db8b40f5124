import type { CallOutput, signingKeyRoutes } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call, invalidate, routes, useApi } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Confirm, Loaded, type PlainColumn, PlainTable, Section, State, sayDone, Time } from '../../ui/index.ts';
import classes from './keys.module.css';

const text = texts.keys.signing;

type SigningKey = CallOutput<typeof signingKeyRoutes.list>['items'][number];

const COLUMNS: readonly PlainColumn<SigningKey>[] = [
  {
    id: 'kid',
    header: text.kid,
    isNarrow: true,
    cell: ({ kid }) => <span className="mono">{kid}</span>,
  },
  {
    id: 'state',
    header: text.state,
    isNarrow: true,
    cell: ({ signs }) => {
      const [word, why] = signs ? text.signs : text.verifies;
      return <State word={word} why={why} tone={signs ? 'good' : 'quiet'} shape={signs ? 'full' : 'half'} />;
    },
  },
  { id: 'made', header: texts.keys.made, cell: ({ created_at }) => <Time at={created_at} /> },
  {
    id: 'ends',
    header: text.ends,
    isNarrow: true,
    cell: ({ verifies_until: until }) => <Time at={until} empty="–" />,
  },
];

export function SigningKeys() {
  const can = useCan();
  const url = useUrlState();
  const found = useApi(routes.signingKey.list, {});
  const canRotate = can(routes.signingKey.rotate);
  return (
    <Section
      title={text.title}
      actions={
        canRotate && (
          <Button variant="default" onClick={() => url.set({ rotate: 'signing' }, 'push')}>
            {text.rotate.action}
          </Button>
        )
      }
    >
      <p className={classes.note}>{text.text}</p>
      <Loaded query={found} what={text.title} skeleton={2}>
        {({ body }) => <PlainTable name={text.list} rows={body.items} columns={COLUMNS} rowId={({ kid }) => kid} />}
      </Loaded>
      {canRotate && <NewSigningKey />}
    </Section>
  );
}

function NewSigningKey() {
  const url = useUrlState();
  const queryClient = useQueryClient();
  return (
    <Confirm
      opened={url.get('rotate') === 'signing'}
      title={text.rotate.title}
      action={text.rotate.confirm}
      onClose={() => url.set({ rotate: undefined })}
      onConfirm={async () => {
        await call(routes.signingKey.rotate, { query: {} });
        sayDone(text.rotate.done);
        await invalidate(queryClient, routes.signingKey.list);
      }}
    >
      {text.rotate.text}
    </Confirm>
  );
}
