import type { ApiTokenView } from '@flotilla/contract';
import { type Column, RowActions, State, Time } from '../../ui/index.ts';
import { texts } from './texts.tsx';
import { deriveTokenState, WHY_ORPHANED } from './token-model.ts';

const text = texts.tokenColumns;

interface TokenActions {
  readonly onRotate: ((token: ApiTokenView) => void) | undefined;
  readonly onRevoke: ((token: ApiTokenView) => void) | undefined;
}

// oxlint-disable-next-line max-lines-per-function -- one entry per column
export function createTokenColumns({ onRotate, onRevoke }: TokenActions): readonly Column<ApiTokenView>[] {
  return [
    {
      id: 'name',
      header: text.columns.name,
      sort: 'name',
      width: '2fr',
      minWidth: 90,
      isNarrow: true,
      cell: ({ name }) => <bdi title={name}>{name}</bdi>,
      text: ({ name }) => name,
    },
    {
      id: 'state',
      header: text.columns.state,
      width: 120,
      isNarrow: true,
      cell: (token) => <TokenStateCell token={token} />,
      text: (token) => deriveTokenState(token, Date.now()),
    },
    {
      id: 'prefix',
      fromPx: 1200,
      header: text.columns.prefix,
      width: 116,
      cell: ({ prefix }) => <span className="mono">{prefix}…</span>,
      text: ({ prefix }) => prefix,
    },
    {
      id: 'role',
      header: text.columns.role,
      width: 76,
      cell: ({ role }) => role,
      text: ({ role }) => role,
    },
    {
      id: 'families',
      header: texts.mayCall,
      width: '1fr',
      minWidth: 90,
      cell: ({ families }) => <span title={families?.join(', ')}>{describeFamilies(families)}</span>,
      text: ({ families }) => describeFamilies(families),
    },
    {
      id: 'expires_at',
      header: text.columns.expires,
      width: 104,
      cell: ({ expires_at }) => <Time at={expires_at} />,
      text: ({ expires_at }) => expires_at,
    },
    {
      id: 'last_used_at',
      header: text.columns.lastUsed,
      width: 104,
      cell: ({ last_used_at, last_used_ip }) => (
        <span title={last_used_ip ? texts.lastUsedFrom(last_used_ip) : undefined}>
          <Time at={last_used_at} />
        </span>
      ),
      text: ({ last_used_at }) => last_used_at,
    },
    {
      id: 'last_used_ip',
      header: text.columns.usedFrom,
      width: 120,
      isOptional: true,
      cell: ({ last_used_ip }) => <span className="mono">{last_used_ip ?? '–'}</span>,
      text: ({ last_used_ip }) => last_used_ip,
    },
    {
      id: 'created_by',
      fromPx: 1200,
      header: text.columns.madeBy,
      width: '1fr',
      minWidth: 90,
      cell: ({ created_by }) =>
        created_by === null ? <i>{text.columns.deletedAccount}</i> : <bdi title={created_by}>{created_by}</bdi>,
      text: ({ created_by }) => created_by,
    },
    {
      id: 'created_at',
      header: text.columns.created,
      sort: 'created_at',
      width: 104,
      isOptional: true,
      cell: ({ created_at }) => <Time at={created_at} />,
      text: ({ created_at }) => created_at,
    },
    {
      id: 'actions',
      header: text.columns.actions,
      width: 142,
      isNarrow: true,
      cell: (token) => (
        <RowActions
          of={token.name}
          actions={[
            {
              word: texts.rotate.action,
              label: texts.rotate.label(token.name),
              onClick: onRotate && (() => onRotate(token)),
            },
            {
              word: text.columns.revoke,
              label: text.columns.revokeToken(token.name),
              onClick: onRevoke && (() => onRevoke(token)),
            },
          ]}
        />
      ),
    },
  ];
}

function describeFamilies(families: ApiTokenView['families']): string {
  return families?.join(', ') ?? texts.allFamilies;
}

function TokenStateCell({ token }: { token: ApiTokenView }) {
  switch (deriveTokenState(token, Date.now())) {
    case 'works':
      return <State word={text.state.valid} tone="good" shape="full" why={text.state.whyValid} />;
    case 'expiring':
      return (
        <State
          word={text.state.expiresSoon}
          tone="warn"
          shape="half"
          why={text.state.whyExpiresSoon(<Time at={token.expires_at} />)}
        />
      );
    case 'expired':
      return (
        <State
          word={text.state.expired}
          tone="quiet"
          shape="square"
          why={text.state.refusedSince(<Time at={token.expires_at} />)}
        />
      );
    case 'orphaned':
      return <State word={text.state.refused} tone="bad" shape="triangle" why={WHY_ORPHANED[token.maker]} />;
  }
}
