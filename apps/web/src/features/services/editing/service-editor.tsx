import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ApiError } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Notice, Problem } from '../../../ui/index.ts';
import { ConflictPanel } from './conflict-panel.tsx';
import type { ServiceDraft } from './draft.ts';
import classes from './editing.module.css';
import { Review } from './review.tsx';
import { ServiceForm } from './service-form.tsx';
import { texts } from './texts.tsx';
import { type Opened, type ServiceEditing, useServiceEditor } from './use-editor.ts';

const text = texts.serviceEditor;

interface ServiceEditorProps {
  /** undefined: a new one. */
  readonly opened: Opened | undefined;
  readonly first: ServiceDraft;
}

/** Shows the form, the review (`?step=review`) and the resolution of conflicts. */
export function ServiceEditor({ opened, first }: ServiceEditorProps) {
  const url = useUrlState();
  const editor = useServiceEditor({ opened, first });
  const save = useSave(editor);
  const { draft, base, plan, conflict } = editor;
  const isReviewing = url.get('step') === 'review';
  const showForm = () => url.set({ step: undefined });
  // The page was opened at its review step, which needs the dry run.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each time the review is entered
  useEffect(() => {
    if (isReviewing && !plan)
      void editor.check().then((isReady) => {
        if (!isReady) showForm();
      });
  }, [isReviewing]);

  if (conflict)
    return (
      <ConflictPanel
        conflict={conflict}
        base={base}
        mine={draft}
        onApplyOnTop={() => {
          editor.applyOnTop(conflict);
          showForm();
        }}
        onTakeTheirs={() => {
          editor.discard();
          showForm();
        }}
      />
    );
  if (isReviewing && plan)
    return (
      <Review
        service={opened?.service}
        base={base}
        draft={draft}
        plan={plan}
        problem={editor.problem}
        isBusy={editor.isBusy}
        onSave={() => void save()}
        onBack={showForm}
      />
    );
  return <EditForm opened={opened} editor={editor} />;
}

/** Returns a function that saves the service, and shows its page. */
function useSave(editor: ServiceEditing): () => Promise<void> {
  const project = useProject();
  const navigate = useNavigate();
  return async () => {
    const saved = await editor.save();
    if (!saved) return;
    await navigate({
      to: '/p/$project/services/$serviceId',
      params: { project: project.name, serviceId: saved.id },
      search: { rollout: String(saved.revision) },
    });
  };
}

interface EditFormProps extends Pick<ServiceEditorProps, 'opened'> {
  readonly editor: ServiceEditing;
}

function EditForm({ opened, editor }: EditFormProps) {
  const url = useUrlState();
  const form = useRef<HTMLFormElement>(null);
  const review = async () => {
    if (await editor.check()) url.set({ step: 'review' }, 'push');
    // Moves the focus to the first invalid field, once it is marked.
    else requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  return (
    <form
      ref={form}
      className={classes.form}
      noValidate
      aria-label={text.form}
      onSubmit={(event) => {
        event.preventDefault();
        void review();
      }}
    >
      <EditNotices opened={opened} editor={editor} />
      <ServiceForm
        draft={editor.draft}
        errors={editor.errors}
        targets={opened?.service.targets ?? []}
        onChange={editor.change}
      />
      {editor.problem !== undefined && (
        <Problem
          error={editor.problem}
          what={editor.problem instanceof ApiError ? text.invalid : text.notChecked}
          still={text.typedIsKept}
        />
      )}
      <div className={classes.foot}>
        <Button type="submit" loading={editor.isBusy}>
          {text.review}
        </Button>
        {editor.isTouched && (
          <Button variant="default" onClick={editor.discard}>
            {text.discard}
          </Button>
        )}
        <span className={classes.kept}>{editor.isTouched ? text.keptInTab : text.nothingStoredYet}</span>
      </div>
    </form>
  );
}

function EditNotices({ opened, editor }: EditFormProps) {
  return (
    <>
      {editor.isRestored && (
        <Notice tone="quiet" title={text.restored}>
          {text.restoredText(
            <Button variant="subtle" size="compact-xs" onClick={editor.discard}>
              {text.discardRestored}
            </Button>,
          )}
        </Notice>
      )}
      {opened !== undefined && editor.isTouched && opened.etag !== editor.etag && (
        <Notice tone="warn" title={text.savedMeanwhile(opened.service.revision)}>
          <Button variant="default" size="compact-xs" onClick={() => void editor.lookAtTheirs()}>
            {text.look}
          </Button>
        </Notice>
      )}
      {editor.overlaps.length > 0 && (
        <Notice tone="warn" title={text.bothChanged}>
          {text.yoursStands(editor.overlaps.join(', '))}
        </Notice>
      )}
    </>
  );
}
