import type { ProjectView } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { type Column, RowActions, Time } from '../../ui/index.ts';
import { texts } from './texts.tsx';

const text = texts.projectColumns;

export type Project = ProjectView;

// oxlint-disable-next-line max-lines-per-function -- one entry per column
export function createProjectColumns(actions: {
  readonly onEdit: (project: Project) => void;
  readonly onDelete: (project: Project) => void;
}): readonly Column<Project>[] {
  return [
    {
      id: 'name',
      isOpening: true,
      header: text.name,
      sort: 'name',
      width: '2fr',
      minWidth: 120,
      isNarrow: true,
      cell: ({ name }) => (
        <Link to="/p/$project/overview" params={{ project: name }} title={name}>
          <bdi>{name}</bdi>
        </Link>
      ),
      text: ({ name }) => name,
    },
    {
      id: 'description',
      header: text.description,
      width: '3fr',
      minWidth: 140,
      cell: ({ description }) => <bdi title={description ?? undefined}>{description || '–'}</bdi>,
      text: ({ description }) => description,
    },
    {
      id: 'member_count',
      header: text.members,
      width: 88,
      align: 'right',
      cell: ({ name, member_count: count }) => (
        <Link to="/p/$project/users" params={{ project: name }} aria-label={text.membersOf(count, name)}>
          {count.toLocaleString()}
        </Link>
      ),
      text: ({ member_count }) => member_count,
    },
    {
      id: 'created_at',
      header: text.created,
      sort: 'created_at',
      width: 104,
      cell: ({ created_at }) => <Time at={created_at} />,
      text: ({ created_at }) => created_at,
    },
    {
      id: 'updated_at',
      header: text.changed,
      sort: 'updated_at',
      width: 104,
      isOptional: true,
      cell: ({ updated_at }) => <Time at={updated_at} />,
      text: ({ updated_at }) => updated_at,
    },
    {
      id: 'actions',
      header: text.actions,
      width: 132,
      isNarrow: true,
      cell: (project) => (
        <RowActions
          of={project.name}
          actions={[
            {
              word: text.edit,
              label: text.editProject(project.name),
              onClick: () => actions.onEdit(project),
            },
            {
              word: text.delete,
              label: text.deleteProject(project.name),
              onClick: () => actions.onDelete(project),
            },
          ]}
        />
      ),
    },
  ];
}
