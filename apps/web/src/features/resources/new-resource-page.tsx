import { Link, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { useDraft } from '../../changes/index.ts';
import { PageMissing } from '../../shell/page-states.tsx';
import { Empty, Loaded, Page } from '../../ui/index.ts';
import { COLLECTION_LABELS, type CollectionName } from './collection-texts.ts';
import { COLLECTION_NOUNS, COLLECTION_TYPES } from './collections.ts';
import { rename, toDraft } from './draft-model.ts';
import { NewDocumentEditor, type NewDraft } from './new-document-editor.tsx';
import { StartDocument } from './starters/start-document.tsx';
import { EMPTY_STARTER } from './starters/starter-cards.tsx';
import type { FilledStarter } from './starters/starter-form.tsx';
import { texts } from './texts.tsx';

const text = texts.newResourcePage;

export function NewResourcePage() {
  const { collection } = useParams({ from: '/p/$project/resources/$collection/new' });
  return collection in COLLECTION_LABELS ? (
    <NewDocument key={collection} collection={collection as CollectionName} />
  ) : (
    <PageMissing />
  );
}

function NewDocument({ collection }: { collection: CollectionName }) {
  const project = useProject();
  const can = useCan();
  const noun = COLLECTION_NOUNS[collection] ?? collection;
  const versions = useApi(routes.version.list, { query: { project: project.id } });
  return (
    <Page
      title={text.page.title(noun)}
      trail={[
        <Link key="list" to="/p/$project/resources/$collection" params={{ project: project.name, collection }}>
          {COLLECTION_LABELS[collection]}
        </Link>,
      ]}
    >
      {can(routes.xds.create) ? (
        <Loaded query={versions} what={text.page.what}>
          {({ body }) => <NewDocumentForm collection={collection} noun={noun} versions={body.items} />}
        </Loaded>
      ) : (
        <Empty title={text.page.notAllowed}>{text.page.whomToAsk}</Empty>
      )}
    </Page>
  );
}

interface FormProps {
  readonly collection: CollectionName;
  readonly noun: string;
  readonly versions: readonly { version: string; documents: number }[];
}

/** Shows the templates until one is chosen and filled in; an address with a view, a type or a copy is one of the editor. */
function NewDocumentForm({ collection, noun, versions }: FormProps) {
  const project = useProject();
  const url = useUrlState();
  const version = url.get('version') ?? chooseVersion(versions);
  const copied = url.get('copy');
  // Drafts with private keys are not written to the browser's storage.
  const kept = useDraft<NewDraft>(`new ${project.id} ${collection}`, { isSecret: collection === 'secrets' });
  useCopy(
    { collection, name: copied, version: url.get('from') ?? version, isWanted: kept.value === undefined },
    kept.set,
  );
  const isEditor = [copied, url.get('view'), url.get('type')].some((value) => value !== undefined);
  const chosen = url.get('starter');
  const fill = ({ starter, name, resource }: FilledStarter) => {
    kept.set({ name, draft: toDraft({ resource, description: null, labels: {} }) });
    url.set({ starter: undefined, ...(COLLECTION_TYPES[collection] === undefined && { type: starter.type }) });
  };
  const shared = { collection, noun, version, versions: versions.map((one) => one.version) };
  if (kept.value === undefined && !isEditor && chosen !== EMPTY_STARTER)
    return <StartDocument {...shared} chosen={chosen} onFill={fill} />;
  return (
    <NewDocumentEditor
      {...shared}
      kept={kept}
      onTemplates={() => {
        kept.clear();
        url.set({ starter: undefined, view: undefined, type: undefined, copy: undefined, from: undefined });
      }}
    />
  );
}

/** Returns the version of most of the project's documents, or the newest for an empty project. */
function chooseVersion(versions: FormProps['versions']): string {
  const most = versions.toSorted((a, b) => b.documents - a.documents)[0];
  return (most && most.documents > 0 ? most.version : versions[0]?.version) ?? '';
}

interface CopySource {
  readonly collection: CollectionName;
  readonly name: string | undefined;
  readonly version: string;
  readonly isWanted: boolean;
}

/** Fills the form once with another document. Private values are not copied because they cannot be read. */
function useCopy({ collection, name, version, isWanted }: CopySource, fill: (draft: NewDraft) => void): void {
  const project = useProject();
  const source = useApi(
    routes.xds.get,
    { params: { collection, name: name ?? '' }, query: { project: project.id, version } },
    { enabled: name !== undefined && isWanted },
  );
  const found = source.data?.body;
  useEffect(() => {
    if (!found || !isWanted) return;
    const copy = `${found.name}-copy`;
    const draft = toDraft(found);
    fill({ name: copy, draft: { ...draft, resource: rename(draft.resource, collection, copy) } });
  }, [found, isWanted, collection, fill]);
}
