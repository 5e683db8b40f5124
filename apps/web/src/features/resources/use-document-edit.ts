import { useMemo } from 'react';
import type { Loaded } from '../../api/index.ts';
import { useLeaveGuard } from '../../app/leave-guard.ts';
import { holdsSecret, useDraft } from '../../changes/index.ts';
import { isSameDraft, type ResourceDraft, toDraft } from './draft-model.ts';
import type { StoredDocument } from './rows.ts';
import { texts } from './texts.tsx';

/** The draft and the document at the start of editing. */
interface Edit {
  readonly baseRevision: number;
  readonly baseEtag?: string | undefined;
  readonly base: ResourceDraft;
  readonly draft: ResourceDraft;
}

export interface DocumentEdit extends Edit {
  readonly isDirty: boolean;
  /** Whether the draft was restored after a reload. */
  readonly isRestored: boolean;
  /** Whether someone else saved the document after this edit began. */
  readonly isBehind: boolean;
  change(draft: ResourceDraft): void;
  /** Continues with what someone else saved in the meantime. */
  rebase(theirs: Loaded<StoredDocument>, draft: ResourceDraft): void;
  discard(): void;
}

/** The draft of a stored document. It survives a reload, unless it contains secrets. */
export function useDocumentEdit({ body: document, etag }: Loaded<StoredDocument>): DocumentEdit {
  const isSecret = document.collection === 'secrets' || document.private.length > 0;
  const kept = useDraft<Edit>(`document ${document.id}`, { isSecret });
  const stored = useMemo(() => toDraft(document), [document]);
  const unchanged: Edit = { base: stored, draft: stored, baseRevision: document.revision, baseEtag: etag };
  const current = kept.value ?? unchanged;
  const { draft } = current;
  const isDirty = kept.value !== undefined && !isSameDraft(kept.value.draft, kept.value.base);
  // `useDraft` keeps such a draft in memory only.
  const isLost = useMemo(() => isSecret || holdsSecret(JSON.stringify(draft)), [isSecret, draft]);
  useLeaveGuard({ isNeeded: isDirty && isLost, question: texts.editTab.useLeaveGuard.leave, guardsTabs: true });
  return {
    ...current,
    isDirty,
    isRestored: kept.isRestored && isDirty,
    isBehind: isDirty && current.baseRevision !== document.revision,
    change: (next) => kept.set({ ...(isDirty ? current : unchanged), draft: next }),
    rebase: ({ body: theirs, etag: baseEtag }, merged) =>
      kept.set({ base: toDraft(theirs), baseRevision: theirs.revision, baseEtag, draft: merged }),
    discard: kept.clear,
  };
}
