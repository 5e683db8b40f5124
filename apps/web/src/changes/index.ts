export { type Conflict, ConflictDialog } from './conflict-dialog.tsx';
export { useDraft } from './draft.ts';
export { History, type RevisionEntry } from './history.tsx';
export { holdsSecret } from './holds-secret.ts';
export { ChangeList, CodeEditor, DiffView, PolicyEditor } from './lazy-editor.tsx';
export { type ChangePlan, type Difference, type FieldError, isStale, toFieldErrors, withoutRoot } from './plan.ts';
export { ReviewDialog } from './review-dialog.tsx';
export { RolloutProgress } from './rollout-progress.tsx';
export { useStandingRefusal } from './use-standing-refusal.ts';
