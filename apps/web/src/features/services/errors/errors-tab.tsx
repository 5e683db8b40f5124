import { Button, SegmentedControl } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { call, invalidate, routes, useApiList } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { texts } from '../../../texts/index.ts';
import { Confirm, DataTable, Empty, type Filter, sayDone, sayFailed, useTableState } from '../../../ui/index.ts';
import classes from '../service.module.css';
import type { ConfigError, Service } from '../types.ts';
import { useKnownDocuments } from '../use-service.ts';
import { listErrorColumns } from './error-columns.tsx';
import { ErrorDrawer } from './error-drawer.tsx';

const text = texts.services.errors.errorsTab;

const SEVERITIES = ['critical', 'error', 'warning'];
/** Maximum of one request. */
const IDS_MAX = 1000;

/** Errors of Envoy, the filter and the translation, active ones first. */
export function ErrorsTab({ service }: { service: Service }) {
  const project = useProject();
  const can = useCan();
  const url = useUrlState();
  const queryClient = useQueryClient();
  const known = useKnownDocuments(service);
  const [clearing, setClearing] = useState<{ ids: readonly string[]; done: () => void }>();
  const filters = useMemo<Filter[]>(
    () => [
      { name: 'severity', label: text.severity, options: SEVERITIES.map((value) => ({ value, label: value })) },
      {
        name: 'client_id',
        label: text.client,
        options: service.targets.map((target) => ({ value: target.client_id, label: target.client_name })),
      },
    ],
    [service.targets],
  );
  const state = useTableState(filters);
  const show = url.get('show') ?? 'active';
  const list = useApiList<ConfigError>(
    routes.fleet.errors,
    {
      query: { project: project.id, service_id: service.id, ...(show !== 'all' && { status: show }), ...state.query },
    },
    { topics: ['config_error'] },
  );
  const columns = useMemo(
    () => listErrorColumns({ service, known, onOpen: (id) => url.set({ error: id }, 'push') }),
    [service, known, url.set],
  );
  const params = { service_id: service.id };
  const refresh = () => invalidate(queryClient, routes.fleet.errors, routes.service.detail, routes.service.list);
  const resolve = async (ids: readonly string[]) => {
    try {
      const body = { ids: [...ids] };
      const answer = await call(routes.configError.resolve, { params, query: { project: project.id }, body });
      sayDone(text.resolvedDone(answer.body.changed));
      await refresh();
    } catch (error) {
      sayFailed(text.resolveFailed, error);
    }
  };
  const clear = async (ids: readonly string[]) => {
    const answer = await call(routes.configError.clear, { params, query: { project: project.id, ids: [...ids] } });
    sayDone(text.clearedDone(answer.body.changed));
    await refresh();
  };
  const mayChange = can(routes.configError.resolve);
  const listed = list.rows.slice(0, IDS_MAX);
  const active = listed.filter(({ status }) => status === 'active').map(({ id }) => id);
  const opened = list.rows.find(({ id }) => id === url.get('error'));

  return (
    <>
      <div className={`${classes.stack} ${classes.tight}`}>
        <div className={classes.bar}>
          <SegmentedControl
            size="xs"
            aria-label={text.whichErrors}
            value={show}
            onChange={(value) => url.set({ show: value === 'active' ? undefined : value }, 'push')}
            data={[
              { value: 'active', label: text.active },
              { value: 'resolved', label: text.resolved },
              { value: 'all', label: text.all },
            ]}
          />
          {mayChange && active.length > 0 && (
            <Button variant="default" onClick={() => void resolve(active)}>
              {text.resolveAll(active.length)}
            </Button>
          )}
          {mayChange && listed.length > 0 && (
            <Button
              variant="default"
              onClick={() => setClearing({ ids: listed.map(({ id }) => id), done: () => undefined })}
            >
              {text.clearAll(listed.length)}
            </Button>
          )}
        </div>
        <DataTable
          name={text.list}
          list={list}
          state={state}
          columns={columns}
          rowId={(row) => row.id}
          filters={filters}
          searches={text.searches}
          empty={<Empty title={show === 'active' ? text.emptyActive : text.emptyTitle}>{text.empty}</Empty>}
          {...(mayChange && {
            bulk: (rows: readonly ConfigError[], done: () => void) => {
              const ids = rows.map(({ id }) => id);
              return (
                <>
                  <Button variant="default" onClick={() => void resolve(ids).then(done)}>
                    {text.resolve}
                  </Button>
                  <Button variant="default" onClick={() => setClearing({ ids, done })}>
                    {text.clear}
                  </Button>
                </>
              );
            },
          })}
        />
      </div>
      <ErrorDrawer
        error={opened}
        service={service}
        known={known}
        mayChange={mayChange}
        onResolve={(id) => void resolve([id])}
        onClear={(id) => setClearing({ ids: [id], done: () => url.set({ error: undefined }) })}
        onClose={() => url.set({ error: undefined })}
      />
      <Confirm
        opened={clearing !== undefined}
        title={text.clearTitle(clearing?.ids.length ?? 0)}
        action={text.clearAction}
        isDangerous
        onConfirm={async () => {
          await clear(clearing?.ids ?? []);
          clearing?.done();
        }}
        onClose={() => setClearing(undefined)}
      >
        {text.clearConfirm}
      </Confirm>
    </>
  );
}
