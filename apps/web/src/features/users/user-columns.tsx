import type { Realm } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { rolesWithin } from '../../accounts/index.ts';
import { type Column, type Filter, State, Time } from '../../ui/index.ts';
import { nameRealm, toAccountRealm, type User } from './model.ts';
import { texts } from './texts.tsx';

const words = texts.userColumns;

const text = texts.list;

/** Creates the filters. `realms` are from `/auth/realms`: accounts of a removed provider are found by name. */
export function createUserFilters(realms: readonly Realm[]): readonly Filter[] {
  return [
    { name: 'role', label: text.role, options: rolesWithin('owner').map((role) => ({ value: role, label: role })) },
    ...(realms.length > 1
      ? [
          {
            name: 'realm',
            label: text.realm,
            options: realms.map((realm) => ({ value: toAccountRealm(realm), label: realm.title })),
          },
        ]
      : []),
    {
      name: 'active',
      label: text.state,
      options: [
        { value: 'true', label: text.active },
        { value: 'false', label: text.deactivated },
      ],
    },
    {
      name: 'is_owner',
      label: text.owner,
      options: [
        { value: 'true', label: text.yes },
        { value: 'false', label: text.no },
      ],
    },
  ];
}

export function UserState({ active }: { active: boolean }) {
  return active ? (
    <State word={words.state.active} tone="good" shape="full" why={words.state.whyActive} />
  ) : (
    <State word={words.state.deactivated} tone="quiet" shape="square" why={words.state.whyDeactivated} />
  );
}

/**
 * `ownId` marks the viewer's row. `isEverybody` shows all projects of a user, or else only the role in the open one.
 */
// oxlint-disable-next-line max-lines-per-function -- one entry per column
export function createUserColumns(where: {
  readonly realms: readonly Realm[];
  readonly project: string;
  readonly ownId: string;
  readonly isEverybody: boolean;
}): readonly Column<User>[] {
  const { realms, project, ownId, isEverybody } = where;
  return [
    {
      id: 'username',
      isOpening: true,
      header: words.columns.username,
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
      header: words.columns.email,
      width: '2fr',
      minWidth: 130,
      cell: (row) => <bdi title={row.email ?? undefined}>{row.email ?? '–'}</bdi>,
      text: (row) => row.email,
    },
    isEverybody
      ? {
          id: 'projects',
          header: words.columns.projects,
          width: '2fr',
          minWidth: 110,
          isNarrow: true,
          cell: (row) => <Projects user={row} />,
          text: (row) => listRoles(row),
        }
      : {
          id: 'role',
          header: words.columns.role,
          width: 84,
          isNarrow: true,
          cell: (row) => row.memberships[0]?.role ?? '–',
          text: (row) => row.memberships[0]?.role,
        },
    {
      id: 'is_owner',
      header: words.columns.installation,
      width: 104,
      cell: (row) =>
        row.is_owner ? <State word={words.columns.owner} tone="busy" shape="full" why={words.columns.whyOwner} /> : '–',
      text: (row) => (row.is_owner ? 'owner' : ''),
    },
    {
      id: 'realm',
      header: text.realm,
      width: 120,
      isOptional: realms.length < 2,
      cell: (row) => <bdi title={nameRealm(realms, row.realm)}>{nameRealm(realms, row.realm)}</bdi>,
      text: (row) => nameRealm(realms, row.realm),
    },
    {
      id: 'active',
      header: words.columns.state,
      width: 120,
      isNarrow: true,
      cell: (row) => <UserState active={row.active} />,
      text: (row) => (row.active ? 'active' : 'deactivated'),
    },
    {
      id: 'created_at',
      header: words.columns.created,
      sort: 'created_at',
      width: 104,
      cell: (row) => <Time at={row.created_at} />,
      text: (row) => row.created_at,
    },
    {
      id: 'updated_at',
      header: words.columns.changed,
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
