import type { ApiTokenView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { type Column, State, Time } from '../../ui/index.ts';
import { deriveTokenState, WHY_ORPHANED } from './token-model.ts';

export type ApiToken = ApiTokenView;

export function createTokenColumns(onRevoke: ((token: ApiToken) => void) | undefined): readonly Column<ApiToken>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      sort: 'name',
      width: '2fr',
      minWidth: 110,
      isNarrow: true,
      cell: ({ name }) => <bdi title={name}>{name}</bdi>,
      text: ({ name }) => name,
    },
    {
      id: 'state',
      header: 'State',
      width: 120,
      isNarrow: true,
      cell: (token) => <TokenStateCell token={token} />,
      text: (token) => deriveTokenState(token, Date.now()),
    },
    {
      id: 'prefix',
      header: 'Begins with',
      width: 116,
      cell: ({ prefix }) => <span className="mono">{prefix}…</span>,
      text: ({ prefix }) => prefix,
    },
    { id: 'role', header: 'Role', width: 76, cell: ({ role }) => role, text: ({ role }) => role },
    {
      id: 'expires_at',
      header: 'Expires',
      width: 104,
      cell: ({ expires_at }) => <Time at={expires_at} />,
      text: ({ expires_at }) => expires_at,
    },
    {
      id: 'last_used_at',
      header: 'Last used',
      width: 104,
      cell: ({ last_used_at }) => <Time at={last_used_at} />,
      text: ({ last_used_at }) => last_used_at,
    },
    {
      id: 'created_by',
      header: 'Made by',
      width: '1fr',
      minWidth: 90,
      cell: ({ created_by }) =>
        created_by === null ? <i>deleted account</i> : <bdi title={created_by}>{created_by}</bdi>,
      text: ({ created_by }) => created_by,
    },
    {
      id: 'created_at',
      header: 'Created',
      sort: 'created_at',
      width: 104,
      cell: ({ created_at }) => <Time at={created_at} />,
      text: ({ created_at }) => created_at,
    },
    {
      id: 'actions',
      header: 'Actions',
      width: 88,
      isNarrow: true,
      cell: (token) =>
        onRevoke && (
          <Button
            variant="default"
            size="compact-xs"
            aria-label={`Revoke ${token.name}`}
            onClick={() => onRevoke(token)}
          >
            Revoke
          </Button>
        ),
    },
  ];
}

function TokenStateCell({ token }: { token: ApiToken }) {
  switch (deriveTokenState(token, Date.now())) {
    case 'works':
      return (
        <State word="Valid" tone="good" shape="full" why="Requests with it are taken while its maker may do them" />
      );
    case 'expiring':
      return (
        <State
          word="Expires soon"
          tone="warn"
          shape="half"
          why={
            <>
              It ends <Time at={token.expires_at} />: create another and put it where this one is
            </>
          }
        />
      );
    case 'expired':
      return (
        <State
          word="Expired"
          tone="quiet"
          shape="square"
          why={
            <>
              Requests with it are refused, <Time at={token.expires_at} />
            </>
          }
        />
      );
    case 'orphaned':
      return <State word="Refused" tone="bad" shape="triangle" why={WHY_ORPHANED[token.maker]} />;
  }
}
