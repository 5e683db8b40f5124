import { useQueryClient } from '@tanstack/react-query';
import { call, invalidate, keepAnswer, type Loaded, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { type Conflict, ifMatchOf, useReviewedSave } from '../../changes/index.ts';
import { formatAgo } from '../../ui/index.ts';
import { commentsOf, settleComments } from './comments/lazy.ts';
import { fromMergeText, toBody, toDraft, toMergeText } from './draft-model.ts';
import { type PlannedWrite, toReviewPlan } from './review-plan.ts';
import type { StoredDocument } from './rows.ts';
import type { DocumentEdit } from './use-document-edit.ts';

/** Reviews and saves the draft of a document, and resolves conflicts with what someone else saved in the meantime. */
export function useDocumentSave({ collection, name, version, type }: StoredDocument, edit: DocumentEdit) {
  const project = useProject();
  const url = useUrlState();
  const client = useQueryClient();
  const input = { params: { collection, name }, query: { project: project.id, version } };
  const write = async (isDryRun: boolean) => {
    const query = { ...input.query, ...(isDryRun && { dry_run: 'true' as const }) };
    const body = { type, ...toBody(edit.draft), comments: [...(await commentsOf(edit.draft))] };
    const ifMatch = ifMatchOf({ etag: edit.baseEtag, revision: edit.baseRevision });
    return (await call(routes.xds.replace, { ...input, query, body }, { ifMatch })).body;
  };
  const saving = useReviewedSave<Loaded<StoredDocument>>({
    plan: async () => {
      const before = { draft: edit.base, revision: edit.baseRevision };
      return toReviewPlan((await write(true)) as PlannedWrite, before, url.get('view'));
    },
    save: async (close) => {
      const { revision } = (await write(false)) as StoredDocument;
      close();
      edit.discard();
      url.set({ rollout: String(revision) });
      await invalidate(client, routes.xds.get, routes.xds.list, routes.xds.listRevisions, routes.schema.candidates);
    },
    meet: async () => {
      const theirs = await call(routes.xds.get, input);
      keepAnswer(client, routes.xds.get, { input, answer: theirs });
      return { theirs, conflict: await toConflict(edit, theirs.body) };
    },
  });
  const resolve = (text: string) => {
    const merged = fromMergeText(text);
    if (!merged || !saving.meeting) return;
    saving.close();
    edit.rebase(saving.meeting.theirs, merged);
  };
  return { ...saving, resolve };
}

async function toConflict({ base, draft }: DocumentEdit, theirs: StoredDocument): Promise<Conflict> {
  return {
    base: toMergeText(base),
    mine: toMergeText(await settleComments(draft)),
    theirs: toMergeText(toDraft(theirs)),
    theirsLabel: `${theirs.updated_by}, ${formatAgo(Date.parse(theirs.updated_at), Date.now())}`,
  };
}
