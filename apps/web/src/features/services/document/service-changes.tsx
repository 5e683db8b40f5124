import { useMemo } from 'react';
import { useClientNames } from '../../../app/use-client-names.ts';
import {
  commentClients,
  type Difference,
  diffJson,
  nameClients,
  type RecordChange,
  RecordChanges,
} from '../../../changes/index.ts';
import type { ServiceDraft } from '../editing/draft.ts';
import { toCode, useCodeFormat } from './code.tsx';

interface Versions {
  /** undefined: the service did not exist. */
  readonly before: ServiceDraft | undefined;
  readonly after: ServiceDraft;
  readonly beforeLabel: string;
  readonly afterLabel?: string | undefined;
  /** The differences of a dry run; default: those of the two versions. */
  readonly diff?: readonly Difference[] | undefined;
}

/** Returns the change between two versions of a service, with clients by name. */
export function useServiceChange({ before, after, beforeLabel, afterLabel, diff }: Versions): RecordChange {
  const nameOf = useClientNames();
  const language = useCodeFormat();
  return useMemo(() => {
    const write = (draft: ServiceDraft) => {
      const code = toCode(draft, language);
      return language === 'yaml' ? commentClients(code, nameOf) : code;
    };
    const differences = diff ?? (before ? diffJson(before, after) : [{ path: '', change: 'added', after } as const]);
    const text = { before: before ? write(before) : '', after: write(after), language, beforeLabel, afterLabel };
    return { diff: nameClients(differences, nameOf), text };
  }, [before, after, beforeLabel, afterLabel, diff, language, nameOf]);
}

export function ServiceChanges(versions: Versions) {
  return <RecordChanges change={useServiceChange(versions)} />;
}
