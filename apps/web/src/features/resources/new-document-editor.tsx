import { Button, Select, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { judgeName } from '../../accounts/index.ts';
import { call, fieldError, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { type Draft, ReviewDialog, toFieldErrors, useReviewedSave } from '../../changes/index.ts';
import { Notice, Refusal } from '../../ui/index.ts';
import { AboutFields } from './about-fields.tsx';
import type { CollectionName } from './collection-texts.ts';
import { COLLECTION_TYPES } from './collections.ts';
import { commentsOf } from './comments/lazy.ts';
import { followName, type ResourceDraft, rename, toBody } from './draft-model.ts';
import classes from './new-resource-page.module.css';
import { type PlannedWrite, toReviewPlan } from './review-plan.ts';
import { texts } from './texts.tsx';
import { TypeSelect } from './type-select.tsx';
import { Workbench } from './workbench.tsx';

const text = texts.newResourcePage;

export interface NewDraft {
  readonly name: string;
  readonly draft: ResourceDraft;
}

const EMPTY: NewDraft = { name: '', draft: { resource: {}, description: '', labels: [] } };

interface EditorProps {
  readonly collection: CollectionName;
  readonly noun: string;
  readonly version: string;
  readonly versions: readonly string[];
  readonly kept: Draft<NewDraft>;
  /** Discards the draft and shows the templates. */
  readonly onTemplates: () => void;
}

/** Name and content of a new document, and the review that creates it. */
export function NewDocumentEditor(props: EditorProps) {
  const { collection, noun, version, kept, onTemplates } = props;
  const document = useNewDocument(props);
  const { type, current, change, error, plan } = document;
  return (
    <>
      <DocumentFields {...props} document={document} />
      {kept.isRestored && (
        <Notice tone="busy" title={text.form.restored}>
          <Button variant="subtle" size="compact-xs" onClick={onTemplates}>
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
        <Button loading={document.isBusy} disabled={!document.isReady} onClick={() => void document.review()}>
          {text.form.review}
        </Button>
        {current.name === '' && <span className={classes.hint}>{text.form.nameMissing}</span>}
      </div>
      <ReviewDialog
        title={text.question(noun, current.name)}
        plan={plan}
        action={text.form.action}
        onApply={document.save}
        onClose={document.close}
      />
    </>
  );
}

/** Draft, review and creation of the document. */
function useNewDocument({ collection, version, kept }: EditorProps) {
  const project = useProject();
  const url = useUrlState();
  const client = useQueryClient();
  const navigate = useNavigate();
  const type = COLLECTION_TYPES[collection] ?? url.get('type');
  const current = kept.value ?? EMPTY;
  // The names of virtual hosts have a different rule, which the controller checks.
  const misnamed = collection === 'virtual_hosts' ? undefined : judgeName(current.name);
  const ask = async () => {
    const comments = [...(await commentsOf(current.draft))];
    const body = { name: current.name, version, ...(type && { type }), ...toBody(current.draft), comments };
    return { params: { collection }, query: { project: project.id }, body };
  };
  const saving = useReviewedSave({
    plan: async () => {
      const asked = await ask();
      const dryRun = { ...asked, query: { ...asked.query, dry_run: 'true' as const } };
      const planned = (await call(routes.xds.create, dryRun)).body as PlannedWrite;
      return toReviewPlan(planned, undefined, url.get('view'));
    },
    save: async () => {
      await call(routes.xds.create, await ask());
      kept.clear();
      await invalidate(client, routes.xds.list, routes.version.list, routes.schema.candidates);
      await navigate({
        to: '/p/$project/resources/$collection/$version/$name',
        params: { project: project.name, collection, version, name: current.name },
        search: { rollout: '1' },
      });
    },
  });
  return {
    ...saving,
    type,
    current,
    nameError: misnamed ?? fieldError(saving.error, 'name'),
    isReady:
      current.name !== '' && misnamed === undefined && type !== undefined && current.draft.brokenText === undefined,
    change(next: Partial<NewDraft>) {
      saving.clearError();
      kept.set({ ...current, ...next });
    },
  };
}

interface FieldsProps extends Pick<EditorProps, 'collection' | 'version' | 'versions'> {
  readonly document: ReturnType<typeof useNewDocument>;
}

/** Name, proxy version and, for collections of several types, the type. */
function DocumentFields({ collection, version, versions, document }: FieldsProps) {
  const url = useUrlState();
  const { current, change, type } = document;
  return (
    <div className={classes.fields}>
      <TextInput
        label={text.form.name}
        description={collection === 'virtual_hosts' ? text.form.virtualHostNameHint : undefined}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        required
        spellCheck={false}
        autoFocus
        value={current.name}
        error={document.nameError}
        onChange={(event) => {
          const name = event.currentTarget.value;
          change({ name, draft: { ...current.draft, resource: rename(current.draft.resource, collection, name) } });
        }}
      />
      <Select
        label={text.form.proxyVersion}
        searchable
        allowDeselect={false}
        data={[...versions]}
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
    </div>
  );
}
