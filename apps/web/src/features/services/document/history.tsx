import { Button } from '@mantine/core';
import { routes, useApiList } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { diffJson } from '../../../changes/index.ts';
import { Problem, Time } from '../../../ui/index.ts';
import classes from '../service.module.css';
import type { ServiceRevision, WholeService } from '../types.ts';
import { texts } from './texts.tsx';

const text = texts.history;

interface HistoryProps {
  readonly service: WholeService;
  readonly opened: number | undefined;
  readonly onOpen: (revision: number) => void;
  readonly onRestore?: (revision: number) => void;
}

const PATHS_NAMED = 3;

export function History({ service, opened, onOpen, onRestore }: HistoryProps) {
  const project = useProject();
  const list = useApiList<ServiceRevision>(
    routes.service.revisions,
    { params: { service_id: service.id }, query: { project: project.id, limit: 50 } },
    { topics: ['service'] },
  );
  if (list.query.isError && list.rows.length === 0)
    return <Problem error={list.query.error} what={text.list.failed} onRetry={() => void list.query.refetch()} />;
  return (
    <>
      <div className={`${classes.panel} ${classes.scroll}`}>
        <table className={classes.table} aria-label={text.list.title} aria-busy={list.query.isPending}>
          <thead>
            <tr>
              <th>{text.list.revision}</th>
              <th>{text.list.when}</th>
              <th>{text.list.who}</th>
              <th>{text.list.changed}</th>
              <th>
                <span className="visually-hidden">{text.list.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {list.rows.map((row, index) => (
              <Row
                key={row.revision}
                {...{ row, service, onOpen, onRestore }}
                before={list.rows[index + 1]}
                isOpen={row.revision === opened}
              />
            ))}
          </tbody>
        </table>
      </div>
      {list.query.hasNextPage && (
        <div>
          <Button variant="default" loading={list.query.isFetchingNextPage} onClick={list.loadMore}>
            {text.list.older}
          </Button>
        </div>
      )}
    </>
  );
}

interface RowProps extends Pick<HistoryProps, 'service' | 'onOpen' | 'onRestore'> {
  readonly row: ServiceRevision;
  readonly before: ServiceRevision | undefined;
  readonly isOpen: boolean;
}

function Row({ row, before, service, isOpen, onOpen, onRestore }: RowProps) {
  return (
    <tr aria-current={isOpen ? 'true' : undefined}>
      <td>
        <Button variant="subtle" size="compact-xs" onClick={() => onOpen(row.revision)}>
          {row.revision}
          {row.revision === service.revision && ' (current)'}
        </Button>
      </td>
      <td className={classes.nowrap}>
        <Time at={row.at} />
      </td>
      <td>
        <bdi>{row.by}</bdi>
      </td>
      <td className={classes.wide}>{describe(before, row)}</td>
      <td className={classes.nowrap}>
        {onRestore && row.revision !== service.revision && (
          <Button variant="default" size="compact-xs" onClick={() => onRestore(row.revision)}>
            {text.list.restore}
          </Button>
        )}
      </td>
    </tr>
  );
}

function describe(before: ServiceRevision | undefined, after: ServiceRevision): string {
  if (!before) return after.revision === 1 ? text.describe.created : '';
  const paths = diffJson(before.document, after.document).map(({ path, change }) =>
    change === 'changed' ? path : `${path} ${change}`,
  );
  if (paths.length === 0) return text.describe.nothing;
  return (
    paths.slice(0, PATHS_NAMED).join(', ') +
    (paths.length > PATHS_NAMED ? text.describe.andMore(paths.length - PATHS_NAMED) : '')
  );
}
