import type { KeysView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { routes } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { type PlainColumn, PlainTable, Section, Time } from '../../ui/index.ts';
import classes from './keys.module.css';
import { NewMasterKey } from './new-master-key.tsx';

const text = texts.keys.master;

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
  { id: 'made', header: texts.keys.made, isNarrow: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

interface MasterKeysProps {
  readonly keys: readonly MasterKey[];
  readonly from: KeysView['master_from'];
}

/** What wraps the data keys: the one in use, and those of before that still open the database. */
export function MasterKeys({ keys, from }: MasterKeysProps) {
  const can = useCan();
  const url = useUrlState();
  const canRotate = can(routes.key.rotate);
  return (
    <Section
      title={text.title}
      actions={
        canRotate && (
          <Button variant="default" onClick={() => url.set({ rotate: 'master' }, 'push')}>
            {text.rotate.action}
          </Button>
        )
      }
    >
      <p className={classes.note}>{text.text[from]}</p>
      <PlainTable
        name={text.list}
        rows={keys}
        columns={COLUMNS}
        rowId={({ created_at, expires_at }) => `${created_at} ${expires_at}`}
      />
      {canRotate && <NewMasterKey from={from} />}
    </Section>
  );
}
