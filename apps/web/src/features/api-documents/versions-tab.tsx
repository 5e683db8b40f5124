import type { ApiBreakingChange, ApiDocument, ApiDocumentVersion } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { formatSearch } from '../../app/url-state.ts';
import { Loaded, type PlainColumn, PlainTable, RowActions, Section, Time, useDelete } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { texts } from './texts.ts';

const text = texts.versions;

/** All versions, newest first, and what the current one breaks. */
export function VersionsTab({ document }: { document: ApiDocument }) {
  const project = useProject();
  const query = useApi(routes.apiDocument.versions, {
    params: { document_id: document.id },
    query: { project: project.id },
  });
  const columns = useColumns(document);
  return (
    <div className={layout.stack}>
      <Section title={text.name}>
        <Loaded query={query} what={text.what}>
          {({ body }) => (
            <PlainTable name={text.name} rows={body.items} columns={columns} rowId={({ number }) => String(number)} />
          )}
        </Loaded>
      </Section>
      {document.version_count > 1 && <Breaking document={document} />}
    </div>
  );
}

function useColumns(document: ApiDocument): readonly PlainColumn<ApiDocumentVersion>[] {
  return [
    {
      id: 'number',
      header: text.number,
      isNarrow: true,
      cell: ({ number, current }) => (current ? `${number} (${text.current})` : number),
    },
    { id: 'of', header: text.of, cell: ({ document_version: version }) => <bdi>{version}</bdi> },
    {
      id: 'operations',
      header: text.operations,
      align: 'right',
      isNarrow: true,
      cell: ({ operation_count: operations }) => operations.toLocaleString('en'),
    },
    { id: 'imported', header: text.imported, cell: ({ imported_at: at }) => <Time at={at} /> },
    { id: 'by', header: text.by, cell: ({ imported_by: by }) => <bdi>{by}</bdi> },
    {
      id: 'actions',
      header: text.actions,
      isNarrow: true,
      cell: (version) => <VersionActions document={document} version={version} />,
    },
  ];
}

function VersionActions({ document, version: { number } }: { document: ApiDocument; version: ApiDocumentVersion }) {
  const project = useProject();
  const can = useCan();
  const remove = useDelete();
  const path = routes.apiDocument.text.path.replace(':document_id', document.id).replace(':number', String(number));
  return (
    <>
      <Button
        component="a"
        variant="default"
        size="compact-xs"
        href={`${path}${formatSearch({ project: project.id })}`}
        aria-label={text.downloadOf(number)}
        download
      >
        {text.download}
      </Button>{' '}
      <RowActions
        of={String(number)}
        actions={[
          {
            word: text.delete,
            label: text.deleteOf(number),
            confirm: can(routes.apiDocument.deleteVersion)
              ? {
                  title: text.deleteTitle(number),
                  children: text.deleteText,
                  isDangerous: true,
                  onConfirm: () =>
                    remove(
                      routes.apiDocument.deleteVersion,
                      { params: { document_id: document.id, number }, query: { project: project.id } },
                      {
                        done: text.deleted(number),
                        stale: [routes.apiDocument.versions, routes.apiDocument.get, routes.apiDocument.list],
                      },
                    ),
                }
              : undefined,
          },
        ]}
      />
    </>
  );
}

const CHANGES: readonly PlainColumn<ApiBreakingChange>[] = [
  { id: 'kind', header: text.change, isNarrow: true, cell: ({ kind }) => texts.breaking[kind] },
  {
    id: 'endpoint',
    header: text.endpoint,
    isNarrow: true,
    cell: ({ method, path }) => (
      <span className="mono">
        {method} <bdi>{path}</bdi>
      </span>
    ),
  },
  { id: 'detail', header: text.detail, cell: ({ detail }) => <bdi>{detail}</bdi> },
];

function Breaking({ document }: { document: ApiDocument }) {
  const project = useProject();
  const query = useApi(routes.apiDocumentReport.breakingChanges, {
    params: { document_id: document.id },
    query: { project: project.id },
  });
  return (
    <Section title={text.breaking}>
      <Loaded query={query} what={text.breakingWhat}>
        {({ body }) => (
          <>
            <p className={layout.note}>
              {text.breakingLead(body.from_number, body.to_number)}. {text.added(body.added_operations)}
            </p>
            {body.items.length === 0 ? (
              <p className={layout.note}>{text.none}</p>
            ) : (
              <PlainTable
                name={text.breaking}
                rows={body.items}
                columns={CHANGES}
                rowId={({ kind, method, path, detail }) => `${kind} ${method} ${path} ${detail}`}
              />
            )}
            {body.omitted > 0 && <p className={layout.note}>{text.more(body.omitted)}</p>}
          </>
        )}
      </Loaded>
    </Section>
  );
}
