import {
  POLICY_DRAFT_OPERATIONS_MAX,
  POLICY_DRAFT_PARTS,
  type PolicyDraftBody,
  type PolicyDraftPart,
} from '@flotilla/contract';
import { useUrlState } from '../../app/url-state.ts';

/** Reads the selection from the URL: `operation_id`, `path_group` (host and path as one text), `host`, `flag`, `part`. */
export function useSelection() {
  const url = useUrlState();
  const operations = url.all('operation_id').slice(0, POLICY_DRAFT_OPERATIONS_MAX);
  const groups = url.all('path_group').flatMap((text) => {
    const slash = text.indexOf('/');
    return slash === -1 ? [] : [{ host: text.slice(0, slash), normalized_path: text.slice(slash) }];
  });
  const host = url.get('host');
  const flags = url.all('flag');
  const asked = url.all('part').filter(isPart);
  const parts: readonly PolicyDraftPart[] = asked.length === 0 ? ['findings'] : asked;
  const isEmpty = operations.length === 0 && groups.length === 0 && host === undefined && flags.length === 0;
  const body = {
    ...(operations.length > 0 && { operation_ids: operations }),
    ...(groups.length > 0 && { groups }),
    ...(host !== undefined && { host }),
    // An endpoint is a selection of its own: the flags of the link say why it was selected.
    ...(flags.length > 0 &&
      operations.length === 0 &&
      groups.length === 0 && { flags: flags as PolicyDraftBody['flags'] }),
    parts: [...parts],
  } satisfies PolicyDraftBody;
  return { url, operations, groups, host, flags, parts, isEmpty, body };
}

export type Selection = ReturnType<typeof useSelection>;

function isPart(text: string): text is PolicyDraftPart {
  return POLICY_DRAFT_PARTS.some((part) => part === text);
}
