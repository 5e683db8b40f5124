import type { ShieldNode } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { routes } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { Confirm, ListPage, UrlDrawer, useWrite } from '../../../ui/index.ts';
import { FILTER_COLUMNS } from './filter-columns.tsx';
import { FilterDetails } from './filter-details.tsx';
import { texts } from './texts.ts';

const text = texts;
/** Viewers and editors get no node events. */
const REFRESH_MS = 5000;

/** All filters of the project; `?filter=<node id>` shows one of them. */
export function FiltersPage() {
  const can = useCan();
  return (
    <ListPage<ShieldNode>
      words={text.page}
      route={routes.shieldNode.list}
      topics={['node', 'client', 'service', 'policy']}
      refetchEveryMs={REFRESH_MS}
      columns={FILTER_COLUMNS}
      rowId={(row) => row.node_id}
      pageActions={can(routes.shieldNode.resync) && <Resync />}
    >
      {({ rows, query }) => (
        <UrlDrawer name="filter" title={text.drawer.title} size="min(680px, 100vw)">
          {(id) => <FilterDetails node={rows.find((row) => row.node_id === id)} isLoading={query.isPending} />}
        </UrlDrawer>
      )}
    </ListPage>
  );
}

function Resync() {
  const project = useProject();
  const write = useWrite();
  const [isAsked, question] = useDisclosure();
  const send = () =>
    write(
      routes.shieldNode.resync,
      { query: { project: project.id }, body: {} },
      { done: text.resync.done, stale: [routes.shieldNode.list] },
    );
  return (
    <>
      <Button variant="default" onClick={question.open}>
        {text.resync.action}
      </Button>
      <Confirm
        opened={isAsked}
        title={text.resync.title}
        action={text.resync.action}
        onConfirm={send}
        onClose={question.close}
      >
        {text.resync.text}
      </Confirm>
    </>
  );
}
