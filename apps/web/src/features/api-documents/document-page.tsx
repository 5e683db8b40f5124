import type { ApiDocument } from '@flotilla/contract';
import { Button, Menu, Skeleton } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { formatSearch, useUrlState } from '../../app/url-state.ts';
import { Confirm, RecordPage, UrlDrawer, UrlTabs, useDelete } from '../../ui/index.ts';
import { DifferencesTable } from './differences-table.tsx';
import { ImportForm } from './import-form.tsx';
import { ScopeTab } from './scope-tab.tsx';
import { texts } from './texts.ts';
import { VersionsTab } from './versions-tab.tsx';

const text = texts.document;
const SKELETON_PX = 480;
const FORMATS = ['yaml', 'json'] as const;

/** One document: how the traffic differs from it, its scope and its versions. */
export function ApiDocumentPage() {
  const { documentId } = useParams({ from: '/p/$project/traffic/documents/$documentId' });
  const project = useProject();
  const can = useCan();
  const query = useApi(routes.apiDocument.get, {
    params: { document_id: documentId },
    query: { project: project.id },
  });
  return (
    <RecordPage
      words={text}
      query={query}
      list={{
        name: text.list,
        link: (label) => (
          <Link to="/p/$project/traffic/documents" params={{ project: project.name }}>
            {label}
          </Link>
        ),
      }}
      title={({ name }) => name}
      lead={({ version }) => text.about(version.title, version.number, texts.formats[version.format])}
      actions={({ body }) => <Actions document={body} />}
      whyMissing={text.whyMissing}
      skeleton={<Skeleton height={SKELETON_PX} />}
    >
      {({ body, etag }) => (
        <>
          <UrlTabs
            label={text.tabs.label}
            tabs={[
              {
                id: 'differences',
                label: text.tabs.differences,
                content: () => <DifferencesTable documentId={documentId} />,
              },
              { id: 'scope', label: text.tabs.scope, content: () => <ScopeTab document={body} etag={etag} /> },
              { id: 'versions', label: text.tabs.versions, content: () => <VersionsTab document={body} /> },
            ]}
          />
          <UrlDrawer
            name="create"
            value="version"
            title={texts.import.title}
            size="lg"
            isAllowed={can(routes.apiDocument.import)}
          >
            {() => <ImportForm name={body.name} />}
          </UrlDrawer>
        </>
      )}
    </RecordPage>
  );
}

function Actions({ document }: { document: ApiDocument }) {
  const can = useCan();
  const url = useUrlState();
  return (
    <>
      <PatchMenu document={document} />
      {can(routes.apiDocument.import) && (
        <Button variant="default" onClick={() => url.set({ create: 'version' }, 'push')}>
          {text.newVersion}
        </Button>
      )}
      {can(routes.apiDocument.delete) && <Removal document={document} />}
    </>
  );
}

function PatchMenu({ document }: { document: ApiDocument }) {
  const project = useProject();
  const { path } = routes.apiDocumentReport.patch;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" title={text.patchHint}>
          {text.patch}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map((format) => (
          <Menu.Item
            key={format}
            component="a"
            href={`${path.replace(':document_id', document.id)}${formatSearch({ project: project.id, format })}`}
            download
          >
            {format.toUpperCase()}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Removal({ document: { id, name } }: { document: ApiDocument }) {
  const project = useProject();
  const navigate = useNavigate();
  const remove = useDelete();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {text.delete}
      </Button>
      <Confirm
        opened={isOpen}
        title={text.deleteTitle(name)}
        action={text.delete}
        isDangerous
        onClose={() => setOpen(false)}
        onConfirm={async () => {
          await remove(
            routes.apiDocument.delete,
            { params: { document_id: id }, query: { project: project.id } },
            { done: text.deleted(name), stale: [routes.apiDocument.list] },
          );
          await navigate({ to: '/p/$project/traffic/documents', params: { project: project.name } });
        }}
      >
        {text.deleteText}
      </Confirm>
    </>
  );
}
