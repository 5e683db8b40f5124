import { CERTIFICATE_STATES, DOCUMENT_STATE_FILTERS } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { routes, useApi, useApiList } from '../../api/index.ts';
import { useCan, useProject, useUser } from '../../app/project.tsx';
import { PageMissing } from '../../shell/page-states.tsx';
import { DataTable, Empty, type Filter, Page, useTableState } from '../../ui/index.ts';
import { CERTIFICATE_LOOKS } from './certificates/certificate-looks.ts';
import { COLLECTION_LABELS, type CollectionName } from './collection-texts.ts';
import { COLLECTION_NOUNS, COLLECTION_PURPOSES } from './collections.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { DOCUMENT_STATE_LOOKS } from './document-state.tsx';
import { useOpenEarly } from './open-early.ts';
import { makeColumns } from './resource-columns.tsx';
import type { DocumentRow } from './rows.ts';
import { texts } from './texts.tsx';

const text = texts.resourcesPage;

const CERTIFICATE_FILTER: Filter = {
  name: 'certificate',
  label: text.page.certificate,
  options: CERTIFICATE_STATES.map((value) => ({ value, label: CERTIFICATE_LOOKS[value].word })),
};

const STATE_FILTER: Filter = {
  name: 'state',
  label: text.page.state,
  options: DOCUMENT_STATE_FILTERS.map((value) => ({ value, label: DOCUMENT_STATE_LOOKS[value].word })),
};

/** Lists documents of one collection. */
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
  const hasTypes = collection === 'filters' || collection === 'extensions';
  const filters = useCollectionFilters(collection, hasTypes);
  const state = useTableState(filters);
  const list = useApiList<DocumentRow>(
    routes.xds.list,
    { params: { collection }, query: { project: project.id, with_total: true, ...state.query } },
    { topics: ['document', 'service', 'node'] },
  );
  const openEarly = useOpenEarly(list.rows);
  const columns = useMemo(
    () => makeColumns(collection, { project: project.name, hasTypes, openEarly }),
    [collection, project.name, hasTypes, openEarly],
  );
  const label = COLLECTION_LABELS[collection];
  const create = can(routes.xds.create) ? <CreateButton collection={collection} /> : undefined;
  const bulk = (rows: readonly DocumentRow[], done: () => void) => (
    <Button
      variant="default"
      onClick={() => {
        setDoomed(rows);
        done();
      }}
    >
      {text.page.delete}
    </Button>
  );
  return (
    <Page title={label} lead={COLLECTION_PURPOSES[collection]} actions={create} isWide>
      <DataTable
        name={label.toLowerCase()}
        list={list}
        state={state}
        columns={columns}
        filters={filters}
        rowId={(row) => row.id}
        searches={text.page.searches}
        empty={<Empty title={text.page.emptyTitle(label.toLowerCase())} action={create} />}
        {...(can(routes.document.apply) && { bulk })}
      />
      <DeleteDialog documents={doomed} onClose={() => setDoomed(undefined)} />
    </Page>
  );
}

function CreateButton({ collection }: { collection: CollectionName }) {
  const project = useProject();
  return (
    <Button
      leftSection={<IconPlus size={14} />}
      renderRoot={(props) => (
        <Link to="/p/$project/resources/$collection/new" params={{ project: project.name, collection }} {...props} />
      )}
    >
      {text.page.create(COLLECTION_NOUNS[collection] ?? collection)}
    </Button>
  );
}

/** Offers the versions and labels that the documents of the collection have. */
function useCollectionFilters(collection: CollectionName, hasTypes: boolean): readonly Filter[] {
  const project = useProject();
  const { username } = useUser();
  const versions = useApi(routes.version.list, { query: { project: project.id } }, { topics: ['document'] });
  const labels = useApi(
    routes.document.labels,
    { query: { project: project.id, collection } },
    { topics: ['document'] },
  );
  return useMemo(
    (): Filter[] => [
      {
        name: 'version',
        label: text.page.proxyVersion,
        options: (versions.data?.body.items ?? [])
          .filter(({ documents }) => documents > 0)
          .map(({ version }) => ({ value: version, label: version })),
      },
      STATE_FILTER,
      {
        name: 'label',
        label: text.page.label,
        options: (labels.data?.body.items ?? []).map(({ key, value, documents }) => ({
          value: `${key}=${value}`,
          label: `${key}=${value} (${documents})`,
        })),
      },
      { name: 'updated_by', label: text.page.changedBy, options: [{ value: username, label: text.page.me }] },
      ...(hasTypes ? [{ name: 'type', label: text.page.type }] : []),
      ...(collection === 'secrets' ? [CERTIFICATE_FILTER] : []),
    ],
    [versions.data, labels.data, username, hasTypes, collection],
  );
}
