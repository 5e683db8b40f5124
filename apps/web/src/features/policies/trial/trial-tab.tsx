import { useMemo } from 'react';
import { readPolicyView } from '../form/policy-view.ts';
import type { PolicyContent } from '../model.ts';
import { credentialNames, makeExamples } from './trial-examples.ts';
import { TrialPanel } from './trial-panel.tsx';

interface TrialTabProps {
  readonly content: PolicyContent;
  /** Name of the stored policy that the content is, or is a draft of. */
  readonly name: string;
  readonly isDraft: boolean;
}

/** Tries requests against a saved policy or a draft. */
export function TrialTab({ content, name, isDraft }: TrialTabProps) {
  const { text, files } = content;
  const view = useMemo(() => readPolicyView(text), [text]);
  const examples = useMemo(() => (view ? makeExamples(view) : []), [view]);
  const secretNames = useMemo(() => (view ? credentialNames(view) : []), [view]);
  const policies = useMemo(
    () => (isDraft ? { draft: { text, files: [...files], policy: name } } : { policy: name }),
    [isDraft, name, text, files],
  );
  return <TrialPanel policies={policies} examples={examples} secretNames={secretNames} />;
}
