import type { InventoryGroup, InventoryListener, InventoryOperationSummary } from '@flotilla/contract';
import { Button, SegmentedControl, Switch, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { routes } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { type TableState, useTableState } from '../../../ui/index.ts';
import { BulkMenu } from '../bulk/bulk-menu.tsx';
import classes from '../inventory.module.css';
import { OperationTable } from '../operation-table.tsx';
import { TrafficRoom } from '../traffic-room.tsx';
import { useRiskFlags, useServiceOptions } from '../use-inventory.ts';
import { ViewsMenu } from '../views/views-menu.tsx';
import { listEndpointColumns } from './endpoint-columns.tsx';
import { MATURE_SEEN, toEndpointFilters, toEndpointQuery } from './endpoint-filters.ts';
import { ENDPOINT_VIEWS } from './endpoint-views.ts';
import { ExportMenu } from './export-menu.tsx';
import { GROUP_COLUMNS, groupId } from './group-columns.tsx';
import { GroupDrawer } from './group-drawer.tsx';
import { listListenerColumns } from './listener-columns.tsx';
import { texts } from './texts.ts';

const text = texts.list;

export function EndpointsPage() {
  const project = useProject();
  const can = useCan();
  const url = useUrlState();
  const view = useEndpoints();
  return (
    <TrafficRoom
      title={texts.title}
      lead={texts.lead}
      actions={
        <>
          <ViewsMenu list="endpoint" suggestions={ENDPOINT_VIEWS} />
          <ExportMenu query={view.query} />
          <BulkMenu filtered={view.filtered} />
          {can(routes.policyDraft.suggest) && (
            <Button
              variant="default"
              renderRoot={(props) => (
                <Link
                  {...props}
                  to="/p/$project/traffic/drafts/new"
                  params={{ project: project.name }}
                  search={{ flag: url.all('risk_flag') }}
                />
              )}
            >
              {texts.draft}
            </Button>
          )}
        </>
      }
    >
      <Switches isAttack={view.isAttack} layout={view.layout} state={view.state} />
      {view.layout === 'flat' && <Operations {...view} />}
      {view.layout === 'grouped' && <Groups {...view} />}
      {view.layout === 'listeners' && <Listeners {...view} />}
    </TrafficRoom>
  );
}

/** Reads catalog, layout, filters and sorting from the URL. */
function useEndpoints() {
  const url = useUrlState();
  const flags = useRiskFlags();
  const services = useServiceOptions();
  const filters = useMemo(() => toEndpointFilters({ flags, services }), [flags, services]);
  const state = useTableState(filters);
  const isAttack = url.get('catalog') === 'attack';
  // Groups exist of confirmed operations only (specification, "Layout").
  const layout = isAttack ? 'flat' : readLayout(url.get('layout'));
  const query = toEndpointQuery(state.query, { isAttack });
  // Groups are not operations: their list cannot be selected by its filters.
  const isFiltered = layout === 'flat' && (state.q !== '' || Object.keys(state.filters).length > 0);
  return { flags, filters, state, isAttack, layout, query, filtered: isFiltered ? { isAttack, query } : undefined };
}

type View = ReturnType<typeof useEndpoints>;
type Layout = 'flat' | 'grouped' | 'listeners';

/** The URL may contain anything. */
function readLayout(value: string | undefined): Layout {
  return value === 'grouped' || value === 'listeners' ? value : 'flat';
}

interface SwitchesProps {
  readonly isAttack: boolean;
  readonly layout: Layout;
  readonly state: TableState;
}

/** Catalog, layout and maturity. The lists sort by different columns, so the sorting does not go along. */
function Switches({ isAttack, layout, state }: SwitchesProps) {
  const url = useUrlState();
  const { catalog, layout: words, mature } = texts;
  return (
    <div className={classes.bar}>
      <SegmentedControl
        size="xs"
        aria-label={catalog.title}
        title={isAttack ? catalog.attackHint : catalog.confirmedHint}
        data={[
          { value: 'confirmed', label: catalog.confirmed },
          { value: 'attack', label: catalog.attack },
        ]}
        value={isAttack ? 'attack' : 'confirmed'}
        onChange={(value) => url.set({ catalog: value === 'attack' ? value : undefined, sort: undefined }, 'push')}
      />
      {!isAttack && (
        <>
          <SegmentedControl
            size="xs"
            aria-label={words.title}
            data={[
              { value: 'flat', label: words.flat },
              { value: 'grouped', label: words.grouped },
              { value: 'listeners', label: words.listeners },
            ]}
            value={layout}
            onChange={(value) => url.set({ layout: value === 'flat' ? undefined : value, sort: undefined }, 'push')}
          />
          <Tooltip label={mature.hint}>
            <Switch
              size="xs"
              label={mature.label}
              checked={url.get('min_seen') === MATURE_SEEN}
              onChange={(event) => state.setFilter('min_seen', event.currentTarget.checked ? [MATURE_SEEN] : [])}
            />
          </Tooltip>
        </>
      )}
      <span className={classes.dim}>{isAttack ? catalog.attackHint : catalog.confirmedHint}</span>
    </div>
  );
}

function Operations({ flags, filters, state, isAttack, query }: View) {
  const columns = useMemo(() => listEndpointColumns(flags), [flags]);
  return (
    <OperationTable<InventoryOperationSummary>
      name={isAttack ? text.attackName : text.name}
      route={isAttack ? routes.inventory.attackSurface : routes.inventory.list}
      columns={columns}
      rowId={({ id }) => id}
      empty={isAttack ? text.emptyAttack : text.empty}
      {...{ filters, state, isAttack, query }}
    />
  );
}

function Groups({ filters, state, query }: View) {
  return (
    <OperationTable<InventoryGroup>
      name={text.groups}
      route={routes.inventory.groups}
      columns={GROUP_COLUMNS}
      rowId={groupId}
      empty={text.empty}
      {...{ filters, state, query }}
    >
      {(groups, isLoading) => <GroupDrawer groups={groups} isLoading={isLoading} />}
    </OperationTable>
  );
}

function Listeners({ flags, filters, state, query }: View) {
  const columns = useMemo(() => listListenerColumns(flags), [flags]);
  return (
    <OperationTable<InventoryListener>
      name={text.listeners}
      route={routes.inventory.listeners}
      columns={columns}
      rowId={({ listener }) => listener}
      empty={text.empty}
      {...{ filters, state, query }}
    />
  );
}
