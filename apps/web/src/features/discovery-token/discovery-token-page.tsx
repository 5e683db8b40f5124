import type { DiscoveryTokenView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, invalidate, routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Confirm, Empty, Facts, Loaded, Page, type PlainColumn, PlainTable, sayDone, Time } from '../../ui/index.ts';
import { NewSecretDrawer } from './new-secret-drawer.tsx';

const text = texts.discoveryToken;

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
  const can = useCan();
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
      <Removal opened={isDeleting} onClose={() => setDeleting(false)} />
    </>
  );
}

function Removal({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const project = useProject();
  const queryClient = useQueryClient();
  return (
    <Confirm
      opened={opened}
      title={text.remove.title}
      action={text.remove.confirm}
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await call(routes.discoveryToken.delete, { query: { project: project.id } });
        sayDone(text.remove.done);
        await invalidate(queryClient, routes.discoveryToken.get);
      }}
    >
      {text.remove.text}
    </Confirm>
  );
}
