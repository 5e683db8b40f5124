import { Button, SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';
import { routes, useApiList } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { ConfirmRecord, DataTable, Empty, type Filter, useTableState } from '../../../ui/index.ts';
import classes from '../service.module.css';
import type { ConfigError, Service } from '../types.ts';
import { useKnownDocuments } from '../use-service.ts';
import { listErrorColumns } from './error-columns.tsx';
import { ErrorDrawer } from './error-drawer.tsx';
import { texts } from './texts.tsx';
import { useErrorChanges } from './use-error-changes.ts';

const text = texts.errorsTab;

const SEVERITIES = ['critical', 'error', 'warning'];
/** Maximum number of IDs in one request. */
const IDS_MAX = 1000;

interface Clearing {
  readonly ids: readonly string[];
  readonly done?: () => void;
}

/** Errors of Envoy, the filter and the translation, active ones first. */
export function ErrorsTab({ service }: { service: Service }) {
  const mayChange = useCan()(routes.configError.resolve);
  const url = useUrlState();
  const known = useKnownDocuments(service);
  const [clearing, setClearing] = useState<Clearing>();
  const { list, state, filters, show } = useErrorList(service);
  const { resolve, clear } = useErrorChanges(service);
  const columns = useMemo(
    () => listErrorColumns({ service, known, onOpen: (id) => url.set({ error: id }, 'push') }),
    [service, known, url.set],
  );
  const close = () => url.set({ error: undefined });
  const renderBulk = (rows: readonly ConfigError[], done: () => void) => (
    <BulkChanges
      ids={rows.map(({ id }) => id)}
      onResolve={(ids) => void resolve(ids).then(done)}
      onClear={(ids) => setClearing({ ids, done })}
    />
  );
  return (
    <>
      <div className={`${classes.stack} ${classes.tight}`}>
        <ErrorBar
          show={show}
          listed={mayChange ? list.rows.slice(0, IDS_MAX) : []}
          onResolve={(ids) => void resolve(ids)}
          onClear={(ids) => setClearing({ ids })}
        />
        <DataTable
          name={text.list}
          list={list}
          state={state}
          columns={columns}
          rowId={(row) => row.id}
          filters={filters}
          searches={text.searches}
          empty={<Empty title={show === 'active' ? text.emptyActive : text.emptyTitle}>{text.empty}</Empty>}
          {...(mayChange && { bulk: renderBulk })}
        />
      </div>
      <ErrorDrawer
        error={list.rows.find(({ id }) => id === url.get('error'))}
        service={service}
        known={known}
        mayChange={mayChange}
        onResolve={(id) => void resolve([id])}
        onClear={(id) => setClearing({ ids: [id], done: close })}
        onClose={close}
      />
      <ConfirmClearing clearing={clearing} onClear={clear} onClose={() => setClearing(undefined)} />
    </>
  );
}

interface ConfirmClearingProps {
  readonly clearing: Clearing | undefined;
  readonly onClear: (ids: readonly string[]) => Promise<unknown>;
  readonly onClose: () => void;
}

function ConfirmClearing({ clearing, onClear, onClose }: ConfirmClearingProps) {
  return (
    <ConfirmRecord
      of={clearing}
      title={({ ids }) => text.clearTitle(ids.length)}
      action={text.clearAction}
      isDangerous
      onConfirm={({ ids, done }) => onClear(ids).then(done)}
      onClose={onClose}
    >
      {() => text.clearConfirm}
    </ConfirmRecord>
  );
}

interface BulkChangesProps {
  readonly ids: readonly string[];
  readonly onResolve: (ids: readonly string[]) => void;
  readonly onClear: (ids: readonly string[]) => void;
}

function BulkChanges({ ids, onResolve, onClear }: BulkChangesProps) {
  return (
    <>
      <Button variant="default" onClick={() => onResolve(ids)}>
        {text.resolve}
      </Button>
      <Button variant="default" onClick={() => onClear(ids)}>
        {text.clear}
      </Button>
    </>
  );
}

function useErrorList(service: Service) {
  const project = useProject();
  const url = useUrlState();
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
  const status = show === 'all' ? {} : { status: show };
  const list = useApiList<ConfigError>(
    routes.fleet.errors,
    { query: { project: project.id, service_id: service.id, ...status, ...state.query } },
    { topics: ['config_error'] },
  );
  return { list, state, filters, show };
}

interface ErrorBarProps {
  readonly show: string;
  /** The errors that the buttons change; none without permission. */
  readonly listed: readonly ConfigError[];
  readonly onResolve: (ids: readonly string[]) => void;
  readonly onClear: (ids: readonly string[]) => void;
}

function ErrorBar({ show, listed, onResolve, onClear }: ErrorBarProps) {
  const url = useUrlState();
  const active = listed.filter(({ status }) => status === 'active').map(({ id }) => id);
  return (
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
      {active.length > 0 && (
        <Button variant="default" onClick={() => onResolve(active)}>
          {text.resolveAll(active.length)}
        </Button>
      )}
      {listed.length > 0 && (
        <Button variant="default" onClick={() => onClear(listed.map(({ id }) => id))}>
          {text.clearAll(listed.length)}
        </Button>
      )}
    </div>
  );
}
