import type { ApiTokenView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { texts } from '../../texts/index.ts';
import { type Column, State, Time } from '../../ui/index.ts';
import { deriveTokenState, WHY_ORPHANED } from './token-model.ts';
import classes from './tokens.module.css';

export type ApiToken = ApiTokenView;

interface TokenActions {
  readonly onRotate: ((token: ApiToken) => void) | undefined;
  readonly onRevoke: ((token: ApiToken) => void) | undefined;
}

export function createTokenColumns({ onRotate, onRevoke }: TokenActions): readonly Column<ApiToken>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      sort: 'name',
      width: '2fr',
      minWidth: 90,
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
      id: 'families',
      header: texts.tokens.mayCall,
      width: '1fr',
      minWidth: 90,
      cell: ({ families }) => <span title={families?.join(', ')}>{describeFamilies(families)}</span>,
      text: ({ families }) => describeFamilies(families),
    },
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
      cell: ({ last_used_at, last_used_ip }) => (
        <span title={last_used_ip ? texts.tokens.lastUsedFrom(last_used_ip) : undefined}>
          <Time at={last_used_at} />
        </span>
      ),
      text: ({ last_used_at }) => last_used_at,
    },
    {
      id: 'last_used_ip',
      header: 'Used from',
      width: 120,
      isOptional: true,
      cell: ({ last_used_ip }) => <span className="mono">{last_used_ip ?? '–'}</span>,
      text: ({ last_used_ip }) => last_used_ip,
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
      isOptional: true,
      cell: ({ created_at }) => <Time at={created_at} />,
      text: ({ created_at }) => created_at,
    },
    {
      id: 'actions',
      header: 'Actions',
      width: 142,
      isNarrow: true,
      cell: (token) => (
        <span className={classes.actions}>
          {onRotate && (
            <Button
              variant="default"
              size="compact-xs"
              aria-label={texts.tokens.rotate.label(token.name)}
              onClick={() => onRotate(token)}
            >
              {texts.tokens.rotate.action}
            </Button>
          )}
          {onRevoke && (
            <Button
              variant="default"
              size="compact-xs"
              aria-label={`Revoke ${token.name}`}
              onClick={() => onRevoke(token)}
            >
              Revoke
            </Button>
          )}
        </span>
      ),
    },
  ];
}

function describeFamilies(families: ApiToken['families']): string {
  return families?.join(', ') ?? texts.tokens.allFamilies;
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
