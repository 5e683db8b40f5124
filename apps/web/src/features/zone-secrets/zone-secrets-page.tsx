import type { ZoneSecretView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import {
  Confirm,
  Copy,
  Empty,
  Loaded,
  Page,
  type PlainColumn,
  PlainTable,
  RowActions,
  sayDone,
  shortenId,
  Time,
} from '../../ui/index.ts';
import { ZoneDrawer } from './zone-drawer.tsx';
import classes from './zone-secrets.module.css';

const text = texts.zoneSecrets;

/** One secret of a zone; the newest comes first and has the actions. */
type Row = ZoneSecretView['secrets'][number] & { readonly of: ZoneSecretView; readonly isNewest: boolean };

const COLUMNS: readonly PlainColumn<Row>[] = [
  {
    id: 'zone',
    header: text.columns.zone,
    isNarrow: true,
    cell: ({ of }) => <bdi className={`mono ${classes.zone}`}>{of.zone}</bdi>,
  },
  { id: 'key', header: text.columns.key, cell: ({ key_id }) => <KeyId id={key_id} /> },
  {
    id: 'prefix',
    header: text.columns.prefix,
    cell: ({ prefix }) => <span className={`mono ${classes.whole}`}>{prefix}…</span>,
  },
  { id: 'made', header: text.columns.made, cell: ({ created_at }) => <Time at={created_at} /> },
  {
    id: 'ends',
    header: text.columns.ends,
    isNarrow: true,
    cell: ({ expires_at }) => <Time at={expires_at} empty={text.newest} />,
  },
  { id: 'by', header: text.columns.by, cell: ({ of, isNewest }) => isNewest && <bdi>{of.created_by}</bdi> },
  {
    id: 'actions',
    header: text.columns.actions,
    isNarrow: true,
    cell: ({ of, isNewest }) => isNewest && <Actions zone={of.zone} />,
  },
];

/** `?add=zone` and `?change=<zone>` open the drawer. */
export function ZoneSecretsPage() {
  const project = useProject();
  const can = useCan();
  const url = useUrlState();
  const found = useApi(routes.zoneSecret.list, { query: { project: project.id } });
  const add = can(routes.zoneSecret.create) && (
    <Button onClick={() => url.set({ add: 'zone' }, 'push')}>{text.add.action}</Button>
  );
  return (
    <Page title={text.title} lead={text.lead} actions={found.data && found.data.body.items.length > 0 && add}>
      <Loaded query={found} what={text.what}>
        {({ body: { items } }) => (
          <>
            {items.length === 0 ? (
              <Empty title={text.empty.title} action={add}>
                {text.empty.text}
              </Empty>
            ) : (
              <PlainTable name={text.list} rows={toRows(items)} columns={COLUMNS} rowId={({ key_id }) => key_id} />
            )}
            <ZoneDrawer zones={items} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function toRows(zones: readonly ZoneSecretView[]): readonly Row[] {
  return zones.flatMap((of) => of.secrets.map((secret, index) => ({ ...secret, of, isNewest: index === 0 })));
}

/** The end of the ID, because IDs of the same time begin alike, with the full one to copy. */
function KeyId({ id }: { id: string }) {
  return (
    <span className={classes.whole}>
      <span className="mono" title={id}>
        {shortenId(id)}
      </span>{' '}
      <Copy text={id} what={text.key} />
    </span>
  );
}

function Actions({ zone }: { zone: string }) {
  const can = useCan();
  const url = useUrlState();
  const [isEnding, setEnding] = useState(false);
  const change = () => url.set({ change: zone }, 'push');
  const end = () => setEnding(true);
  return (
    <>
      <RowActions
        of={zone}
        actions={[
          {
            word: text.rotate.action,
            label: text.rotate.label(zone),
            onClick: can(routes.zoneSecret.rotate) ? change : undefined,
          },
          {
            word: text.end.action,
            label: text.end.label(zone),
            onClick: can(routes.zoneSecret.delete) ? end : undefined,
          },
        ]}
      />
      <Ending zone={zone} opened={isEnding} onClose={() => setEnding(false)} />
    </>
  );
}

function Ending({ zone, opened, onClose }: { zone: string; opened: boolean; onClose: () => void }) {
  const project = useProject();
  const queryClient = useQueryClient();
  return (
    <Confirm
      opened={opened}
      title={text.end.title(zone)}
      action={text.end.confirm}
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await call(routes.zoneSecret.delete, { params: { zone }, query: { project: project.id } });
        sayDone(text.end.done(zone));
        await invalidate(queryClient, routes.zoneSecret.list);
      }}
    >
      {text.end.text}
    </Confirm>
  );
}
