import { POLICY_DRAFT_PARTS, type PolicyDraftBody, type PolicyDraftPart } from '@flotilla/contract';
import { useUrlState } from '../../app/url-state.ts';

/** Reads the selection from the URL: `finding_id`, `operation_id`, `path_group` (host and path as one text), `host`, `flag`, `part`. */
export function useSelection() {
  const url = useUrlState();
  const operations = [...url.all('operation_id')];
  const findings = [...url.all('finding_id')];
  const groups = url.all('path_group').flatMap((text) => {
    const slash = text.indexOf('/');
    return slash === -1 ? [] : [{ host: text.slice(0, slash), normalized_path: text.slice(slash) }];
  });
  const host = url.get('host');
  const flags = url.all('flag');
  const asked = url.all('part').filter(isPart);
  const parts: readonly PolicyDraftPart[] = asked.length === 0 ? ['findings'] : asked;
  const chosen = operations.length + groups.length + findings.length;
  const isEmpty = chosen === 0 && host === undefined && flags.length === 0;
  const body = {
    ...(operations.length > 0 && { operation_ids: operations }),
    ...(findings.length > 0 && { finding_ids: findings }),
    ...(groups.length > 0 && { groups }),
    ...(host !== undefined && { host }),
    // An endpoint is a selection of its own: the flags of the link say why it was selected.
    ...(flags.length > 0 && chosen === 0 && { flags: flags as PolicyDraftBody['flags'] }),
    parts: [...parts],
  } satisfies PolicyDraftBody;
  return { url, findings, operations, groups, host, flags, parts, isEmpty, body };
}

export type Selection = ReturnType<typeof useSelection>;

function isPart(text: string): text is PolicyDraftPart {
  return POLICY_DRAFT_PARTS.some((part) => part === text);
}
