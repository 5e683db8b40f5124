import type { CallOutput, lockoutRoutes } from '@flotilla/contract';
import { type PlainColumn, State, Time } from '../../ui/index.ts';
import { texts } from './texts.ts';
import { UnlockAddress } from './unlock-address.tsx';

const { columns: text, waits, next } = texts;

type Block = CallOutput<typeof lockoutRoutes.list>['items'][number];

export const COLUMNS: readonly PlainColumn<Block>[] = [
  {
    id: 'address',
    header: text.address,
    isNarrow: true,
    cell: ({ address }) => <span className="mono">{address.includes(':') ? `${address}/64` : address}</span>,
  },
  {
    id: 'state',
    header: text.state,
    isNarrow: true,
    cell: ({ waits_until: until }) => {
      const [word, why] = until ? waits : next;
      return <State word={word} why={why} tone={until ? 'warn' : 'quiet'} shape={until ? 'half' : 'ring'} />;
    },
  },
  { id: 'until', header: text.until, cell: ({ waits_until }) => <Time at={waits_until} empty="–" /> },
  {
    id: 'failures',
    header: text.failures,
    align: 'right',
    cell: ({ failures }) => failures.toLocaleString('en'),
  },
  { id: 'last', header: text.last, cell: ({ last_at }) => <Time at={last_at} /> },
  {
    id: 'actions',
    header: text.actions,
    isNarrow: true,
    cell: ({ address }) => <UnlockAddress address={address} />,
  },
];
