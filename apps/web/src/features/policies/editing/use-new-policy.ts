import { useMemo, useState } from 'react';
import { useLeaveGuard } from '../../../app/leave-guard.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { useDraft } from '../../../changes/index.ts';
import { type Policy, type PolicyContent, toContent, toCopy } from '../model.ts';
import { findRawKeys, withoutRawKeys } from './raw-keys.ts';
import { makeKey, STARTERS, withName } from './starters.ts';
import { texts } from './texts.tsx';

/** The draft as the browser stores it: with its raw keys emptied. */
interface KeptPolicy {
  readonly name: string;
  readonly text: string;
  readonly description: string;
}

export type NewPolicyDraft = ReturnType<typeof useNewPolicy>;

/**
 * The draft of a new policy: the template that `?starter=` names, until the user types, or a copy of `source`. Copies are not stored as
 * drafts; raw keys and files never are.
 */
export function useNewPolicy(source: Policy | undefined) {
  const project = useProject();
  const asked = useUrlState().get('starter');
  const draft = useDraft<KeptPolicy>(`new policy ${project.id}`);
  const kept = source ? undefined : draft.value;
  const [name, setName] = useState(source ? nameOfCopy(source) : (kept?.name ?? ''));
  const [host, setHost] = useState('api.example.com');
  const [key] = useState(makeKey);
  const [typed, setTyped] = useState(() => firstContent(source, kept));
  const starter = STARTERS.find(({ id }) => id === asked) ?? STARTERS[0];
  const made = starter?.make({ name: name || 'name', host: host || '*', key }) ?? '';
  const content = useMemo(() => typed ?? { text: made, description: '', files: [] }, [typed, made]);
  const isLostOnLeave = typed !== undefined && (typed.files.length > 0 || findRawKeys(typed.text).length > 0);
  useLeaveGuard({ isNeeded: source !== undefined || isLostOnLeave, question: texts.useLeaveGuard.leave });

  const keep = (next: PolicyContent, under: string) => {
    setTyped(next);
    const text = source ? undefined : withoutRawKeys(next.text);
    if (text !== undefined) draft.set({ name: under, text, description: next.description });
  };
  return {
    target: { project: project.id, name, ifMatch: undefined },
    name,
    host,
    starter,
    content,
    /** Whether the content is no longer that of the template. */
    isTyped: typed !== undefined,
    isRestored: kept !== undefined && draft.isRestored,
    setHost,
    rename(next: string) {
      setName(next);
      if (typed) keep(next === '' ? typed : { ...typed, text: withName(typed.text, next) }, next);
    },
    change: (next: PolicyContent) => keep(next, name),
    /** Returns to the template. */
    discard() {
      setTyped(undefined);
      draft.clear();
    },
    /** Deletes the stored draft. */
    forget: draft.clear,
  };
}

function firstContent(source: Policy | undefined, kept: KeptPolicy | undefined): PolicyContent | undefined {
  if (source) return { ...toCopy(toContent(source)), text: withName(source.text, nameOfCopy(source)) };
  return kept && { text: kept.text, description: kept.description, files: [] };
}

function nameOfCopy({ name }: Policy): string {
  return `${name}-copy`;
}
