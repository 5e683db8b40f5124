import { Button, SegmentedControl } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { call, invalidate, routes, useApiList } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { useClientNames } from '../../app/use-client-names.ts';
import {
  type Column,
  Confirm,
  DataTable,
  Empty,
  RowActions,
  State,
  sayDone,
  type TableState,
  Time,
} from '../../ui/index.ts';
import { texts } from './enrolment-texts.tsx';
import type { EnrolmentToken } from './model.ts';
import { RotateEnrolment } from './rotate-enrolment.tsx';

const text = texts.enrolmentTokens;

const STATES = [
  { value: 'open', label: text.states.open },
  { value: 'void', label: text.states.void },
  { value: 'used', label: text.states.used },
  { value: 'expired', label: text.states.expired },
  { value: 'all', label: text.states.all },
] as const;

/** Lists tokens that let hosts join, and used ones. Their secrets are not stored. */
export function EnrolmentTokens({ onEnrol }: { onEnrol: () => void }) {
  const project = useProject();
  const can = useCan();
  const url = useUrlState();
  const [withdrawn, setWithdrawn] = useState<EnrolmentToken>();
  const { status, state } = useTokenTable();
  const list = useApiList<EnrolmentToken>(
    routes.enrolment.listTokens,
    { query: { project: project.id, ...state.query } },
    { topics: ['enrolment_token', 'client'] },
  );
  const nameOf = useClientNames();
  const canWithdraw = can(routes.enrolment.deleteToken);
  const canRotate = can(routes.enrolment.rotateToken);
  const { set: setUrl } = url;
  const columns = useMemo(() => {
    const rotate = (token: EnrolmentToken) => setUrl({ rotate: token.id }, 'push');
    return createColumns(project.name, nameOf, {
      onRotate: canRotate ? rotate : undefined,
      onWithdraw: canWithdraw ? setWithdrawn : undefined,
    });
  }, [project.name, nameOf, canRotate, canWithdraw, setUrl]);
  return (
    <>
      <DataTable
        name={text.list.name}
        list={list}
        state={state}
        columns={columns}
        rowId={({ id }) => id}
        actions={
          <SegmentedControl
            size="xs"
            aria-label={text.list.shown}
            data={[...STATES]}
            value={status}
            onChange={(value) => url.set({ tokens: value === 'all' ? undefined : value }, 'push')}
          />
        }
        empty={
          <Empty title={text.list.emptyTitle} action={<Button onClick={onEnrol}>{text.list.enrol}</Button>}>
            {text.list.empty}
          </Empty>
        }
      />
      <Withdraw token={withdrawn} onClose={() => setWithdrawn(undefined)} />
      {canRotate && <RotateEnrolment list={list} />}
    </>
  );
}

/** The page has another table with parameters of its own, so this one uses `?tokens=` and `?sort_tokens=`. */
function useTokenTable() {
  const url = useUrlState();
  const status = STATES.find(({ value }) => value === url.get('tokens'))?.value ?? 'all';
  const sort = url.get('sort_tokens');
  const state: TableState = {
    q: '',
    sort,
    // Counts as a filter, so that an empty result is not mistaken for an empty list.
    filters: status === 'all' ? {} : { tokens: [status] },
    query: { ...(status !== 'all' && { status }), ...(sort && { sort }) },
    setQ: () => undefined,
    setSort: (field) => url.set({ sort_tokens: field }, 'push'),
    setFilter: () => undefined,
    clear: () => url.set({ tokens: undefined }, 'push'),
  };
  return { status, state };
}

function Withdraw({ token, onClose }: { token: EnrolmentToken | undefined; onClose: () => void }) {
  const project = useProject();
  const queryClient = useQueryClient();
  return (
    <Confirm
      opened={token !== undefined}
      title={text.withdraw.title}
      action={text.withdraw.action}
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        if (!token) return;
        const input = { params: { token_id: token.id }, query: { project: project.id } };
        await call(routes.enrolment.deleteToken, input);
        await invalidate(queryClient, routes.enrolment.listTokens);
        sayDone(text.withdraw.done);
      }}
    >
      {token?.note ? text.withdraw.confirmOf(<bdi>“{token.note}”</bdi>) : text.withdraw.confirm}
    </Confirm>
  );
}

