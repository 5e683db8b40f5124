import type { EnvoyApi, JsonObject } from '@flotilla/envoy-api';
import type { Violation } from '@flotilla/kit';
import { toDocumentKey } from './documents/collections.ts';
import { findFreeForm } from './documents/free-form.ts';
import { findHostAccess } from './documents/host-access.ts';
import type { SourceDocument } from './types.ts';

/** Content that a reference inserted into another document. */
export interface PlacedContent {
  /** Its place in the expanded resource. */
  readonly path: string;
  readonly document: SourceDocument;
}

/**
 * Finds what keeps an expanded resource from being sent: free-form messages, and host access in content from a document
 * whose last author was not allowed to use it. Writes are checked document by document; this checks the result.
 */
export function findRefusals(
  api: EnvoyApi,
  document: SourceDocument,
  { resource, placed }: { readonly resource: JsonObject; readonly placed: readonly PlacedContent[] },
): Violation[] {
  const freeForm = findFreeForm(api, document.type, resource).map(({ path, message }) => ({
    path,
    rule: 'document.free_form',
    message: `${message}; ${LAST_GOOD}`,
  }));
  if ([document, ...placed.map((one) => one.document)].every(({ mayReachHost }) => mayReachHost)) return freeForm;
  const refused = findHostAccess(api, document.type, resource).flatMap(({ path, message }) => {
    const origin = findOrigin(path, placed) ?? { path: '', document };
    return origin.document.mayReachHost ? [] : [describe(path, message, origin.document)];
  });
  return [...freeForm, ...refused];
}

const LAST_GOOD = 'until then the last good version keeps running';

function describe(path: string, reason: string, { collection, name }: SourceDocument): Violation {
  const key = toDocumentKey(collection, name);
  const message = `${reason}, and ${key} was last saved by somebody who is not an owner of the project: an owner has to review and save ${key}, or this has to be removed from it; ${LAST_GOOD}`;
  return { path, rule: 'document.host_access', message };
}

/** The innermost content at the path. Content is inserted from outside to inside. */
function findOrigin(path: string, placed: readonly PlacedContent[]): PlacedContent | undefined {
  return placed.findLast((one) => path.startsWith(one.path) && /^(?:$|[.[])/.test(path.slice(one.path.length)));
}
