import { useMemo } from 'react';
import { readPolicyView } from '../form/policy-view.ts';
import type { PolicyContent } from '../model.ts';
import { credentialNames, makeExamples } from './trial-examples.ts';
import { TrialPanel } from './trial-panel.tsx';

interface TrialTabProps {
  readonly content: PolicyContent;
  /** Of what is stored; undefined while the content is a draft. */
  readonly stored: string | undefined;
}

/** Tries requests on a policy: as it is stored, or as it is being written. */
export function TrialTab({ content, stored }: TrialTabProps) {
  const { text, files } = content;
  const view = useMemo(() => readPolicyView(text), [text]);
  const examples = useMemo(() => (view ? makeExamples(view) : []), [view]);
  const secretNames = useMemo(() => (view ? credentialNames(view) : []), [view]);
  const policies = useMemo(
    () => (stored === undefined ? { draft: { text, files: [...files] } } : { policy: stored }),
    [stored, text, files],
  );
  return <TrialPanel policies={policies} examples={examples} secretNames={secretNames} />;
}
