import { Button, Select, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { judgeName } from '../../accounts/index.ts';
import { call, fieldError, invalidate, routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { type ChangePlan, ReviewDialog, toFieldErrors, useDraft } from '../../changes/index.ts';
import type { JsonObject } from '../../forms/index.ts';
import { PageMissing } from '../../shell/page-states.tsx';
import { Empty, Loaded, Notice, Page, Refusal } from '../../ui/index.ts';
import { AboutFields } from './about-fields.tsx';
import { COLLECTION_LABELS, type CollectionName } from './collection-texts.ts';
import { COLLECTION_NOUNS, COLLECTION_TYPES } from './collections.ts';
import { commentsOf } from './comments/lazy.ts';
import { followName, type ResourceDraft, rename, toBody, toDraft } from './draft-model.ts';
import classes from './new-resource-page.module.css';
import { type PlannedWrite, toReviewPlan } from './review-plan.ts';
import { texts } from './texts.tsx';
import { TypeSelect } from './type-select.tsx';
import { Workbench } from './workbench.tsx';

const text = texts.newResourcePage;

export function NewResourcePage() {
  const { collection } = useParams({ from: '/p/$project/resources/$collection/new' });
  return collection in COLLECTION_LABELS ? (
    <NewDocument key={collection} collection={collection as CollectionName} />
  ) : (
    <PageMissing />
  );
}

interface NewDraft {
  readonly name: string;
  readonly draft: ResourceDraft;
}

const EMPTY: NewDraft = { name: '', draft: { resource: {}, description: '', labels: [] } };

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

function NewDocumentForm({ collection, noun, versions }: FormProps) {
  const project = useProject();
  const url = useUrlState();
  const client = useQueryClient();
  const navigate = useNavigate();
  const version = url.get('version') ?? chooseVersion(versions);
  const type = COLLECTION_TYPES[collection] ?? url.get('type');
  const copied = url.get('copy');
  // Drafts with private keys are not written to the browser's storage.
  const kept = useDraft<NewDraft>(`new ${project.id} ${collection}`, { isSecret: collection === 'secrets' });
  const current = kept.value ?? EMPTY;
  const [plan, setPlan] = useState<ChangePlan>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const starters = useApi(routes.schema.starters, { query: { version, collection } });
  useCopy(
    { collection, name: copied, version: url.get('from') ?? version, isWanted: kept.value === undefined },
    kept.set,
  );

  const change = (next: Partial<NewDraft>) => {
    setError(undefined);
    kept.set({ ...current, ...next });
  };
  const start = (id: string | null) => {
    const starter = starters.data?.body.items.find((one) => one.id === id);
    if (!starter) return;
    if (COLLECTION_TYPES[collection] === undefined) url.set({ type: starter.type });
    const name = current.name || starter.name;
    const stored = {
      resource: rename(starter.resource as JsonObject, collection, name),
      description: null,
      labels: {},
    };
    change({ name, draft: toDraft(stored) });
  };
  const body = async () => {
    const comments = [...(await commentsOf(current.draft))];
    return { name: current.name, version, ...(type && { type }), ...toBody(current.draft), comments };
  };
  const review = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const asked = {
        params: { collection },
        query: { project: project.id, dry_run: 'true' as const },
        body: await body(),
      };
      const planned = (await call(routes.xds.create, asked)).body as PlannedWrite;
      setPlan(await toReviewPlan(planned, undefined, url.get('view')));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const create = async () => {
    const asked = { params: { collection }, query: { project: project.id }, body: await body() };
    await call(routes.xds.create, asked);
    kept.clear();
    await invalidate(client, routes.xds.list, routes.version.list, routes.schema.candidates);
    await navigate({
      to: '/p/$project/resources/$collection/$version/$name',
      params: { project: project.name, collection, version, name: current.name },
      search: { rollout: '1' },
    });
  };
  // The names of virtual hosts have a different rule, which the controller checks.
  const misnamed = collection === 'virtual_hosts' ? undefined : judgeName(current.name);
  const nameError = misnamed ?? fieldError(error, 'name');
  const isReady =
    current.name !== '' && misnamed === undefined && type !== undefined && current.draft.brokenText === undefined;

  return (
    <>
      <div className={classes.fields}>
        <TextInput
          label={text.form.name}
          description={collection === 'virtual_hosts' ? text.form.virtualHostNameHint : undefined}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          required
          spellCheck={false}
          autoFocus
          value={current.name}
          error={nameError}
          onChange={(event) => {
            const name = event.currentTarget.value;
            change({ name, draft: { ...current.draft, resource: rename(current.draft.resource, collection, name) } });
          }}
        />
        <Select
          label={text.form.proxyVersion}
          searchable
          allowDeselect={false}
          data={versions.map((one) => one.version)}
          value={version}
          onChange={(next) => next && url.set({ version: next })}
        />
        {COLLECTION_TYPES[collection] === undefined && (
          <TypeSelect
            version={version}
            isFilter={collection === 'filters'}
            value={type}
            onChange={(next) => url.set({ type: next })}
          />
        )}
        <Select
          label={text.form.beginWith}
          placeholder={text.form.nothing}
          data={(starters.data?.body.items ?? []).map(({ id, title }) => ({ value: id, label: title }))}
          renderOption={({ option }) => (
            <div>
              <div>{option.label}</div>
              <div className={classes.hint}>
                {starters.data?.body.items.find(({ id }) => id === option.value)?.description}
              </div>
            </div>
          )}
          value={null}
          onChange={start}
        />
      </div>
      {kept.isRestored && (
        <Notice tone="busy" title={text.form.restored}>
          <Button variant="subtle" size="compact-xs" onClick={kept.clear}>
            {text.form.beginAnew}
          </Button>
        </Notice>
      )}
      {type === undefined ? (
        <Notice tone="quiet" title={text.form.chooseType(noun)} />
      ) : (
        <Workbench
          collection={collection}
          version={version}
          type={type}
          name={current.name}
          draft={current.draft}
          onChange={(draft) => {
            const name = followName(current.name, collection, current.draft.resource, draft.resource);
            change({ name, draft });
          }}
          refused={toFieldErrors(error, 'resource')}
          isUntouched={kept.value === undefined}
        />
      )}
      <AboutFields draft={current.draft} onChange={(draft) => change({ draft })} readOnly={false} />
      {error !== undefined && (
        <Refusal error={error} what={text.form.failed(noun)} still={texts.editTab.form.nothingLost} />
      )}
      <div className={classes.foot}>
        <Button loading={isBusy} disabled={!isReady} onClick={() => void review()}>
          {text.form.review}
        </Button>
        {current.name === '' && <span className={classes.hint}>{text.form.nameMissing}</span>}
      </div>
      <ReviewDialog
        title={text.question(noun, current.name)}
        plan={plan}
        action={text.form.action}
        onApply={create}
        onClose={() => setPlan(undefined)}
      />
    </>
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
