import {
  type ArchiveRelease,
  type CallOutput,
  mayCommand,
  type ReleaseKind,
  type versionRoutes,
} from '@flotilla/contract';
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { ApiError, routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Loaded, Notice, type PlainColumn, PlainTable, Section, Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { DocumentsCell } from './documents-cell.tsx';
import { type DocumentsState, describeDocuments } from './documents-state.ts';
import { countHosts, type HostRow } from './host-table.ts';
import { InstallDialog } from './install-dialog.tsx';
import { PrepareDialog } from './prepare-dialog.tsx';
import { texts } from './texts.ts';
import { COMMAND_TYPES, type Hosts } from './use-hosts.ts';
import type { useVersionCommand } from './use-version-command.ts';

const text = texts.releases;

interface ReleasesProps {
  readonly kind: ReleaseKind;
  readonly hosts: Hosts;
  readonly send: ReturnType<typeof useVersionCommand>['send'];
}

/** The releases of the archive, on how many hosts each is, and its install. */
export function Releases({ kind, hosts, send }: ReleasesProps) {
  const { error } = hosts.releases;
  // The hosts below can be managed without an archive.
  if (error instanceof ApiError && error.code === 'archive.unavailable')
    return (
      <Section title={text.title}>
        <Notice tone="quiet" title={text.unavailable}>
          {error.message}
        </Notice>
      </Section>
    );
  return (
    <Section title={text.title}>
      <Loaded query={hosts.releases} what={text.what}>
        {({ body }) => (
          <div className={layout.stack}>
            <Problems body={body} />
            <List kind={kind} releases={body[kind]} hosts={hosts} send={send} />
            <p className={layout.note}>
              {text.confirmed} <Time at={body.fetched_at} />
            </p>
          </div>
        )}
      </Loaded>
    </Section>
  );
}

function Problems({ body: { stale, skipped } }: { body: CallOutput<typeof versionRoutes.releases> }) {
  return (
    <>
      {stale !== null && (
        <Notice tone="warn" title={text.stale}>
          {text.staleText(stale)}
        </Notice>
      )}
      {skipped.length > 0 && (
        <Notice tone="warn" title={text.skipped(skipped.length)}>
          <ul className={layout.names}>
            {skipped.map(({ at, reason }) => (
              <li key={`${at} ${reason}`}>{text.skippedLine(at, reason)}</li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

function List({ kind, releases, hosts, send }: ReleasesProps & { releases: readonly ArchiveRelease[] }) {
  const { role } = useProject();
  const can = useCan();
  const [chosen, setChosen] = useState<string>();
  const [prepared, setPrepared] = useState<string>();
  if (releases.length === 0) return <p className={layout.note}>{text.none}</p>;
  const versions = hosts.versions.data?.body;
  const stateOf = (release: ArchiveRelease) => versions && describeDocuments(release, versions);
  const columns = [
    ...columnsOf(hosts.table.rows),
    ...(kind === 'envoy' ? [documentsColumn(stateOf)] : []),
    ...actionColumns({
      onInstall: mayCommand(role, `${COMMAND_TYPES[kind]} SET_VERSION`) ? setChosen : undefined,
      onPrepare: kind === 'envoy' && can(routes.version.prepare) ? setPrepared : undefined,
      stateOf,
    }),
  ];
  return (
    <>
      <PlainTable name={text.list} rows={releases} columns={columns} rowId={({ version }) => version} />
      <InstallDialog kind={kind} version={chosen} hosts={hosts} send={send} onClose={() => setChosen(undefined)} />
      <PrepareDialog version={prepared} onClose={() => setPrepared(undefined)} />
    </>
  );
}

type StateOf = (release: ArchiveRelease) => DocumentsState | undefined;

function columnsOf(rows: readonly HostRow[]): readonly PlainColumn<ArchiveRelease>[] {
  return [
    {
      id: 'version',
      header: text.version,
      isNarrow: true,
      cell: ({ version }) => <span className="mono">{version}</span>,
    },
    { id: 'date', header: text.date, cell: ({ date }) => date?.slice(0, 10) ?? text.unknownDate },
    {
      id: 'architectures',
      header: text.architectures,
      cell: ({ binaries }) => binaries.map(({ arch }) => arch).join(', '),
    },
    { id: 'hosts', header: text.hosts, align: 'right', cell: ({ version }) => countHosts(rows, version).have },
    { id: 'used', header: text.used, align: 'right', cell: ({ version }) => countHosts(rows, version).use },
  ];
}

function documentsColumn(stateOf: StateOf): PlainColumn<ArchiveRelease> {
  return { id: 'documents', header: text.documents, cell: (release) => <DocumentsCell state={stateOf(release)} /> };
}

interface Actions {
  readonly onInstall: ((version: string) => void) | undefined;
  readonly onPrepare: ((version: string) => void) | undefined;
  readonly stateOf: StateOf;
}

function actionColumns({ onInstall, onPrepare, stateOf }: Actions): readonly PlainColumn<ArchiveRelease>[] {
  if (!onInstall && !onPrepare) return [];
  const mayPrepare = (release: ArchiveRelease) => PREPARABLE.has(stateOf(release)?.kind ?? 'preparing');
  const cell = (release: ArchiveRelease) => (
    <Group gap="xs" wrap="nowrap">
      {onInstall && (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={text.installLabel(release.version)}
          onClick={() => onInstall(release.version)}
        >
          {text.install}
        </Button>
      )}
      {onPrepare && mayPrepare(release) && (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={text.prepareLabel(release.version)}
          onClick={() => onPrepare(release.version)}
        >
          {text.prepare}
        </Button>
      )}
    </Group>
  );
  return [{ id: 'actions', header: text.actions, isNarrow: true, cell }];
}

/** A preparation changes something in these states. */
const PREPARABLE: ReadonlySet<DocumentsState['kind']> = new Set(['unknown', 'known', 'failed', 'other_file']);
