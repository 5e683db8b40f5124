/** What needs no CodeMirror: for screens that show changes or paths without an editor beside them. */
export { ChangeList, type DocumentChange } from './components/change-list.tsx';
export { formatPath, type Path, parsePath } from './document/path.ts';
export { type MergeConflict, type MergeOutcome, mergeDocuments, resolveConflicts } from './merge/merge-documents.ts';
