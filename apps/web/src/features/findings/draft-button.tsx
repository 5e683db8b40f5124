import type { FindingView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useProject } from '../../app/project.tsx';
import { DRAFT_FINDINGS_MAX, toDraftPolicy } from './draft-policy.ts';
import { isOpen } from './finding-look.ts';
import { texts } from './texts.tsx';

/** Leads to the draft of a policy for those of the findings that are open. */
export function DraftButton({ findings }: { readonly findings: readonly FindingView[] }) {
  const project = useProject();
  const open = findings.filter(({ state }) => isOpen(state));
  if (open.length === 0) return null;
  if (open.length > DRAFT_FINDINGS_MAX) {
    return (
      <Button variant="default" disabled title={texts.actions.draftTooMany(DRAFT_FINDINGS_MAX)}>
        {texts.actions.draft}
      </Button>
    );
  }
  return (
    <Button
      component="a"
      variant="default"
      href={toDraftPolicy(
        project.name,
        open.map(({ id }) => id),
      )}
    >
      {texts.actions.draft}
    </Button>
  );
}
