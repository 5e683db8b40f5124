import { mayCommand, type ReleaseKind } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { ClientLink } from '../../app/links.tsx';
import { useProject } from '../../app/project.tsx';
import {
  ConfirmRecord,
  Digest,
  formatBytes,
  Loaded,
  Notice,
  type PlainColumn,
  PlainTable,
  Section,
  State,
} from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import type { HostRow } from './host-table.ts';
import { texts } from './texts.ts';
import { COMMAND_TYPES, type Hosts } from './use-hosts.ts';
import type { useVersionCommand } from './use-version-command.ts';

const text = texts.hosts;

interface HostVersionsProps {
  readonly kind: ReleaseKind;
  readonly hosts: Hosts;
  readonly send: ReturnType<typeof useVersionCommand>['send'];
}

/** The versions that the connected hosts have, and their removal. */
export function HostVersions({ kind, hosts, send }: HostVersionsProps) {
  const { clients, connected, answers } = hosts;
  const offline = (clients.data?.body.items ?? []).filter((one) => !one.connected).map(({ name }) => name);
  const again = connected.length > 0 && (
    <Button variant="default" size="compact-xs" loading={answers.isFetching} onClick={() => void answers.refetch()}>
      {text.again}
    </Button>
  );
  return (
    <Section title={text.title} actions={again}>
      <Loaded query={clients} what={text.what}>
        {({ body }) => (
          <div className={layout.stack}>
            {body.items.length === 0 && <p className={layout.note}>{text.noClients}</p>}
            {offline.length > 0 && <p className={layout.note}>{text.offline(offline.join(', '))}</p>}
            {connected.length > 0 && (
              <Loaded query={answers} what={text.what}>
                {() => <List kind={kind} hosts={hosts} send={send} />}
              </Loaded>
            )}
          </div>
        )}
      </Loaded>
    </Section>
  );
}

function List({ kind, hosts, send }: HostVersionsProps) {
  const [asked, setAsked] = useState<HostRow>();
  const { rows, silent } = hosts.table;
  const mayChange = mayCommand(useProject().role, `${COMMAND_TYPES[kind]} REMOVE_VERSION`);
  const remove = ({ clientId, version }: HostRow) =>
    send({
      clients: [clientId],
      command: { operation: 'REMOVE_VERSION', version },
      done: () => texts.remove.done(version),
    });
  return (
    <>
      {silent.length > 0 && (
        <Notice tone="warn" title={text.silent}>
          <ul className={layout.names}>
            {silent.map(({ name, reason }) => (
              <li key={name}>{text.silentLine(name, reason ?? text.noReason)}</li>
            ))}
          </ul>
        </Notice>
      )}
      {rows.length === 0 ? (
        <p className={layout.note}>{text.none}</p>
      ) : (
        <PlainTable
          name={text.list}
          rows={rows}
          columns={columnsOf(mayChange ? setAsked : undefined)}
          rowId={({ clientId, path }) => `${clientId} ${path}`}
        />
      )}
      <ConfirmRecord
        of={asked}
        title={({ version, clientName }) => texts.remove.title(texts.kinds[kind], version, clientName)}
        action={texts.remove.action}
        isDangerous
        onConfirm={remove}
        onClose={() => setAsked(undefined)}
      >
        {() => texts.remove.text}
      </ConfirmRecord>
    </>
  );
}

const COLUMNS: readonly PlainColumn<HostRow>[] = [
  {
    id: 'host',
    header: text.host,
    isNarrow: true,
    cell: ({ clientId, clientName }) => <ClientLink id={clientId} name={clientName} />,
  },
  {
    id: 'version',
    header: text.version,
    isNarrow: true,
    cell: ({ version }) => <span className="mono">{version}</span>,
  },
  {
    id: 'used',
    header: text.used,
    isNarrow: true,
    cell: ({ usedBy }) => <bdi>{usedBy.join(', ') || text.notUsed}</bdi>,
  },
  {
    id: 'archive',
    header: text.archive,
    cell: ({ match }) => <State word={texts.matches[match]} tone={match === 'differs' ? 'warn' : 'quiet'} />,
  },
  {
    id: 'digest',
    header: text.digest,
    cell: ({ sha256 }) => (sha256 === undefined ? text.unknown : <Digest digest={sha256} what={text.digest} />),
  },
  {
    id: 'size',
    header: text.size,
    align: 'right',
    cell: ({ bytes }) => (bytes === undefined ? text.unknown : formatBytes(bytes)),
  },
];

function columnsOf(onRemove: ((row: HostRow) => void) | undefined): readonly PlainColumn<HostRow>[] {
  if (!onRemove) return COLUMNS;
  return [
    ...COLUMNS,
    {
      id: 'actions',
      header: text.actions,
      isNarrow: true,
      cell: (row) =>
        row.source === 'cache' ? (
          <Button
            variant="default"
            size="compact-xs"
            disabled={row.usedBy.length > 0}
            aria-label={text.removeLabel(row.version, row.clientName)}
            onClick={() => onRemove(row)}
          >
            {text.remove}
          </Button>
        ) : (
          text.ofHost
        ),
    },
  ];
}
