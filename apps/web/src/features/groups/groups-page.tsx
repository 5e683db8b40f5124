import type { GroupView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { routes, useApiList } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { type Column, DataTable, Empty, Page, Time, useTableState } from '../../ui/index.ts';
import { GroupDrawer } from './group-drawer.tsx';
import { NewGroupDrawer } from './new-group.tsx';

const text = texts.groups;

const COLUMNS: readonly Column<GroupView>[] = [
  {
    id: 'name',
    isOpening: true,
    header: text.columns.name,
    sort: 'name',
    width: '1fr',
    minWidth: 100,
    isNarrow: true,
    cell: ({ id, name }) => (
      <Link to="." search={(before: object) => ({ ...before, group: id })} resetScroll={false} title={name}>
        <bdi>{name}</bdi>
      </Link>
    ),
    text: ({ name }) => name,
  },
  {
    id: 'description',
    header: text.columns.description,
    width: '2fr',
    minWidth: 100,
    cell: ({ description }) => <span title={description ?? undefined}>{description}</span>,
    text: ({ description }) => description,
  },
  {
    id: 'members',
    header: text.columns.members,
    width: 96,
    align: 'right',
    isNarrow: true,
    cell: ({ member_count: count }) => count.toLocaleString('en'),
    text: ({ member_count: count }) => count,
  },
  {
    id: 'updated_at',
    header: text.columns.updated,
    sort: 'updated_at',
    width: 120,
    cell: ({ updated_at }) => <Time at={updated_at} />,
    text: ({ updated_at }) => updated_at,
  },
];

/** `?create=group` opens the form, `?group=<id>` one group. */
export function GroupsPage() {
  const project = useProject();
  const can = useCan();
  const url = useUrlState();
  const state = useTableState();
  const list = useApiList<GroupView>(
    routes.group.list,
    { query: { project: project.id, ...state.query } },
    { topics: ['group', 'user'] },
  );
  const canCreate = can(routes.group.create);
  const create = () => url.set({ create: 'group' }, 'push');
  return (
    <Page
      title={text.title}
      lead={text.lead}
      isWide
      actions={
        canCreate && (
          <Button leftSection={<IconPlus size={14} />} onClick={create}>
            {text.create.action}
          </Button>
        )
      }
    >
      <DataTable
        name={text.title}
        list={list}
        state={state}
        columns={COLUMNS}
        rowId={({ id }) => id}
        searches={text.searches}
        empty={
          <Empty title={text.empty.title} action={canCreate && <Button onClick={create}>{text.empty.action}</Button>}>
            {text.empty.text}
          </Empty>
        }
      />
      {canCreate && <NewGroupDrawer />}
      <GroupDrawer />
    </Page>
  );
}
