import type { ListedResource, ResourceKind } from '@flotilla/contract';
import { Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { routes, useApi, useApiList } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { type Column, DataTable, Empty, Section, useTableState } from '../../ui/index.ts';
import { LevelCell } from './level-cell.tsx';
import classes from './permissions.module.css';
import { givenTo, keyOf, type Subject } from './subjects.ts';
import { texts } from './texts.ts';

const text = texts;
const TOPICS = ['permission', 'group', 'user'] as const;

interface MatrixProps {
  readonly kind: ResourceKind;
  /** One column is shown for each subject. */
  readonly subjects: readonly Subject[];
}

/** Shows a table with resources of one kind as rows and subjects as columns. */
export function Matrix({ kind, subjects }: MatrixProps) {
  const project = useProject();
  const state = useTableState();
  const ids = subjects.map(({ id }) => id);
  const list = useApiList<ListedResource>(
    routes.permission.resources,
    { query: { project: project.id, kind, subject_id: ids, ...state.query } },
    { topics: [...TOPICS] },
  );
  const columns = useMemo(() => createColumns(kind, subjects), [kind, subjects]);
  return (
    <Stack gap="md">
      <DataTable
        name={text.kinds[kind]}
        list={list}
        state={state}
        columns={columns}
        rowId={({ id }) => id}
        searches={text.searches}
        empty={<Empty title={text.empty.title}>{text.empty.text}</Empty>}
      />
      <Everything kind={kind} subjects={subjects} />
    </Stack>
  );
}

function createColumns(kind: ResourceKind, subjects: readonly Subject[]): readonly Column<ListedResource>[] {
  const place: Column<ListedResource> = {
    id: 'place',
    header: text.place,
    width: '1fr',
    minWidth: 120,
    cell: (resource) => <span title={describePlace(resource)}>{describePlace(resource)}</span>,
    text: describePlace,
  };
  return [
    {
      id: 'name',
      header: text.name,
      sort: 'name',
      width: '2fr',
      minWidth: 180,
      isNarrow: true,
      isPinned: true,
      cell: ({ name }) => <bdi title={name}>{name}</bdi>,
      text: ({ name }) => name,
    },
    ...(kind === 'document' ? [place] : []),
    ...subjects.map(
      (subject): Column<ListedResource> => ({
        id: keyOf(subject),
        header: subject.label,
        width: 116,
        isNarrow: true,
        cell: ({ id, name, permissions }) => (
          <LevelCell subject={subject} resource={{ kind, id }} name={name} given={givenTo(permissions, subject)} />
        ),
        text: ({ permissions }) => givenTo(permissions, subject)?.level,
      }),
    ),
  ];
}

function describePlace({ collection, version }: ListedResource): string {
  return [collection, version].filter(Boolean).join(' · ');
}

/** Row for permissions on all resources of the kind. */
function Everything({ kind, subjects }: MatrixProps) {
  const project = useProject();
  const found = useApi(
    routes.permission.list,
    { query: { project: project.id, kind, whole: 'true', limit: 1000 } },
    { topics: [...TOPICS], keepPrevious: true },
  );
  const whole = found.data?.body.items ?? [];
  return (
    <Section title={text.everything.title}>
      <Text maw="70ch">{text.everything.text}</Text>
      <ul className={classes.subjects}>
        {subjects.map((subject) => (
          <li key={keyOf(subject)}>
            <span>{subject.label}</span>
            <LevelCell
              subject={subject}
              resource={{ kind, id: null }}
              name={text.all(text.kinds[kind])}
              given={givenTo(whole, subject)}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}
