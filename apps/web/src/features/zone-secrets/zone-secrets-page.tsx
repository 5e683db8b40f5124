import type { ZoneSecretView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import {
  ConfirmRecord,
  Copy,
  Empty,
  Loaded,
  Page,
  type PlainColumn,
  PlainTable,
  RowActions,
  shortenId,
  Time,
  useWrite,
} from '../../ui/index.ts';
import { texts } from './texts.ts';
import { ZoneDrawers } from './zone-drawers.tsx';

const text = texts;

/** One secret of a zone. The newest comes first and has the actions. */
type Row = ZoneSecretView['secrets'][number] & { readonly of: ZoneSecretView; readonly isNewest: boolean };

function createColumns(onRevoke: (zone: string) => void): readonly PlainColumn<Row>[] {
  return [
    {
      id: 'zone',
      header: text.columns.zone,
      isNarrow: true,
      cell: ({ of }) => <bdi className="mono">{of.zone}</bdi>,
    },
    { id: 'key', header: text.columns.key, cell: ({ key_id }) => <KeyId id={key_id} /> },
    { id: 'prefix', header: text.columns.prefix, cell: ({ prefix }) => <span className="mono">{prefix}…</span> },
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
      cell: ({ of, isNewest }) => isNewest && <Actions zone={of.zone} onRevoke={onRevoke} />,
    },
  ];
}

/** `?add=zone` and `?change=<zone>` open the drawers. */
export function ZoneSecretsPage() {
  const project = useProject();
  const can = useCan();
  const url = useUrlState();
  const write = useWrite();
  const [revoked, setRevoked] = useState<string>();
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
              <PlainTable
                name={text.list}
                rows={toRows(items)}
                columns={createColumns(setRevoked)}
                rowId={({ key_id }) => key_id}
              />
            )}
            <ZoneDrawers zones={items} />
          </>
        )}
      </Loaded>
      <ConfirmRecord
        of={revoked}
        title={text.end.title}
        action={text.end.confirm}
        isDangerous
        onClose={() => setRevoked(undefined)}
        onConfirm={(zone) =>
          write(
            routes.zoneSecret.delete,
            { params: { zone }, query: { project: project.id } },
            { done: text.end.done(zone), stale: [routes.zoneSecret.list] },
          )
        }
      >
        {() => text.end.text}
      </ConfirmRecord>
    </Page>
  );
}

function toRows(zones: readonly ZoneSecretView[]): readonly Row[] {
  return zones.flatMap((of) => of.secrets.map((secret, index) => ({ ...secret, of, isNewest: index === 0 })));
}

/** Shows the end of the ID, because IDs of the same time begin alike, with the full one to copy. */
function KeyId({ id }: { id: string }) {
  return (
    <span className="nowrap">
      <span className="mono" title={id}>
        {shortenId(id)}
      </span>{' '}
      <Copy text={id} what={text.key} />
    </span>
  );
}

function Actions({ zone, onRevoke }: { zone: string; onRevoke: (zone: string) => void }) {
  const can = useCan();
  const url = useUrlState();
  const rotate = () => url.set({ change: zone }, 'push');
  const revoke = () => onRevoke(zone);
  return (
    <RowActions
      of={zone}
      actions={[
        {
          word: text.rotate.action,
          label: text.rotate.label(zone),
          onClick: can(routes.zoneSecret.rotate) ? rotate : undefined,
        },
        {
          word: text.end.action,
          label: text.end.label(zone),
          onClick: can(routes.zoneSecret.delete) ? revoke : undefined,
        },
      ]}
    />
  );
}
