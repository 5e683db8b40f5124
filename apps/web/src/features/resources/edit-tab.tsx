import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { call, invalidate, keepAnswer, type Loaded, routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import {
  type ChangePlan,
  type Conflict,
  ConflictDialog,
  holdsSecret,
  ifMatchOf,
  isStale,
  ReviewDialog,
  toFieldErrors,
  useDraft,
  withoutRoot,
} from '../../changes/index.ts';
import { formatAgo, Notice, Refusal } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { AboutFields } from './about-fields.tsx';
import { commentsOf, settleComments } from './comments/lazy.ts';
import { fromMergeText, isSameDraft, type ResourceDraft, toBody, toDraft, toMergeText } from './draft-model.ts';
import classes from './new-resource-page.module.css';
import { type PlannedWrite, toReviewPlan } from './review-plan.ts';
import type { StoredDocument } from './rows.ts';
import { texts } from './texts.tsx';
import { Workbench } from './workbench.tsx';

const words = texts.editTab;

/** The draft and the document at the start of editing. */
interface Edit {
  readonly baseRevision: number;
  readonly baseEtag?: string | undefined;
  readonly base: ResourceDraft;
  readonly draft: ResourceDraft;
}

export function EditTab({ answer: { body: document, etag } }: { answer: Loaded<StoredDocument> }) {
  const { collection, name, version } = document;
  const project = useProject();
  const can = useCan();
  const url = useUrlState();
  const client = useQueryClient();
  const readOnly = !can(routes.xds.replace);
  const isSecret = collection === 'secrets' || document.private.length > 0;
  const edit = useDraft<Edit>(`document ${document.id}`, { isSecret });
  const stored = useMemo(() => toDraft(document), [document]);
  const privateParts = useMemo(
    () => document.private.map((part) => ({ ...part, path: withoutRoot(part.path, 'resource') })),
    [document],
  );
  const draft = edit.value?.draft ?? stored;
  const isDirty = edit.value !== undefined && !isSameDraft(edit.value.draft, edit.value.base);
  const isBehind = isDirty && edit.value?.baseRevision !== document.revision;
  const [plan, setPlan] = useState<ChangePlan>();
  const [conflict, setConflict] = useState<Conflict>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  // `useDraft` keeps such a draft in memory only.
  const isLost = useMemo(() => isSecret || holdsSecret(JSON.stringify(draft)), [isSecret, draft]);
  useLeaveGuard(isDirty && isLost);

  const change = (next: ResourceDraft) => {
    setError(undefined);
    const begun =
      isDirty && edit.value ? edit.value : { base: stored, baseRevision: document.revision, baseEtag: etag };
    edit.set({ ...begun, draft: next });
  };
  const item = { params: { collection, name } };
  const ifMatch = ifMatchOf(
    edit.value
      ? { etag: edit.value.baseEtag, revision: edit.value.baseRevision }
      : { etag, revision: document.revision },
  );
  const write = async (dryRun: boolean) =>
    call(
      routes.xds.replace,
      {
        ...item,
        query: { project: project.id, version, ...(dryRun && { dry_run: 'true' as const }) },
        body: { type: document.type, ...toBody(draft), comments: [...(await commentsOf(draft))] },
      },
      { ifMatch },
    );
  const meet = async () => {
    const input = { ...item, query: { project: project.id, version } };
    const answer = await call(routes.xds.get, input);
    const theirs = answer.body;
    keepAnswer(client, routes.xds.get, { input, answer });
    setConflict({
      base: toMergeText(edit.value?.base ?? stored),
      mine: toMergeText(await settleComments(draft)),
      theirs: toMergeText(toDraft(theirs)),
      theirsLabel: `${theirs.updated_by}, ${formatAgo(Date.parse(theirs.updated_at), Date.now())}`,
    });
    setTheirs(answer);
  };
  const [theirs, setTheirs] = useState<Loaded<StoredDocument>>();
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (failure) {
      if (isStale(failure)) {
        setPlan(undefined);
        await meet().catch(setError);
      } else setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const review = () =>
    attempt(async () => {
      const planned = (await write(true)).body as PlannedWrite;
      const before = { draft: edit.value?.base ?? stored, revision: edit.value?.baseRevision ?? document.revision };
      setPlan(await toReviewPlan(planned, before, url.get('view')));
    });
  const save = async () => {
    try {
      const { body } = await write(false);
      setPlan(undefined);
      edit.clear();
      url.set({ rollout: String((body as StoredDocument).revision) });
      await invalidate(client, routes.xds.get, routes.xds.list, routes.xds.listRevisions, routes.schema.candidates);
    } catch (failure) {
      if (!isStale(failure)) throw failure;
      setPlan(undefined);
      await meet();
    }
  };
  const resolve = (text: string) => {
    const merged = fromMergeText(text);
    if (!merged || !theirs) return;
    setConflict(undefined);
    const { body, etag: baseEtag } = theirs;
    edit.set({ base: toDraft(body), baseRevision: body.revision, baseEtag, draft: merged });
  };

  return (
    <div className={layout.stack}>
      {edit.isRestored && isDirty && <Notice tone="busy" title={words.form.restored} />}
      {isBehind && (
        <Notice tone="warn" title={words.form.storedMeanwhile(document.updated_by, document.revision)}>
          <Button variant="default" size="compact-xs" onClick={() => void attempt(meet)}>
            {words.form.lookAtBoth}
          </Button>
        </Notice>
      )}
      <Workbench
        collection={collection}
        version={version}
        type={document.type}
        name={name}
        draft={draft}
        onChange={change}
        privateParts={privateParts}
        refused={toFieldErrors(error, 'resource')}
        readOnly={readOnly}
      />
      <AboutFields draft={draft} onChange={change} readOnly={readOnly} />
      {error !== undefined && <Refusal error={error} what={words.form.failed} still={words.form.nothingLost} />}
      {!readOnly && (
        <div className={classes.foot}>
          <Button loading={isBusy} disabled={!isDirty || draft.brokenText !== undefined} onClick={() => void review()}>
            {words.form.review}
          </Button>
          {isDirty && (
            <Button variant="subtle" color="gray" onClick={edit.clear}>
              {words.form.discard}
            </Button>
          )}
        </div>
      )}
      <ReviewDialog
        title={words.question(name)}
        plan={plan}
        action={words.form.action}
        onApply={save}
        onClose={() => setPlan(undefined)}
      />
      <ConflictDialog conflict={conflict} language="json" onResolved={resolve} onClose={() => setConflict(undefined)} />
    </div>
  );
}

/** Asks before the page is left, because a draft in memory would be lost. Other drafts are stored. */
function useLeaveGuard(isNeeded: boolean): void {
  useBlocker({
    shouldBlockFn: () => isNeeded && !window.confirm(words.useLeaveGuard.leave),
    enableBeforeUnload: isNeeded,
  });
}
