import { useQueryClient } from '@tanstack/react-query';
import { call, invalidate, keepAnswer, type Loaded, routes } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { beforeRevision, type ChangePlan, type Conflict, useReviewedSave } from '../../../changes/index.ts';
import { formatAgo, sayDone } from '../../../ui/index.ts';
import { type Policy, type PolicyContent, toContent } from '../model.ts';
import { toPolicyChange } from './policy-change.ts';
import { texts } from './texts.tsx';
import type { PolicyEdit } from './use-policy-edit.ts';
import { findWarnings } from './warnings.ts';
import { type PolicyTarget, readReachedNodes, writePolicy } from './write-policy.ts';

/** Reviews and saves the draft of a policy, and resolves conflicts with what someone else saved in the meantime. */
export function usePolicySave(target: PolicyTarget, edit: PolicyEdit) {
  const project = useProject();
  const url = useUrlState();
  const client = useQueryClient();
  const input = { params: { name: target.name }, query: { project: project.id } };
  const saving = useReviewedSave<Loaded<Policy>>({
    plan: () => planSave(target, edit),
    save: async (close) => {
      const answer = await writePolicy(target, edit.content, { dryRun: false });
      const { revision, replaced_keys: keys } = answer.body;
      close();
      edit.discard();
      keepAnswer(client, routes.policy.get, { input, answer });
      url.set({ saved: String(revision), keys: keys ? String(keys) : undefined });
      sayDone(texts.editTab.done(revision));
      await invalidate(
        client,
        routes.policy.get,
        routes.policy.list,
        routes.policy.listRevisions,
        routes.metrics.policyNodes,
      );
    },
    meet: async () => {
      const theirs = await call(routes.policy.get, input);
      return { theirs, conflict: toConflict(edit, theirs.body) };
    },
  });
  const resolve = (text: string) => {
    if (!saving.meeting) return;
    const { theirs } = saving.meeting;
    edit.rebase(theirs, { ...mergeRest(edit, toContent(theirs.body)), text });
    saving.close();
  };
  return { ...saving, resolve };
}

async function planSave(target: PolicyTarget, { base, baseRevision, content }: PolicyEdit): Promise<ChangePlan> {
  const [{ body: planned }, nodes] = await Promise.all([
    writePolicy(target, content, { dryRun: true }),
    readReachedNodes(target),
  ]);
  return {
    change: toPolicyChange({
      before: base.text,
      after: planned.text,
      beforeLabel: beforeRevision(baseRevision),
      diff: planned.diff,
    }),
    reach: { nodes, services: planned.services },
    warnings: findWarnings(base.text, planned.text, planned.replaced_keys ?? 0),
  };
}

function toConflict({ base, content }: PolicyEdit, theirs: Policy): Conflict {
  return {
    base: base.text,
    mine: content.text,
    theirs: theirs.text,
    theirsLabel: `${theirs.updated_by}, ${formatAgo(Date.parse(theirs.updated_at), Date.now())}`,
  };
}

/** Returns what the user does not merge by hand: a part that the draft changed, or else the part of the other version. */
function mergeRest({ base, content }: PolicyEdit, theirs: PolicyContent): Pick<PolicyContent, 'description' | 'files'> {
  return {
    description: content.description === base.description ? theirs.description : content.description,
    files: JSON.stringify(content.files) === JSON.stringify(base.files) ? theirs.files : content.files,
  };
}
