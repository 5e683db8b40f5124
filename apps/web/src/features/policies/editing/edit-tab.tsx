import { Button } from '@mantine/core';
import { ApiError, routes } from '../../../api/index.ts';
import { useLeaveGuard } from '../../../app/leave-guard.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { ConflictDialog, ifMatchOf, ReviewDialog } from '../../../changes/index.ts';
import { Notice, Refusal } from '../../../ui/index.ts';
import type { Policy } from '../model.ts';
import { ReplaySection } from '../replay/replay-section.tsx';
import { toSampleSearch } from '../trial/trial-draft.ts';
import { CheckState } from './check-state.tsx';
import classes from './editing.module.css';
import { PolicyFields } from './policy-fields.tsx';
import { findRawKeys } from './raw-keys.ts';
import { texts } from './texts.tsx';
import { type PolicyCheck, usePolicyCheck } from './use-policy-check.ts';
import type { PolicyEdit } from './use-policy-edit.ts';
import { usePolicySave } from './use-policy-save.ts';

const words = texts.editTab;

interface EditTabProps {
  readonly policy: Policy;
  readonly edit: PolicyEdit;
}

/** Checks, reviews and saves, and handles concurrent edits. */
export function EditTab({ policy, edit }: EditTabProps) {
  const project = useProject();
  const canEdit = useCan()(routes.policy.replace);
  const ifMatch = ifMatchOf({ etag: edit.baseEtag, revision: edit.baseRevision });
  const target = { project: project.id, name: policy.name, ifMatch };
  const check = usePolicyCheck(target, edit.content, canEdit && edit.isDirty && !isBehind(policy, edit));
  const saving = usePolicySave(target, edit);
  // Raw keys and files exist only on this page. Its other tabs keep them.
  const isLostOnLeave =
    edit.isDirty && (findRawKeys(edit.content.text).length > 0 || edit.content.files !== edit.base.files);
  useLeaveGuard({ isNeeded: isLostOnLeave, question: texts.useLeaveGuard.leave });
  const change = (content: PolicyEdit['content']) => {
    saving.clearError();
    edit.change(content);
  };
  return (
    <div className={classes.fields}>
      <EditNotices policy={policy} edit={edit} saving={saving} />
      <PolicyFields content={edit.content} onChange={canEdit ? change : undefined} check={check} />
      {saving.error !== undefined && !isAboutText(saving.error) && (
        <Refusal error={saving.error} what={words.failed} still={words.nothingLost} />
      )}
      {canEdit && <EditFoot policy={policy} edit={edit} saving={saving} check={check} />}
      <SaveReview policy={policy} edit={edit} saving={saving} />
      <ConflictDialog
        conflict={saving.meeting?.conflict}
        language="yaml"
        onResolved={saving.resolve}
        onClose={saving.close}
      />
    </div>
  );
}

interface EditPartProps extends EditTabProps {
  readonly saving: ReturnType<typeof usePolicySave>;
}

/** Whether someone else saved the policy after this edit began. */
function isBehind(policy: Policy, edit: PolicyEdit): boolean {
  return edit.isDirty && edit.baseRevision !== policy.revision;
}

function EditNotices({ policy, edit, saving }: EditPartProps) {
  return (
    <>
      {edit.isRestored && (
        <Notice tone="busy" title={words.restored}>
          {edit.lacksKeys && words.rawKeysNotKept}
        </Notice>
      )}
      {isBehind(policy, edit) && (
        <Notice tone="warn" title={words.storedMeanwhile(<bdi>{policy.updated_by}</bdi>, policy.revision)}>
          <Button variant="default" size="compact-xs" loading={saving.isBusy} onClick={() => void saving.compare()}>
            {words.lookAtBoth}
          </Button>
        </Notice>
      )}
    </>
  );
}

function EditFoot({ policy, edit, saving, check }: EditPartProps & { readonly check: PolicyCheck }) {
  return (
    <div className={classes.foot}>
      <Button
        loading={saving.isBusy}
        disabled={!edit.isDirty || isBehind(policy, edit) || check.state === 'bad'}
        onClick={() => void saving.review()}
      >
        {words.review}
      </Button>
      {edit.isDirty && (
        <Button variant="subtle" color="gray" onClick={edit.discard}>
          {words.discard}
        </Button>
      )}
      <CheckState check={check} />
    </div>
  );
}

/** The review of the save, with a replay of recent requests. */
function SaveReview({ policy, edit, saving }: EditPartProps) {
  const url = useUrlState();
  return (
    <ReviewDialog
      title={words.question(policy.name)}
      plan={saving.plan}
      action={words.action}
      onApply={saving.save}
      onClose={saving.close}
    >
      {saving.plan && (
        <ReplaySection
          candidate={{ draft: { text: edit.content.text, files: [...edit.content.files], policy: policy.name } }}
          baseline={{ policy: policy.name }}
          onTry={(sample) => {
            saving.close();
            url.set({ ...toSampleSearch(sample), tab: 'try' }, 'push');
          }}
        />
      )}
    </ReviewDialog>
  );
}

/** Whether the error is about the text: then the list above the text shows it. */
function isAboutText(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'policy.invalid';
}
