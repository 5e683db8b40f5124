import type { ApiCoverageItem, ApiCoverageKind, apiDocumentReportRoutes, CallOutput } from '@flotilla/contract';
import { Button, Group, SegmentedControl } from '@mantine/core';
import { routes, useApiList } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { DataTable, Empty, type Filter, Notice, type TableState, useTableState } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { DIFFERENCE_COLUMNS, differenceId } from './difference-columns.tsx';
import { texts } from './texts.ts';

const text = texts.differences;

type Answer = CallOutput<typeof apiDocumentReportRoutes.differences>;

const KINDS = Object.keys(texts.kinds) as readonly ApiCoverageKind[];
const FILTERS: readonly Filter[] = [
  { name: 'kind', label: text.kind, options: KINDS.map((value) => ({ value, label: texts.kinds[value] })) },
];
const DAYS = ['1', '7', '30', '90'] as const;
const DAYS_DEFAULT = '7';

/** Compares all documents with the traffic, or one. The URL has the kinds and the days. */
export function DifferencesTable({ documentId }: { documentId?: string }) {
  const project = useProject();
  const url = useUrlState();
  const state = useTableState(FILTERS);
  const days = DAYS.find((choice) => choice === url.get('days')) ?? DAYS_DEFAULT;
  const { sort: _, ...query } = state.query;
  const list = useApiList<ApiCoverageItem>(
    routes.apiDocumentReport.differences,
    {
      query: { project: project.id, days, ...query, ...(documentId !== undefined && { document_id: documentId }) },
    },
    { topics: ['inventory'] },
  );
  const answer = (list.query.data as { readonly pages: readonly Answer[] } | undefined)?.pages[0];
  const words = answer?.documents.length === 0 ? text.noDocuments : text.empty;
  return (
    <div className={layout.stack}>
      <Group>
        <SegmentedControl
          size="xs"
          aria-label={text.days}
          data={DAYS.map((value) => ({ value, label: text.dayChoices[value] }))}
          value={days}
          onChange={(value) => url.set({ days: value === DAYS_DEFAULT ? undefined : value }, 'push')}
        />
      </Group>
      {answer && <Summary answer={answer} state={state} />}
      <DataTable
        name={text.name}
        list={list}
        state={state}
        columns={DIFFERENCE_COLUMNS}
        rowId={differenceId}
        searches={text.searches}
        empty={<Empty title={words.title}>{words.text}</Empty>}
      />
    </div>
  );
}

/** How many endpoints there are of each kind; a kind is a filter. */
function Summary({ answer, state }: { answer: Answer; state: TableState }) {
  const { grpc, tcp, graphql, other_methods: other } = answer.excluded;
  const chosen = state.filters.kind ?? [];
  const shown = KINDS.filter((kind) => answer.counts[kind] > 0 || chosen.includes(kind));
  return (
    <>
      <Group gap="xs" role="group" aria-label={text.chips}>
        {shown.map((kind) => {
          const isOn = chosen.includes(kind);
          return (
            <Button
              key={kind}
              size="compact-xs"
              variant={isOn ? 'filled' : 'default'}
              aria-pressed={isOn}
              title={texts.meanings[kind]}
              onClick={() => state.setFilter('kind', isOn ? chosen.filter((one) => one !== kind) : [...chosen, kind])}
            >
              {text.chip(texts.kinds[kind], answer.counts[kind])}
            </Button>
          );
        })}
      </Group>
      <p className={layout.note}>
        {text.source(answer.operation_count)}
        {grpc + tcp + graphql + other > 0 && ` ${text.excluded(grpc, tcp, graphql, other)}`}
      </p>
      {answer.restricted && <Notice tone="quiet" title={text.restricted} />}
    </>
  );
}
