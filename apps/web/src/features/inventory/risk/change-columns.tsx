import type { InventoryChange, InventoryChangeType } from '@flotilla/contract';
import { type Column, State } from '../../../ui/index.ts';
import type { StateProps } from '../../../ui/state.tsx';
import { LastSeen } from '../operation-cells.tsx';
import { nameOf, OperationLink } from '../operation-name.tsx';
import { texts as shared } from '../texts.tsx';
import type { FlagCatalogue } from '../use-inventory.ts';
import { texts } from './texts.tsx';

const text = texts.changes;

type Look = Required<Pick<StateProps, 'tone' | 'shape'>>;

const LOOKS: Readonly<Record<InventoryChangeType, Look>> = {
  new_operation: { tone: 'busy', shape: 'full' },
  new_method: { tone: 'busy', shape: 'half' },
  removed_operation: { tone: 'quiet', shape: 'ring' },
  templated: { tone: 'quiet', shape: 'full' },
  auth_downgrade: { tone: 'bad', shape: 'triangle' },
  new_pii_category: { tone: 'warn', shape: 'triangle' },
  new_risk_flag: { tone: 'warn', shape: 'triangle' },
  flag_cleared: { tone: 'good', shape: 'full' },
  risk_increase: { tone: 'warn', shape: 'half' },
  status_regress: { tone: 'warn', shape: 'half' },
  zombie_resurrection: { tone: 'busy', shape: 'half' },
};

/** A change has no id of its own: an operation changes once in each way. */
export function changeId({ operation_id: id, type }: InventoryChange): string {
  return `${id} ${type}`;
}

export function listChangeColumns(catalogue: FlagCatalogue): readonly Column<InventoryChange>[] {
  return [
    {
      id: 'type',
      header: text.type,
      width: 268,
      isNarrow: true,
      cell: ({ type }) => <State word={text.types[type]} {...LOOKS[type]} />,
      text: ({ type }) => type,
    },
    {
      id: 'endpoint',
      isOpening: true,
      header: text.endpoint,
      width: '3fr',
      minWidth: 180,
      isNarrow: true,
      cell: (row) => <OperationLink of={{ ...row, id: row.operation_id }} isPathFirst />,
      text: nameOf,
    },
    {
      id: 'detail',
      header: text.detail,
      width: '2fr',
      minWidth: 120,
      cell: (row) => <bdi>{describeDetail(row, catalogue)}</bdi>,
      text: ({ detail }) => detail.join(' '),
    },
    {
      id: 'last_seen',
      header: text.lastSeen,
      width: 110,
      cell: ({ last_seen: at }) => <LastSeen at={at} />,
      text: ({ last_seen: at }) => at,
    },
  ];
}

/** Flags, categories and schemes in words; codes and scores as they are. */
function describeDetail({ type, detail }: InventoryChange, { titleOf }: FlagCatalogue): string {
  const pii: Readonly<Record<string, string>> = shared.pii;
  const schemes: Readonly<Record<string, string>> = { ...shared.schemes, none: text.noCredentials };
  if (type === 'risk_increase') return detail.join(' → ');
  if (type === 'auth_downgrade') return detail.map((one) => schemes[one] ?? one).join(', ');
  if (type === 'new_pii_category') return detail.map((one) => pii[one] ?? one).join(', ');
  if (type === 'new_risk_flag' || type === 'flag_cleared') return detail.map(titleOf).join(', ');
  return detail.join(', ');
}
