import { useMemo, useState } from 'react';
import type { Loaded } from '../../../api/index.ts';
import { useDraft } from '../../../changes/index.ts';
import { isSameContent, type Policy, type PolicyContent, toContent } from '../model.ts';
import { withoutRawKeys } from './raw-keys.ts';

/** The draft and the policy at the start of editing. */
interface Edit {
  readonly baseRevision: number;
  readonly baseEtag: string | undefined;
  readonly base: PolicyContent;
  readonly content: PolicyContent;
}

/** A draft as the browser stores it: without files, and with its raw keys emptied. */
interface KeptEdit {
  readonly baseRevision: number;
  readonly baseEtag?: string | undefined;
  readonly base: Pick<PolicyContent, 'text' | 'description'>;
  readonly content: Pick<PolicyContent, 'text' | 'description'>;
  readonly hadKeys: boolean;
}

export interface PolicyEdit extends Edit {
  readonly isDirty: boolean;
  /** Whether the draft was restored after a reload. */
  readonly isRestored: boolean;
  /** Whether the draft had raw keys, which were not stored. */
  readonly lacksKeys: boolean;
  change(content: PolicyContent): void;
  /** Continues with what someone else saved in the meantime. */
  rebase(theirs: Loaded<Policy>, content: PolicyContent): void;
  discard(): void;
}

/** The draft of a policy. It survives a reload; raw keys and files exist only on this page. */
export function usePolicyEdit({ body: policy, etag }: Loaded<Policy>): PolicyEdit {
  const kept = useDraft<KeptEdit>(`policy ${policy.id}`);
  const stored = useMemo(() => toContent(policy), [policy]);
  const [edit, setEdit] = useState<Edit | undefined>(() => restore(kept.value, stored));
  const current = edit ?? { baseRevision: policy.revision, baseEtag: etag, base: stored, content: stored };

  const keep = (next: Edit) => {
    if (isSameContent(next.base, next.content)) {
      setEdit(undefined);
      kept.clear();
      return;
    }
    setEdit(next);
    const text = withoutRawKeys(next.content.text);
    // If the text cannot be stored, the last stored draft stays.
    if (text === undefined) return;
    kept.set({
      baseRevision: next.baseRevision,
      baseEtag: next.baseEtag,
      base: { text: next.base.text, description: next.base.description },
      content: { text, description: next.content.description },
      hadKeys: text !== next.content.text,
    });
  };
  return {
    ...current,
    isDirty: edit !== undefined,
    isRestored: kept.isRestored && edit !== undefined,
    lacksKeys: kept.isRestored && kept.value?.hadKeys === true && edit?.content.text === kept.value.content.text,
    change: (content) => keep({ ...current, content }),
    rebase: ({ body: theirs, etag: baseEtag }, content) =>
      keep({ baseRevision: theirs.revision, baseEtag, base: toContent(theirs), content }),
    discard: () => {
      setEdit(undefined);
      kept.clear();
    },
  };
}

function restore(kept: KeptEdit | undefined, { files }: PolicyContent): Edit | undefined {
  return (
    kept && {
      baseRevision: kept.baseRevision,
      baseEtag: kept.baseEtag,
      base: { ...kept.base, files },
      content: { ...kept.content, files },
    }
  );
}
