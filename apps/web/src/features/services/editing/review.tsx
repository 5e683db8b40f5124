import { ApiError } from '../../../api/index.ts';
import { beforeNothing, beforeRevision, RecordReview } from '../../../changes/index.ts';
import { Notice, Problem, Section } from '../../../ui/index.ts';
import { useServiceChange } from '../document/service-changes.tsx';
import type { WholeService } from '../types.ts';
import type { ServiceDraft } from './draft.ts';
import { texts } from './texts.tsx';
import type { Plan } from './use-editor.ts';
import { deriveWarnings } from './warnings.ts';

const text = texts.review;

interface ReviewProps {
  /** undefined: a new service. */
  readonly service: WholeService | undefined;
  readonly base: ServiceDraft;
  readonly draft: ServiceDraft;
  readonly plan: Plan;
  readonly problem: unknown;
  readonly isBusy: boolean;
  readonly onSave: () => void;
  readonly onBack: () => void;
}

/** Reviews a service before it is saved: warnings, affected nodes, changes. */
export function Review({ service, base, draft, plan, problem, isBusy, onSave, onBack }: ReviewProps) {
  const { diff, after, nodes, addresses } = plan;
  const before = service && base;
  const beforeLabel = service ? beforeRevision(service.revision) : beforeNothing;
  const change = useServiceChange({ before, after, beforeLabel, diff });
  const warnings = deriveWarnings(before, draft, { reached: nodes.length, addresses });
  return (
    <Section title={text.changes}>
      <RecordReview
        plan={{
          change,
          reach: service && { nodes, services: [service] },
          warnings: warnings.map((message) => ({ path: '', message })),
        }}
        action={service ? text.save : text.create}
        isBusy={isBusy}
        isDisabled={change.diff.length === 0}
        onApply={onSave}
        onBack={onBack}
      >
        {!service && (
          <Notice tone="quiet" title={text.nothingRunsYet}>
            {text.nothingRunsYetText}
          </Notice>
        )}
        {problem !== undefined && (
          <Problem
            error={problem}
            what={problem instanceof ApiError ? text.failed : text.unknownOutcome}
            still={texts.serviceEditor.typedIsKept}
          />
        )}
      </RecordReview>
    </Section>
  );
}
