import type { CallOutput, signingKeyRoutes } from '@flotilla/contract';
import { routes, useApi } from '../../api/index.ts';
import { useUrlState } from '../../app/url-state.ts';
import { Confirm, Loaded, type PlainColumn, PlainTable, State, Time, useWrite } from '../../ui/index.ts';
import { KeySection } from './key-section.tsx';
import { texts } from './texts.ts';

const text = texts.signing;

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
  { id: 'made', header: texts.made, cell: ({ created_at }) => <Time at={created_at} /> },
  {
    id: 'ends',
    header: text.ends,
    isNarrow: true,
    cell: ({ verifies_until: until }) => <Time at={until} empty="–" />,
  },
];

export function SigningKeys() {
  const found = useApi(routes.signingKey.list, {});
  return (
    <KeySection
      which="signing"
      title={text.title}
      about={text.text}
      action={text.rotate.action}
      rotation={routes.signingKey.rotate}
      question={<NewSigningKey />}
    >
      <Loaded query={found} what={text.title} skeleton={2}>
        {({ body }) => <PlainTable name={text.list} rows={body.items} columns={COLUMNS} rowId={({ kid }) => kid} />}
      </Loaded>
    </KeySection>
  );
}

function NewSigningKey() {
  const url = useUrlState();
  const write = useWrite();
  return (
    <Confirm
      opened={url.get('rotate') === 'signing'}
      title={text.rotate.title}
      action={text.rotate.confirm}
      onClose={() => url.set({ rotate: undefined })}
      onConfirm={() =>
        write(routes.signingKey.rotate, { query: {} }, { done: text.rotate.done, stale: [routes.signingKey.list] })
      }
    >
      {text.rotate.text}
    </Confirm>
  );
}
