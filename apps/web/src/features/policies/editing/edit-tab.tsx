import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, invalidate, keepAnswer, type Loaded, routes } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import {
  beforeRevision,
  type ChangePlan,
  type Conflict,
  ConflictDialog,
  ifMatchOf,
  isStale,
  ReviewDialog,
} from '../../../changes/index.ts';
import { formatAgo, Notice, Refusal, sayDone } from '../../../ui/index.ts';
import { type Policy, toContent } from '../model.ts';
import { ReplaySection } from '../replay/replay-section.tsx';
import { toSampleSearch } from '../trial/trial-draft.ts';
import { CheckState } from './check-state.tsx';
import classes from './editing.module.css';
import { toPolicyChange } from './policy-change.ts';
import { PolicyFields } from './policy-fields.tsx';
import { findRawKeys } from './raw-keys.ts';
import { texts } from './texts.tsx';
import { useLeaveGuard } from './use-leave-guard.ts';
import { usePolicyCheck } from './use-policy-check.ts';
import type { PolicyEdit } from './use-policy-edit.ts';
import { findWarnings } from './warnings.ts';
import { readReachedNodes, writePolicy } from './write-policy.ts';

const words = texts.editTab;

/** Checks, reviews and saves, and handles concurrent edits. */
export function EditTab({ policy, edit }: { policy: Policy; edit: PolicyEdit }) {
  const project = useProject();
  const can = useCan();
  const url = useUrlState();
  const client = useQueryClient();
  const canEdit = can(routes.policy.replace);
  const ifMatch = ifMatchOf({ etag: edit.baseEtag, revision: edit.baseRevision });
  const target = { project: project.id, name: policy.name, ifMatch };
  const isBehind = edit.isDirty && edit.baseRevision !== policy.revision;
  const check = usePolicyCheck(target, edit.content, canEdit && edit.isDirty && !isBehind);
  const [reviewed, setReviewed] = useState<ChangePlan>();
  const [meeting, setMeeting] = useState<{ conflict: Conflict; theirs: Loaded<Policy> }>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  useLeaveGuard(edit.isDirty && (findRawKeys(edit.content.text).length > 0 || edit.content.files !== edit.base.files));

  const meet = async () => {
    const answer = await call(routes.policy.get, {
      params: { name: policy.name },
      query: { project: project.id },
    });
    const theirs = answer.body;
    setReviewed(undefined);
    setMeeting({
      theirs: answer,
      conflict: {
        base: edit.base.text,
        mine: edit.content.text,
        theirs: theirs.text,
        theirsLabel: `${theirs.updated_by}, ${formatAgo(Date.parse(theirs.updated_at), Date.now())}`,
      },
    });
  };
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (failure) {
      if (isStale(failure)) await meet().catch(setError);
      else setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const review = () =>
    attempt(async () => {
      const [{ body: answer }, nodes] = await Promise.all([
        writePolicy(target, edit.content, { dryRun: true }),
        readReachedNodes(target),
      ]);
      const warnings = findWarnings(edit.base.text, answer.text, answer.replaced_keys ?? 0);
      const change = toPolicyChange({
        before: edit.base.text,
        after: answer.text,
        beforeLabel: beforeRevision(edit.baseRevision),
        diff: answer.diff,
      });
      setReviewed({ change, reach: { nodes, services: answer.services }, warnings });
    });
  const save = async () => {
    try {
      const answer = await writePolicy(target, edit.content, { dryRun: false });
      const saved = answer.body;
      setReviewed(undefined);
      edit.discard();
      keepAnswer(client, routes.policy.get, {
        input: { params: { name: policy.name }, query: { project: project.id } },
        answer,
      });
      url.set({ saved: String(saved.revision), keys: saved.replaced_keys ? String(saved.replaced_keys) : undefined });
      sayDone(words.done(saved.revision));
      await invalidate(
        client,
        routes.policy.get,
        routes.policy.list,
        routes.policy.listRevisions,
        routes.metrics.policyNodes,
      );
    } catch (failure) {
      if (!isStale(failure)) throw failure;
      await meet();
    }
  };
  const resolve = (text: string) => {
    if (!meeting) return;
    const { base, content } = edit;
    const theirs = toContent(meeting.theirs.body);
    edit.rebase(meeting.theirs, {
      text,
      description: content.description === base.description ? theirs.description : content.description,
      files: JSON.stringify(content.files) === JSON.stringify(base.files) ? theirs.files : content.files,
    });
    setMeeting(undefined);
  };
  const change = (content: PolicyEdit['content']) => {
    setError(undefined);
    edit.change(content);
  };
  return (
    <div className={classes.fields}>
      {edit.isRestored && (
        <Notice tone="busy" title={words.restored}>
          {edit.lacksKeys && words.rawKeysNotKept}
        </Notice>
      )}
      {isBehind && (
        <Notice tone="warn" title={words.storedMeanwhile(<bdi>{policy.updated_by}</bdi>, policy.revision)}>
          <Button variant="default" size="compact-xs" loading={isBusy} onClick={() => void attempt(meet)}>
            {words.lookAtBoth}
          </Button>
        </Notice>
      )}
      <PolicyFields content={edit.content} onChange={canEdit ? change : undefined} check={check} />
      {error !== undefined && !isAboutText(error) && (
        <Refusal error={error} what={words.failed} still={words.nothingLost} />
      )}
      {canEdit && (
        <div className={classes.foot}>
          <Button
            loading={isBusy}
            disabled={!edit.isDirty || isBehind || check.state === 'bad'}
            onClick={() => void review()}
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
      )}
      <ReviewDialog
        title={words.question(policy.name)}
        plan={reviewed}
        action={words.action}
        onApply={save}
        onClose={() => setReviewed(undefined)}
      >
        {reviewed && (
          <ReplaySection
            candidate={{ draft: { text: edit.content.text, files: [...edit.content.files], policy: policy.name } }}
            baseline={{ policy: policy.name }}
            onTry={(sample) => {
              setReviewed(undefined);
              url.set({ ...toSampleSearch(sample), tab: 'try' }, 'push');
            }}
          />
        )}
      </ReviewDialog>
      <ConflictDialog
        conflict={meeting?.conflict}
        language="yaml"
        onResolved={resolve}
        onClose={() => setMeeting(undefined)}
      />
    </div>
  );
}

/** Whether the error is about the text: then the list above the text shows it. */
function isAboutText(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'policy.invalid';
}
