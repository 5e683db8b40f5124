import type { Realm } from '@flotilla/contract';
import { Button, Group, SegmentedControl } from '@mantine/core';
import { useMemo } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject, useUser } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { ListPage } from '../../ui/index.ts';
import { AddUserDrawer } from './add-user-drawer.tsx';
import { toBooleanFilter, type User } from './model.ts';
import { OpenInvitations } from './open-invitations.tsx';
import { texts } from './texts.tsx';
import { createUserColumns, createUserFilters } from './user-columns.tsx';

const { page, list } = texts.usersPage;

const NO_REALMS: readonly Realm[] = [];

/** `?scope=all`: all users of the installation, for its owners. `?add=member|account` opens the drawer. */
export function UsersPage() {
  const project = useProject();
  const me = useUser();
  const can = useCan();
  const url = useUrlState();
  const isEverybody = me.is_owner && url.get('scope') === 'all';
  const realms = useApi(routes.directory.realms, {}).data?.body.items ?? NO_REALMS;
  const filters = useMemo(() => createUserFilters(realms), [realms]);
  const columns = useMemo(
    () => createUserColumns({ realms, project: project.name, ownId: me.id, isEverybody }),
    [realms, project.name, me.id, isEverybody],
  );
  const setScope = (scope: string) => url.set({ scope: scope === 'all' ? scope : undefined }, 'push');
  const canAdd = can(routes.user.addMember);
  const opens = { add: isEverybody ? 'account' : 'member' };
  return (
    <ListPage<User>
      words={{
        ...list,
        title: page.title,
        lead: isEverybody ? page.leadAll : page.leadMembers,
        empty: { title: list.emptyTitle, text: list.empty },
        create: { action: page.add },
      }}
      route={routes.user.list}
      isInstallation={isEverybody}
      toQuery={toUserQuery}
      topics={['user']}
      columns={columns}
      filters={filters}
      create={{ route: routes.user.addMember, opens }}
      above={!isEverybody && can(routes.invitation.list) && <OpenInvitations />}
      actions={me.is_owner && <ScopeChoice isEverybody={isEverybody} onChange={setScope} />}
      emptyAction={
        <Group gap="xs">
          {canAdd && <Button onClick={() => url.set(opens, 'push')}>{list.addFirst}</Button>}
          {me.is_owner && (
            <Button variant="default" onClick={() => setScope('all')}>
              {list.showEverybody}
            </Button>
          )}
        </Group>
      }
    >
      {canAdd && <AddUserDrawer />}
    </ListPage>
  );
}

interface ScopeChoiceProps {
  readonly isEverybody: boolean;
  readonly onChange: (scope: string) => void;
}

function ScopeChoice({ isEverybody, onChange }: ScopeChoiceProps) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={list.shown}
      data={[
        { value: 'project', label: list.members },
        { value: 'all', label: list.everybody },
      ]}
      value={isEverybody ? 'all' : 'project'}
      onChange={onChange}
    />
  );
}

/** The route takes one value of the filters that are yes or no. */
function toUserQuery(state: Readonly<Record<string, unknown>>) {
  return { ...state, active: toBooleanFilter(state.active), is_owner: toBooleanFilter(state.is_owner) };
}
