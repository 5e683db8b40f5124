import { Switch } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { routes, useApiList } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { type Column, DataTable, Empty, State, Time, useTableState } from '../../ui/index.ts';
import { texts } from './client-texts.tsx';
import { CommandDrawer } from './command-drawer.tsx';
import { codeOf, formatDuration, listFilters, lookOf, nameOf } from './command-names.ts';
import type { Client, CommandRow } from './model.ts';

const text = texts.clientCommands;

const ASK_EVERY_MS = 5000;

/** Lists commands of the client, newest first; `?questions=1` includes read-only ones. `?command=<id>` opens one. */
export function ClientCommands({ client }: { client: Client }) {
  const project = useProject();
  const url = useUrlState();
  const withQuestions = url.get('questions') === '1';
  const filters = useMemo(() => listFilters(withQuestions), [withQuestions]);
  const state = useTableState(filters);
  const list = useApiList<CommandRow>(
    routes.command.list,
    {
      query: {
        project: project.id,
        client_id: client.client_id,
        ...(!withQuestions && { kind: ['action', 'desired'] }),
        ...state.query,
      },
    },
    // Read-only commands emit no events.
    { topics: ['command'], ...(withQuestions && { refetchEveryMs: ASK_EVERY_MS }) },
  );
  const services = useMemo(() => new Map(client.services.map(({ id, name }) => [id, name])), [client.services]);
  const columns = useMemo(() => createColumns(project.name, services), [project.name, services]);
  return (
    <>
      <DataTable
        name={text.commands.list}
        list={list}
        state={state}
        columns={columns}
        rowId={({ id }) => id}
        filters={filters}
        actions={
          <Switch
            label={text.commands.alsoQuestions}
            title={text.commands.alsoQuestionsHint}
            checked={withQuestions}
            onChange={(event) => url.set({ questions: event.currentTarget.checked ? '1' : undefined }, 'push')}
          />
        }
        empty={<Empty title={text.commands.emptyTitle}>{text.commands.empty}</Empty>}
      />
      <CommandDrawer />
    </>
  );
}

// oxlint-disable-next-line max-lines-per-function -- one entry per column
function createColumns(project: string, services: ReadonlyMap<string, string>): readonly Column<CommandRow>[] {
  return [
    {
      id: 'command',
      isOpening: true,
      header: text.columns.command,
      width: '1fr',
      minWidth: 140,
      isNarrow: true,
      cell: (row) => (
        <Link
          from="/p/$project/clients/$clientId"
          to="."
          search={(before) => ({ ...before, command: row.id })}
          resetScroll={false}
          title={codeOf(row)}
        >
          {nameOf(row)}
        </Link>
      ),
      text: codeOf,
    },
    {
      id: 'outcome',
      header: text.columns.outcome,
      width: 110,
      isNarrow: true,
      cell: (row) => <Outcome row={row} />,
      text: ({ outcome }) => outcome,
    },
    {
      id: 'service',
      header: text.columns.service,
      width: '1fr',
      minWidth: 100,
      cell: ({ service_id: serviceId }) =>
        serviceId ? (
          <Link to="/p/$project/services/$serviceId" params={{ project, serviceId }}>
            <bdi>{services.get(serviceId) ?? text.columns.openService}</bdi>
          </Link>
        ) : (
          '–'
        ),
      text: ({ service_id }) => (service_id ? (services.get(service_id) ?? service_id) : ''),
    },
    {
      id: 'created_at',
      header: text.columns.sent,
      sort: 'created_at',
      width: 110,
      isNarrow: true,
      cell: ({ created_at }) => <Time at={created_at} />,
      text: ({ created_at }) => created_at,
    },
    {
      id: 'created_by',
      header: text.columns.by,
      width: 130,
      cell: ({ created_by }) => <bdi title={created_by}>{created_by}</bdi>,
      text: ({ created_by }) => created_by,
    },
    {
      id: 'duration',
      header: text.columns.took,
      width: 96,
      align: 'right',
      cell: ({ duration_ms, finished_at }) => (finished_at ? formatDuration(duration_ms) : '–'),
      text: ({ duration_ms }) => duration_ms,
    },
  ];
}

function Outcome({ row }: { row: CommandRow }) {
  const { why, ...look } = lookOf(row.outcome);
  return <State {...look} why={row.error?.message ?? row.step ?? why} />;
}
