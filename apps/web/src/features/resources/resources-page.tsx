import { CERTIFICATE_STATES } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { routes, useApi, useApiList } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { COLLECTION_LABELS, type CollectionName } from '../../shell/destinations.ts';
import { PageMissing } from '../../shell/page-states.tsx';
import { texts } from '../../texts/index.ts';
import { type Column, DataTable, Empty, type Filter, Page, Time, useTableState } from '../../ui/index.ts';
import { CertificateEnd } from './certificates/certificate-end.tsx';
import { CERTIFICATE_LOOKS } from './certificates/certificate-looks.ts';
import { COLLECTION_NOUNS, COLLECTION_PURPOSES, shortType } from './collections.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { useOpenEarly } from './open-early.ts';
import type { DocumentRow } from './rows.ts';

const text = texts.resources.resourcesPage;

const CERTIFICATE_FILTER: Filter = {
  name: 'certificate',
  label: text.page.certificate,
  options: CERTIFICATE_STATES.map((value) => ({ value, label: CERTIFICATE_LOOKS[value].word })),
};

/** Documents of one collection. */
export function ResourcesPage() {
  const { collection } = useParams({ from: '/p/$project/resources/$collection' });
  return collection in COLLECTION_LABELS ? (
    <CollectionPage key={collection} collection={collection as CollectionName} />
  ) : (
    <PageMissing />
  );
}

function CollectionPage({ collection }: { collection: CollectionName }) {
  const project = useProject();
  const can = useCan();
  const [doomed, setDoomed] = useState<readonly DocumentRow[]>();
  const versions = useApi(routes.version.list, { query: { project: project.id } }, { topics: ['document'] });
  const hasTypes = collection === 'filters' || collection === 'extensions';
  const filters = useMemo(
    (): Filter[] => [
      {
        name: 'version',
        label: text.page.proxyVersion,
        options: (versions.data?.body.items ?? [])
          .filter(({ documents }) => documents > 0)
          .map(({ version }) => ({ value: version, label: version })),
      },
      { name: 'label', label: text.page.label },
      ...(hasTypes ? [{ name: 'type', label: text.page.type }] : []),
      ...(collection === 'secrets' ? [CERTIFICATE_FILTER] : []),
    ],
    [versions.data, hasTypes, collection],
  );
  const state = useTableState(filters);
  const list = useApiList<DocumentRow>(
    routes.xds.list,
    { params: { collection }, query: { project: project.id, ...state.query } },
    { topics: ['document'] },
  );
  const openEarly = useOpenEarly(list.rows);
  const columns = useMemo(
    () => makeColumns(collection, { project: project.name, hasTypes, openEarly }),
    [collection, project.name, hasTypes, openEarly],
  );
  const noun = COLLECTION_NOUNS[collection] ?? collection;
  const create = can(routes.xds.create) && (
    <Button
      leftSection={<IconPlus size={14} />}
      renderRoot={(props) => (
        <Link to="/p/$project/resources/$collection/new" params={{ project: project.name, collection }} {...props} />
      )}
    >
      {text.page.create(noun)}
    </Button>
  );
  return (
    <Page title={COLLECTION_LABELS[collection]} lead={COLLECTION_PURPOSES[collection]} actions={create} isWide>
      <DataTable
        name={COLLECTION_LABELS[collection].toLowerCase()}
        list={list}
        state={state}
        columns={columns}
        filters={filters}
        rowId={(row) => row.id}
        searches={text.page.searches}
        empty={
          <Empty
            title={text.page.emptyTitle(COLLECTION_LABELS[collection].toLowerCase())}
            action={create || undefined}
          />
        }
        {...(can(routes.document.apply) && {
          bulk: (rows: readonly DocumentRow[], done: () => void) => (
            <Button
              variant="default"
              onClick={() => {
                setDoomed(rows);
                done();
              }}
            >
              {text.page.delete}
            </Button>
          ),
        })}
      />
      <DeleteDialog documents={doomed} onClose={() => setDoomed(undefined)} />
    </Page>
  );
}

interface ColumnContext {
  readonly project: string;
  readonly hasTypes: boolean;
  readonly openEarly: (row: DocumentRow) => void;
}

function makeColumns(
  collection: string,
  { project, hasTypes, openEarly }: ColumnContext,
): readonly Column<DocumentRow>[] {
  return [
    {
      id: 'name',
      isOpening: true,
      header: text.columns.name,
      sort: 'name',
      width: '3fr',
      minWidth: 120,
      isNarrow: true,
      text: (row) => row.name,
      cell: (row) => (
        <Link
          to="/p/$project/resources/$collection/$version/$name"
          params={{ project, collection, version: row.version, name: row.name }}
          className="mono"
          onPointerEnter={() => openEarly(row)}
          onFocus={() => openEarly(row)}
        >
          <bdi>{row.name}</bdi>
        </Link>
      ),
    },
    ...(hasTypes
      ? [
          {
            id: 'type',
            header: text.columns.type,
            width: '2fr' as const,
            minWidth: 120,
            text: (row: DocumentRow) => row.type,
            cell: (row: DocumentRow) => <span title={row.type}>{shortType(row.type)}</span>,
          },
        ]
      : []),
    ...(collection === 'secrets'
      ? [
          {
            id: 'certificate_ends_at',
            header: text.columns.certificate,
            sort: 'certificate_ends_at',
            // Fits a word and a full date.
            width: 190,
            isNarrow: true,
            text: (row: DocumentRow) => row.certificate_ends_at,
            cell: (row: DocumentRow) => <CertificateEnd at={row.certificate_ends_at} />,
          },
        ]
      : []),
    {
      id: 'version',
      header: text.columns.version,
      sort: 'version',
      width: 90,
      // On a phone the certificate column takes its place.
      isNarrow: collection !== 'secrets',
      text: (row) => row.version,
      cell: (row) => row.version,
    },
    {
      id: 'description',
      header: text.columns.description,
      width: '3fr',
      text: (row) => row.description,
      cell: (row) => <bdi title={row.description ?? undefined}>{row.description}</bdi>,
    },
    {
      id: 'labels',
      header: text.columns.labels,
      width: '2fr',
      isOptional: true,
      text: (row) => formatLabels(row),
      cell: (row) => <bdi title={formatLabels(row)}>{formatLabels(row)}</bdi>,
    },
    {
      id: 'revision',
      header: text.columns.revision,
      width: 84,
      align: 'right',
      text: (row) => row.revision,
      cell: (row) => row.revision,
    },
    {
      id: 'updated_at',
      header: text.columns.changed,
      sort: 'updated_at',
      width: 110,
      text: (row) => row.updated_at,
      cell: (row) => <Time at={row.updated_at} />,
    },
    {
      id: 'updated_by',
      header: text.columns.by,
      width: 130,
      text: (row) => row.updated_by,
      cell: (row) => <bdi>{row.updated_by}</bdi>,
    },
  ];
}

function formatLabels(row: DocumentRow): string {
  return Object.entries(row.labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
}
