import type { KeysView } from '@flotilla/contract';
import { routes } from '../../api/index.ts';
import { type PlainColumn, PlainTable, Time } from '../../ui/index.ts';
import { KeySection } from './key-section.tsx';
import { NewMasterKey } from './new-master-key.tsx';
import { texts } from './texts.ts';

const text = texts.master;

type MasterKey = KeysView['master_keys'][number];

const COLUMNS: readonly PlainColumn<MasterKey>[] = [
  {
    id: 'name',
    header: text.name,
    isNarrow: true,
    cell: ({ expires_at }) => (expires_at === null ? text.newest : text.before),
  },
  {
    id: 'holds',
    header: text.holds,
    isNarrow: true,
    cell: ({ expires_at }) => (expires_at === null ? text.always : <Time at={expires_at} />),
  },
  { id: 'made', header: texts.made, isNarrow: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

interface MasterKeysProps {
  readonly keys: readonly MasterKey[];
  readonly from: KeysView['master_from'];
}

/** Shows the master key in use, and previous ones that still decrypt the data keys. */
export function MasterKeys({ keys, from }: MasterKeysProps) {
  return (
    <KeySection
      which="master"
      title={text.title}
      about={text.text[from]}
      action={text.rotate.action}
      rotation={routes.key.rotate}
      question={<NewMasterKey from={from} />}
    >
      <PlainTable
        name={text.list}
        rows={keys}
        columns={COLUMNS}
        rowId={({ created_at, expires_at }) => `${created_at} ${expires_at}`}
      />
    </KeySection>
  );
}
