import type { GroupView } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { NamedForm } from '../../accounts/index.ts';
import { routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { type Column, ListPage, Time, UrlDrawer, useWrite } from '../../ui/index.ts';
import { OneGroup } from './one-group.tsx';
import { texts } from './texts.ts';

const text = texts;

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
  const can = useCan();
  return (
    <ListPage<GroupView>
      words={text}
      route={routes.group.list}
      topics={['group', 'user']}
      columns={COLUMNS}
      create={{ route: routes.group.create, opens: { create: 'group' } }}
    >
      <UrlDrawer name="create" value="group" title={text.create.title} isAllowed={can(routes.group.create)}>
        {() => <NewGroup />}
      </UrlDrawer>
      <UrlDrawer name="group" title={text.members.title} size="lg">
        {(id, close) => <OneGroup id={id} onClose={close} />}
      </UrlDrawer>
    </ListPage>
  );
}

/** Opens the new group after its creation, to add members. */
function NewGroup() {
  const project = useProject();
  const url = useUrlState();
  const write = useWrite();
  return (
    <NamedForm
      words={{ ...text.create, name: text.name, description: text.description }}
      route={routes.group.create}
      send={async (body) => {
        const input = { query: { project: project.id }, body };
        const done = { done: ({ name }: GroupView) => text.create.done(name), stale: [routes.group.list] };
        const made = await write(routes.group.create, input, done);
        url.set({ create: undefined, group: made.body.id });
      }}
    />
  );
}
