import type { DocumentComment } from '@flotilla/contract';
import type { ResourceDraft } from '../draft-model.ts';

/** The YAML library is loaded with the code view, and is only needed if a user wrote YAML. */
const load = () => import('./index.ts');

/** Returns the comments of the current document. */
export async function commentsOf(draft: ResourceDraft): Promise<readonly DocumentComment[]> {
  return draft.commented ? (await load()).commentsOf(draft) : [];
}

/** Returns the same draft, with its comments moved to the current fields. */
export async function settleComments(draft: ResourceDraft): Promise<ResourceDraft> {
  return draft.commented ? (await load()).settleComments(draft) : draft;
}

/** Returns the document as YAML, with its comments. */
export async function yamlOf(draft: ResourceDraft): Promise<string> {
  return (await load()).yamlOf(draft);
}
