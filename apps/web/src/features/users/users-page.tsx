import type { Realm } from '@flotilla/contract';
import { Button, SegmentedControl } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMemo } from 'react';
import { routes, useApi, useApiList } from '../../api/index.ts';
import { useCan, useProject, useUser } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { DataTable, Empty, Page, useTableState } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { AddUserDrawer } from './add-user-drawer.tsx';
import { toBooleanFilter, type User } from './model.ts';
import { OpenInvitations } from './open-invitations.tsx';
import { createUserColumns, createUserFilters } from './user-columns.tsx';

const text = texts.users.usersPage;

const NO_REALMS: readonly Realm[] = [];

/** `?scope=all`: all users of the installation, for its owners. `?add=member|account` opens the drawer. */
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
      title={text.page.title}
      lead={isEverybody ? text.page.leadAll : text.page.leadMembers}
      isWide
      actions={
        canAdd && (
          <Button leftSection={<IconPlus size={14} />} onClick={add}>
            {text.page.add}
          </Button>
        )
      }
    >
      <div className={layout.stack}>
        {!isEverybody && can(routes.invitation.list) && <OpenInvitations />}
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
      aria-label={text.list.shown}
      data={[
        { value: 'project', label: text.list.members },
        { value: 'all', label: text.list.everybody },
      ]}
      value={isEverybody ? 'all' : 'project'}
      onChange={setScope}
    />
  );
  return (
    <DataTable
      name={text.list.name}
      list={list}
      state={state}
      columns={columns}
      rowId={({ id }) => id}
      filters={filters}
      searches={text.list.searches}
      actions={scope}
      empty={
        <Empty
          title={text.list.emptyTitle}
          action={
            <div className={layout.actions}>
              {onAdd && <Button onClick={onAdd}>{text.list.addFirst}</Button>}
              {me.is_owner && (
                <Button variant="default" onClick={() => setScope('all')}>
                  {text.list.showEverybody}
                </Button>
              )}
            </div>
          }
        >
          {text.list.empty}
        </Empty>
      }
    />
  );
}