/** Actions on an open token; undefined without permission. */
interface TokenActions {
  readonly onRotate: ((token: EnrolmentToken) => void) | undefined;
  readonly onWithdraw: ((token: EnrolmentToken) => void) | undefined;
}

// oxlint-disable-next-line max-lines-per-function -- one entry per column
function createColumns(
  project: string,
  nameOf: (clientId: string) => string,
  { onRotate, onWithdraw }: TokenActions,
): readonly Column<EnrolmentToken>[] {
  return [
    {
      id: 'note',
      header: text.columns.note,
      width: '2fr',
      minWidth: 96,
      isNarrow: true,
      cell: ({ note }) => <bdi title={note ?? undefined}>{note ?? '–'}</bdi>,
      text: ({ note }) => note,
    },
    {
      id: 'status',
      header: text.columns.status,
      width: 92,
      isNarrow: true,
      cell: (token) => <TokenState token={token} />,
      text: ({ status }) => status,
    },
    {
      id: 'prefix',
      fromPx: 1200,
      header: text.columns.prefix,
      width: 156,
      cell: ({ secrets }) => <Secrets secrets={secrets} />,
      text: ({ secrets }) => secrets.map(({ prefix }) => `${prefix}…`).join(' '),
    },
    {
      id: 'client',
      header: text.columns.client,
      width: '1fr',
      minWidth: 110,
      cell: ({ client_id: clientId }) =>
        clientId ? (
          <Link to="/p/$project/clients/$clientId" params={{ project, clientId }} title={nameOf(clientId)}>
            <bdi>{nameOf(clientId)}</bdi>
          </Link>
        ) : (
          '–'
        ),
      text: ({ client_id }) => client_id,
    },
    {
      id: 'expires_at',
      header: text.columns.expires,
      sort: 'expires_at',
      width: 110,
      // The expiry of a used token is irrelevant.
      cell: ({ status, expires_at }) => (status === 'used' ? '–' : <Time at={expires_at} />),
      text: ({ expires_at }) => expires_at,
    },
    {
      id: 'created_at',
      fromPx: 1200,
      header: text.columns.created,
      sort: 'created_at',
      width: 110,
      cell: ({ created_at }) => <Time at={created_at} />,
      text: ({ created_at }) => created_at,
    },
    {
      id: 'created_by',
      header: text.columns.by,
      width: '1fr',
      minWidth: 90,
      cell: ({ created_by }) => <bdi title={created_by}>{created_by}</bdi>,
      text: ({ created_by }) => created_by,
    },
    {
      id: 'actions',
      header: text.columns.actions,
      width: 152,
      isNarrow: true,
      cell: (token) =>
        token.status === 'open' ? (
          <RowActions
            of={token.note ?? text.columns.ofToken}
            actions={[
              {
                word: text.rotate.action,
                label: token.note ? text.rotate.actionOf(token.note) : text.rotate.actionUnnamed,
                onClick: onRotate && (() => onRotate(token)),
              },
              {
                word: text.columns.withdraw,
                label: token.note ? text.columns.withdrawNamed(token.note) : text.columns.withdrawToken,
                onClick: onWithdraw && (() => onWithdraw(token)),
              },
            ]}
          />
        ) : null,
    },
  ];
}

/** Shows the prefix of the newest secret and, during a rotation, of the previous one. */
function Secrets({ secrets: [newest, old] }: Pick<EnrolmentToken, 'secrets'>) {
  if (!newest) return '–';
  return (
    <span className="mono" title={old && text.columns.olderHolds(old.prefix)}>
      {newest.prefix}…{old && ' +1'}
    </span>
  );
}

function TokenState({ token }: { token: EnrolmentToken }) {
  switch (token.status) {
    case 'open':
      return <State word={text.state.open} tone="busy" shape="ring" why={text.state.whyOpen} />;
    case 'void':
      return <State word={text.state.void} tone="bad" shape="square" why={text.state.whyVoid} />;
    case 'used':
      return (
        <State word={text.state.used} tone="good" shape="full" why={text.state.whyUsed(<Time at={token.used_at} />)} />
      );
    case 'expired':
      return <State word={text.state.expired} tone="quiet" shape="square" why={text.state.whyExpired} />;
  }
}
