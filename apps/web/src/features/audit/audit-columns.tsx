import type { AuditEntryView } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { type Column, State, Time, toWord } from '../../ui/index.ts';
import { actorName, entryWords, type NameOf, resourceKind, resourceName } from './entry-words.ts';
import { texts } from './texts.tsx';

const text = texts.auditColumns;

/** `projectNames`: names by ID; undefined while only one project is shown. */
// oxlint-disable-next-line max-lines-per-function -- one entry per column
export function createAuditColumns(
  projectNames: ReadonlyMap<string, string> | undefined,
  nameOf: NameOf,
): readonly Column<AuditEntryView>[] {
  return [
    {
      id: 'at',
      header: text.time,
      sort: 'at',
      width: 104,
      isNarrow: true,
      cell: (row) => <Time at={row.at} />,
      text: (row) => row.at,
    },
    {
      id: 'actor',
      header: text.who,
      width: '2fr',
      minWidth: 90,
      cell: (row) => <bdi title={actorName(row, nameOf)}>{actorName(row, nameOf)}</bdi>,
      text: (row) => actorName(row, nameOf),
    },
    {
      id: 'action',
      isOpening: true,
      header: text.action,
      width: '2fr',
      minWidth: 180,
      isNarrow: true,
      cell: (row) => (
        <Link
          to="."
          search={(before: object) => ({ ...before, entry: row.id })}
          resetScroll={false}
          title={`${entryWords(row)}: ${row.action}`}
        >
          {entryWords(row)}
        </Link>
      ),
      text: (row) => row.action,
    },
    {
      id: 'resource',
      header: text.resource,
      width: '3fr',
      minWidth: 110,
      cell: (row) => (
        <span title={row.resource.name ?? row.resource.id ?? undefined}>
          {resourceKind(row.resource)} <bdi className="mono">{resourceName(row.resource, nameOf) || '–'}</bdi>
        </span>
      ),
      text: (row) => [row.resource.type, row.resource.name ?? row.resource.id].filter(Boolean).join(' '),
    },
    {
      id: 'outcome',
      header: text.outcome,
      width: 92,
      isNarrow: true,
      cell: (row) => (
        <State
          word={toWord(row.outcome)}
          why={row.error_code ? `${row.status}, ${row.error_code}` : String(row.status)}
        />
      ),
      text: (row) => row.outcome,
    },
    {
      id: 'client_ip',
      header: text.from,
      width: 120,
      cell: (row) => <span className="mono">{row.request.client_ip ?? '–'}</span>,
      text: (row) => row.request.client_ip,
    },
    ...(projectNames
      ? [
          {
            id: 'project',
            header: text.project,
            width: 120,
            cell: (row: AuditEntryView) => <bdi>{projectName(row.project, projectNames)}</bdi>,
            text: (row: AuditEntryView) => projectName(row.project, projectNames),
          },
        ]
      : []),
    {
      id: 'error_code',
      header: text.error,
      width: 150,
      isOptional: true,
      cell: (row) => <span className="mono">{row.error_code ?? '–'}</span>,
      text: (row) => row.error_code,
    },
    {
      id: 'path',
      header: text.request,
      width: '3fr',
      minWidth: 140,
      isOptional: true,
      cell: (row) => (
        <span className="mono" title={row.request.path ?? undefined}>
          {row.request.method} {row.request.path}
        </span>
      ),
      text: (row) => `${row.request.method ?? ''} ${row.request.path ?? ''}`,
    },
    {
      id: 'request_id',
      header: text.requestId,
      width: 300,
      isOptional: true,
      cell: (row) => <span className="mono">{row.request.id ?? '–'}</span>,
      text: (row) => row.request.id,
    },
  ];
}

export function projectName(id: string | null, names: ReadonlyMap<string, string> | undefined): string {
  return id === null ? 'none' : (names?.get(id) ?? id);
}
