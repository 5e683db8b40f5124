import type { FindingSelection, FindingView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { routes, useApi, useApiList } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { DataTable, Empty, Notice, useTableState } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { Choice, TrafficRoom, toWords, useRiskFlags, useServiceOptions, ViewsMenu } from '../inventory/index.ts';
import { ChangeDialog } from './change-dialog.tsx';
import type { Asked } from './change-model.ts';
import { DraftButton } from './draft-button.tsx';
import { FINDING_COLUMNS } from './finding-columns.tsx';
import { readShow, SHOWS, toFindingFilters, toFindingQuery, toSelection } from './finding-filters.ts';
import { FINDING_VIEWS } from './finding-views.ts';
import { texts } from './texts.tsx';
import { useOwnerOptions } from './use-owners.ts';

const SHOW_OPTIONS = toWords(texts.shows).filter(({ value }) => value in SHOWS);
/** Ids of one request. */
const IDS_MAX = 500;

type Ask = (asked: Asked) => void;

/** The findings of the project, the worst first. */
export function FindingsPage() {
  const mayChange = useCan()(routes.finding.changeMany);
  const [asked, setAsked] = useState<Asked>();
  const { list, state, filters, query } = useFindings();
  const isFiltered = useUrlState().get('show') !== undefined;
  const empty = isFiltered ? texts.emptyShow : texts.empty;
  const renderBulk = (rows: readonly FindingView[], done: () => void) => (
    <>
      <Changes
        select={{ ids: rows.slice(0, IDS_MAX).map(({ id }) => id) }}
        count={Math.min(rows.length, IDS_MAX)}
        done={done}
        onAsk={setAsked}
      />
      <DraftButton findings={rows} />
    </>
  );
  return (
    <TrafficRoom
      title={texts.title}
      lead={texts.lead}
      actions={<ViewsMenu list="finding" suggestions={FINDING_VIEWS} />}
    >
      <div className={layout.stack}>
        <Notices />
        <Choice name="show" label={texts.show} options={SHOW_OPTIONS} initial="open" />
        <DataTable
          name={texts.list}
          list={list}
          state={state}
          columns={FINDING_COLUMNS}
          rowId={({ id }) => id}
          filters={filters}
          searches={texts.searches}
          empty={<Empty title={empty.title}>{empty.text}</Empty>}
          actions={
            mayChange &&
            list.rows.length > 0 && (
              <Button
                variant="default"
                onClick={() =>
                  setAsked({
                    select: { filter: toSelection(query) } as FindingSelection,
                    count: list.total ?? list.rows.length,
                    to: 'acknowledged',
                  })
                }
              >
                {texts.actions.acknowledgeAll}
              </Button>
            )
          }
          {...(mayChange && { bulk: renderBulk })}
        />
      </div>
      <ChangeDialog asked={asked} onClose={() => setAsked(undefined)} />
    </TrafficRoom>
  );
}

function useFindings() {
  const project = useProject();
  const url = useUrlState();
  const flags = useRiskFlags();
  const services = useServiceOptions();
  const owners = useOwnerOptions();
  const filters = useMemo(() => toFindingFilters({ flags, services, owners }), [flags, services, owners]);
  const state = useTableState(filters);
  const query = toFindingQuery(state.query, readShow(url.get('show')));
  const list = useApiList<FindingView>(
    routes.finding.list,
    { query: { project: project.id, with_total: 'true', ...query } },
    { topics: ['finding'] },
  );
  return { list, state, filters, query };
}

function Notices() {
  const project = useProject();
  const { data } = useApi(routes.finding.summary, { query: { project: project.id } }, { topics: ['finding'] });
  if (!data) return null;
  return (
    <>
      {data.body.saturated && <Notice tone="warn" title={texts.saturated} />}
      {data.body.compared_at === null && data.body.open === 0 && <Notice tone="quiet" title={texts.neverCompared} />}
    </>
  );
}

interface ChangesProps extends Pick<Asked, 'select' | 'count' | 'done'> {
  readonly onAsk: Ask;
}

function Changes({ onAsk, ...asked }: ChangesProps) {
  const button = (to: Asked['to'], word: string) => (
    <Button variant="default" onClick={() => onAsk({ ...asked, to })}>
      {word}
    </Button>
  );
  return (
    <>
      {button('acknowledged', texts.actions.acknowledge)}
      {button('accepted', texts.actions.accept)}
      {button('fix_claimed', texts.actions.claim)}
      {button('owner', texts.actions.assign)}
    </>
  );
}
