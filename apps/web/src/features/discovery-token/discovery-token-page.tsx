import type { DiscoveryTokenView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { ApiError, routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Confirm, Empty, Facts, Loaded, Page, type PlainColumn, PlainTable, Time, useWrite } from '../../ui/index.ts';
import { NewSecretDrawer } from './new-secret-drawer.tsx';
import { texts } from './texts.ts';

const text = texts;

type Secret = DiscoveryTokenView['secrets'][number];

const COLUMNS: readonly PlainColumn<Secret>[] = [
  {
    id: 'prefix',
    header: text.columns.prefix,
    isNarrow: true,
    cell: ({ prefix }) => <span className="mono">{prefix}…</span>,
  },
  { id: 'made', header: text.columns.made, isNarrow: true, cell: ({ created_at }) => <Time at={created_at} /> },
  {
    id: 'holds',
    header: text.columns.ends,
    isNarrow: true,
    cell: ({ expires_at }) => <Time at={expires_at} empty={text.newest} />,
  },
];

/** `?change=secret` opens the drawer. */
export function DiscoveryTokenPage() {
  const project = useProject();
  const can = useCan();
  const url = useUrlState();
  const found = useApi(routes.discoveryToken.get, { query: { project: project.id } });
  const canChange = can(routes.discoveryToken.generate);
  const change = () => url.set({ change: 'secret' }, 'push');
  // Hides the cached answer of a token that was deleted.
  const isMissing = found.error instanceof ApiError && found.error.status === 404;
  const token = isMissing ? undefined : found.data?.body;
  return (
    <Page
      title={text.title}
      lead={text.lead}
      actions={token && canChange && <Button onClick={change}>{text.rotate.action}</Button>}
    >
      {isMissing ? (
        <Empty title={text.empty.title} action={canChange && <Button onClick={change}>{text.empty.action}</Button>}>
          {text.empty.text}
        </Empty>
      ) : (
        <Loaded query={found} what={text.what}>
          {({ body }) => <Token token={body} />}
        </Loaded>
      )}
      {canChange && (token || isMissing) && (
        <NewSecretDrawer isFirst={isMissing} endsAt={token?.secrets[1]?.expires_at ?? undefined} />
      )}
    </Page>
  );
}

function Token({ token }: { token: DiscoveryTokenView }) {
  const project = useProject();
  const can = useCan();
  const write = useWrite();
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <PlainTable name={text.list} rows={token.secrets} columns={COLUMNS} rowId={({ prefix }) => prefix} />
      <Facts
        facts={[
          [text.madeBy, <bdi key="by">{token.created_by}</bdi>],
          [text.columns.made, <Time key="at" at={token.created_at} />],
        ]}
      />
      {can(routes.discoveryToken.delete) && (
        <div>
          <Button variant="default" onClick={() => setDeleting(true)}>
            {text.remove.action}
          </Button>
        </div>
      )}
      <Confirm
        opened={isDeleting}
        title={text.remove.title}
        action={text.remove.confirm}
        isDangerous
        onClose={() => setDeleting(false)}
        onConfirm={() =>
          write(
            routes.discoveryToken.delete,
            { query: { project: project.id } },
            { done: text.remove.done, stale: [routes.discoveryToken.get] },
          )
        }
      >
        {text.remove.text}
      </Confirm>
    </>
  );
}
