export { type Conflict, ConflictDialog } from './conflict-dialog.tsx';
export { diffJson } from './diff-json.ts';
export { type Draft, putDraft, useDraft } from './draft.ts';
export { History, type RevisionEntry } from './history.tsx';
export { holdsSecret } from './holds-secret.ts';
export { ifMatchOf } from './if-match.ts';
export { ChangeList, CodeEditor, PolicyEditor } from './lazy-editor.tsx';
export {
  type ChangePlan,
  type Difference,
  type FieldError,
  isStale,
  type RecordChange,
  type TextChange,
  toFieldErrors,
  withoutRoot,
} from './plan.ts';
export { applyChanges } from './review/apply-changes.ts';
export { beforeNothing, beforeRevision } from './review/labels.ts';
export { commentClients, nameClients } from './review/name-clients.ts';
export { RecordChanges } from './review/record-changes.tsx';
export { RecordReview, Review } from './review/review.tsx';
export { ReviewDialog } from './review/review-dialog.tsx';
export { RolloutProgress } from './rollout-progress.tsx';
export { useReviewedSave } from './use-reviewed-save.ts';
export { useStandingRefusal } from './use-standing-refusal.ts';
