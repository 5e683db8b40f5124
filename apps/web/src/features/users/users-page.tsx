import type { Realm } from '@flotilla/contract';
import { Button, SegmentedControl } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMemo } from 'react';
import { routes, useApi, useApiList } from '../../api/index.ts';
import { useCan, useProject, useUser } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { DataTable, Empty, Page, useTableState } from '../../ui/index.ts';
import { AddUserDrawer } from './add-user-drawer.tsx';
import { toBooleanFilter, type User } from './model.ts';
import { createUserColumns, createUserFilters } from './user-columns.tsx';
import classes from './users.module.css';

const NO_REALMS: readonly Realm[] = [];

/** `?scope=all`: everybody of the installation, for its owners. `?add=member|account` opens the drawer. */
export function UsersPage() {
  const project = useProject();
  const me = useUser();
  const can = useCan();
  const url = useUrlState();
  const isEverybody = me.is_owner && url.get('scope') === 'all';
  const canAdd = can(routes.user.addMember);
  const add = () => url.set({ add: isEverybody ? 'account' : 'member' }, 'push');
  return (
    <Page
      title="Users"
      lead={
        isEverybody
          ? 'Every account of the installation, with its roles in projects.'
          : 'The people of this project. Owners of the installation may do everything here without being members.'
      }
      isWide
      actions={
        canAdd && (
          <Button leftSection={<IconPlus size={14} />} onClick={add}>
            Add a user
          </Button>
        )
      }
    >
      <div className={classes.list}>
        <UserList projectId={project.id} isEverybody={isEverybody} onAdd={canAdd ? add : undefined} />
      </div>
      {canAdd && <AddUserDrawer />}
    </Page>
  );
}

interface UserListProps {
  readonly projectId: string;
  readonly isEverybody: boolean;
  readonly onAdd: (() => void) | undefined;
}

function UserList({ projectId, isEverybody, onAdd }: UserListProps) {
  const project = useProject();
  const me = useUser();
  const url = useUrlState();
  const realms = useApi(routes.directory.realms, {}).data?.body.items ?? NO_REALMS;
  const filters = useMemo(() => createUserFilters(realms), [realms]);
  const state = useTableState(filters);
  const active = toBooleanFilter(state.filters.active);
  const isOwner = toBooleanFilter(state.filters.is_owner);
  const query = {
    ...(isEverybody ? {} : { project: projectId }),
    ...(state.q && { q: state.q }),
    ...(state.sort && { sort: state.sort }),
    ...(active && { active }),
    ...(isOwner && { is_owner: isOwner }),
    ...(state.filters.role && { role: state.filters.role }),
    ...(state.filters.realm && { realm: state.filters.realm }),
  };
  const list = useApiList<User>(routes.user.list, { query }, { topics: ['user'] });
  const columns = useMemo(
    () => createUserColumns({ realms, project: project.name, ownId: me.id, isEverybody }),
    [realms, project.name, me.id, isEverybody],
  );
  const setScope = (scope: string) => url.set({ scope: scope === 'all' ? scope : undefined }, 'push');
  const scope = me.is_owner && (
    <SegmentedControl
      size="xs"
      aria-label="Users that are shown"
      data={[
        { value: 'project', label: 'Members' },
        { value: 'all', label: 'Everybody' },
      ]}
      value={isEverybody ? 'all' : 'project'}
      onChange={setScope}
    />
  );
  return (
    <DataTable
      name="users"
      list={list}
      state={state}
      columns={columns}
      rowId={({ id }) => id}
      filters={filters}
      searches="User name, e-mail"
      actions={scope}
      empty={
        <Empty
          title="This project has no members yet"
          action={
            <div className={classes.actions}>
              {onAdd && <Button onClick={onAdd}>Add the first member</Button>}
              {me.is_owner && (
                <Button variant="default" onClick={() => setScope('all')}>
                  Show everybody
                </Button>
              )}
            </div>
          }
        >
          Members see and change the project by their role: viewer, editor, admin or owner.
        </Empty>
      }
    />
  );
}
