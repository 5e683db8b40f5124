import type { DocumentComment } from '@flotilla/contract';
import { editText } from '../../../yaml/edit-text.ts';
import type { Commented, ResourceDraft } from '../draft-model.ts';
import { listEdits } from './list-edits.ts';
import { moveComments } from './move-comments.ts';
import { readComments, writeYaml } from './yaml-comments.ts';

export { readComments } from './yaml-comments.ts';

type Said = Pick<ResourceDraft, 'resource' | 'commented'>;

/** Returns the document as YAML, with its comments. Keeps the typed text and applies only later changes by the form or the JSON view. */
export function yamlOf({ resource, commented }: Said): string {
  if (!commented) return writeYaml(resource, []);
  const before = commented.text ?? writeYaml(commented.resource, commented.comments);
  const edits = listEdits(commented.resource, resource);
  const edited = edits && editText(before, edits);
  return edited ?? writeYaml(resource, moveComments(commented.comments, commented.resource, resource));
}

/** Returns the comments of the current document. */
export function commentsOf(draft: Said): readonly DocumentComment[] {
  const { commented } = draft;
  return commented && commented.comments.length > 0 ? readComments(yamlOf(draft)) : [];
}

/** Returns the same draft, with its comments moved to the current fields. */
export function settleComments<T extends Said>(draft: T): T {
  if (!draft.commented) return draft;
  const text = yamlOf(draft);
  const commented: Commented = { resource: draft.resource, text, comments: readComments(text) };
  return { ...draft, commented };
}
