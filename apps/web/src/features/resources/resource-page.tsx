import type { TrafficScope } from '@flotilla/contract';
import { Button, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type Loaded as Answer, routes, useApi } from '../../api/index.ts';
import { AuditLink } from '../../app/links.tsx';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { RolloutProgress, useStandingRefusal } from '../../changes/index.ts';
import { RecordPage, UrlTabs } from '../../ui/index.ts';
import { NameTraffic } from '../traffic/index.ts';
import { CertificateList } from './certificates/certificate-list.tsx';
import { COLLECTION_LABELS, type CollectionName } from './collection-texts.ts';
import { shortType } from './collections.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { DependencyTab } from './dependency-tab.tsx';
import { EditTab } from './edit-tab.tsx';
import { HistoryTab } from './history-tab.tsx';
import { useEarlySchema } from './open-early.ts';
import type { StoredDocument } from './rows.ts';
import { texts } from './texts.tsx';

const text = texts.resourcePage;

const SCOPES: Readonly<Record<string, TrafficScope>> = { listeners: 'listener', clusters: 'cluster' };

/** Shows one document with its editor, history and references. */
export function ResourcePage() {
  const params = useParams({ from: '/p/$project/resources/$collection/$version/$name' });
  const { collection, version, name } = params;
  const project = useProject();
  useEarlySchema(collection, version);
  const query = useApi(
    routes.xds.get,
    { params: { collection: collection as CollectionName, name }, query: { project: project.id, version } },
    { topics: ['document'] },
  );
  return (
    <RecordPage
      words={{ ...text.page, title: name, what: text.page.whatOf(name, version) }}
      query={query}
      list={{
        name: COLLECTION_LABELS[collection as CollectionName] ?? collection,
        link: (label) => (
          <Link to="/p/$project/resources/$collection" params={{ project: project.name, collection }}>
            {label}
          </Link>
        ),
      }}
      beside={<span style={{ fontWeight: 400, fontSize: '0.875rem' }}>{text.page.forVersion(version)}</span>}
      actions={({ body }) => <Actions document={body} />}
      whyMissing={text.page.whyMissing(<AuditLink about={name} />)}
      keepsDeleted
      skeleton={12}
    >
      {(answer) => <DocumentTabs key={answer.body.id} answer={answer} />}
    </RecordPage>
  );
}

function DocumentTabs({ answer }: { answer: Answer<StoredDocument> }) {
  const { body: document } = answer;
  const url = useUrlState();
  const can = useCan();
  const scope = SCOPES[document.collection];
  const refused = useStandingRefusal(document);
  const rollout = Number(url.get('rollout')) || refused || 0;
  return (
    <>
      {rollout > 0 && (
        <RolloutProgress
          collection={document.collection}
          name={document.name}
          version={document.version}
          revision={rollout}
          {...(rollout !== refused && { onClose: () => url.set({ rollout: undefined }) })}
          wayBack={
            rollout > 1 && (
              <Button
                variant="default"
                onClick={() => url.set({ tab: 'history', revision: String(rollout - 1), against: 'now' }, 'push')}
              >
                {text.tabs.lookAtBefore}
              </Button>
            )
          }
        />
      )}
      <CertificateList resource={document.resource} />
      <UrlTabs
        label={text.tabs.partsOf(document.name)}
        tabs={[
          { id: 'edit', label: shortType(document.type), content: () => <EditTab answer={answer} /> },
          ...(scope !== undefined && can(routes.traffic.series)
            ? [
                {
                  id: 'traffic',
                  label: text.tabs.traffic,
                  content: () => <NameTraffic scope={scope} name={document.name} />,
                },
              ]
            : []),
          { id: 'uses', label: text.tabs.uses, content: () => <DependencyTab document={document} /> },
          { id: 'history', label: text.tabs.history, content: () => <HistoryTab answer={answer} /> },
        ]}
      />
    </>
  );
}

function Actions({ document }: { document: StoredDocument }) {
  const project = useProject();
  const can = useCan();
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const { collection, name, version } = document;
  if (!can(routes.xds.create)) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<IconDots size={14} />}>
            {text.actions.title}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            renderRoot={(props) => (
              <Link
                to="/p/$project/resources/$collection/new"
                params={{ project: project.name, collection }}
                search={{ copy: name, from: version, version, type: document.type }}
                {...props}
              />
            )}
          >
            {text.actions.copy}
          </Menu.Item>
          <Menu.Item color="red" onClick={() => setDeleting(true)}>
            {text.actions.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <DeleteDialog
        documents={isDeleting ? [document] : undefined}
        onClose={() => setDeleting(false)}
        onDeleted={() =>
          void navigate({ to: '/p/$project/resources/$collection', params: { project: project.name, collection } })
        }
      />
    </>
  );
}
