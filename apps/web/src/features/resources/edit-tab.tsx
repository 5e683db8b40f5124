import { Button } from '@mantine/core';
import { useMemo } from 'react';
import { type Loaded, routes } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { ConflictDialog, ReviewDialog, toFieldErrors, withoutRoot } from '../../changes/index.ts';
import { Notice, Refusal } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { AboutFields } from './about-fields.tsx';
import type { ResourceDraft } from './draft-model.ts';
import classes from './new-resource-page.module.css';
import type { StoredDocument } from './rows.ts';
import { texts } from './texts.tsx';
import { type DocumentEdit, useDocumentEdit } from './use-document-edit.ts';
import { useDocumentSave } from './use-document-save.ts';
import { Workbench } from './workbench.tsx';

const words = texts.editTab;

interface EditTabProps {
  readonly answer: Loaded<StoredDocument>;
}

/** Edits a document: its content, description and labels, and the review that saves it. */
export function EditTab({ answer }: EditTabProps) {
  const { body: document } = answer;
  const { collection, name, version, type } = document;
  const readOnly = !useCan()(routes.xds.replace);
  const edit = useDocumentEdit(answer);
  const saving = useDocumentSave(document, edit);
  const privateParts = useMemo(
    () => document.private.map((part) => ({ ...part, path: withoutRoot(part.path, 'resource') })),
    [document],
  );
  const { draft } = edit;
  const change = (next: ResourceDraft) => {
    saving.clearError();
    edit.change(next);
  };
  return (
    <div className={layout.stack}>
      {edit.isRestored && <Notice tone="busy" title={words.form.restored} />}
      {edit.isBehind && (
        <Notice tone="warn" title={words.form.storedMeanwhile(document.updated_by, document.revision)}>
          <Button variant="default" size="compact-xs" onClick={() => void saving.compare()}>
            {words.form.lookAtBoth}
          </Button>
        </Notice>
      )}
      <Workbench
        collection={collection}
        version={version}
        type={type}
        name={name}
        draft={draft}
        onChange={change}
        privateParts={privateParts}
        refused={toFieldErrors(saving.error, 'resource')}
        readOnly={readOnly}
      />
      <AboutFields draft={draft} onChange={change} readOnly={readOnly} />
      {saving.error !== undefined && (
        <Refusal error={saving.error} what={words.form.failed} still={words.form.nothingLost} />
      )}
      {!readOnly && <EditFoot edit={edit} saving={saving} />}
      <SaveDialogs name={name} saving={saving} />
    </div>
  );
}

interface SaveDialogsProps {
  readonly name: string;
  readonly saving: ReturnType<typeof useDocumentSave>;
}

function SaveDialogs({ name, saving }: SaveDialogsProps) {
  return (
    <>
      <ReviewDialog
        title={words.question(name)}
        plan={saving.plan}
        action={words.form.action}
        onApply={saving.save}
        onClose={saving.close}
      />
      <ConflictDialog
        conflict={saving.meeting?.conflict}
        language="json"
        onResolved={saving.resolve}
        onClose={saving.close}
      />
    </>
  );
}

interface EditFootProps extends Pick<SaveDialogsProps, 'saving'> {
  readonly edit: DocumentEdit;
}

function EditFoot({ edit, saving }: EditFootProps) {
  return (
    <div className={classes.foot}>
      <Button
        loading={saving.isBusy}
        disabled={!edit.isDirty || edit.draft.brokenText !== undefined}
        onClick={() => void saving.review()}
      >
        {words.form.review}
      </Button>
      {edit.isDirty && (
        <Button variant="subtle" color="gray" onClick={edit.discard}>
          {words.form.discard}
        </Button>
      )}
    </div>
  );
}
