import { Link } from '@tanstack/react-router';
import { type Column, type Filter, State, Time } from '../../ui/index.ts';
import type { User } from './model.ts';

export const USER_FILTERS: readonly Filter[] = [
  {
    name: 'active',
    label: 'State',
    options: [
      { value: 'true', label: 'Active' },
      { value: 'false', label: 'Deactivated' },
    ],
  },
  {
    name: 'is_owner',
    label: 'Owner of the installation',
    options: [
      { value: 'true', label: 'Yes' },
      { value: 'false', label: 'No' },
    ],
  },
];

export function UserState({ active }: { active: boolean }) {
  return active ? (
    <State word="Active" tone="good" shape="full" why="May sign in" />
  ) : (
    <State
      word="Deactivated"
      tone="quiet"
      shape="square"
      why="Cannot sign in; API tokens made by this user are refused"
    />
  );
}

/** `ownId` marks the row of whoever looks. With `isEverybody` all projects of a user are shown, else the role in the open one. */
export function createUserColumns(where: {
  readonly project: string;
  readonly ownId: string;
  readonly isEverybody: boolean;
}): readonly Column<User>[] {
  const { project, ownId, isEverybody } = where;
  return [
    {
      id: 'username',
      header: 'User name',
      sort: 'username',
      width: '2fr',
      minWidth: 130,
      isNarrow: true,
      cell: (row) => (
        <>
          <Link to="/p/$project/users/$userId" params={{ project, userId: row.id }} title={row.username}>
            <bdi>{row.username}</bdi>
          </Link>
          {row.id === ownId && ' (you)'}
        </>
      ),
      text: (row) => row.username,
    },
    {
      id: 'email',
      header: 'E-mail',
      width: '2fr',
      minWidth: 130,
      cell: (row) => <bdi title={row.email ?? undefined}>{row.email ?? '–'}</bdi>,
      text: (row) => row.email,
    },
    isEverybody
      ? {
          id: 'projects',
          header: 'Projects',
          width: '2fr',
          minWidth: 110,
          isNarrow: true,
          cell: (row) => <Projects user={row} />,
          text: (row) => listRoles(row),
        }
      : {
          id: 'role',
          header: 'Role',
          width: 84,
          isNarrow: true,
          cell: (row) => row.memberships[0]?.role ?? '–',
          text: (row) => row.memberships[0]?.role,
        },
    {
      id: 'is_owner',
      header: 'Installation',
      width: 104,
      cell: (row) =>
        row.is_owner ? <State word="Owner" tone="busy" shape="full" why="May do everything in every project" /> : '–',
      text: (row) => (row.is_owner ? 'owner' : ''),
    },
    {
      id: 'active',
      header: 'State',
      width: 120,
      isNarrow: true,
      cell: (row) => <UserState active={row.active} />,
      text: (row) => (row.active ? 'active' : 'deactivated'),
    },
    {
      id: 'created_at',
      header: 'Created',
      sort: 'created_at',
      width: 104,
      cell: (row) => <Time at={row.created_at} />,
      text: (row) => row.created_at,
    },
    {
      id: 'updated_at',
      header: 'Changed',
      sort: 'updated_at',
      width: 104,
      isOptional: true,
      cell: (row) => <Time at={row.updated_at} />,
      text: (row) => row.updated_at,
    },
  ];
}

function Projects({ user }: { user: User }) {
  if (user.memberships.length === 0) return user.is_owner ? 'all' : 'none';
  return <bdi title={listRoles(user)}>{listRoles(user)}</bdi>;
}

function listRoles({ memberships }: User): string {
  return memberships.map(({ project_name, role }) => `${project_name} (${role})`).join(', ');
}
