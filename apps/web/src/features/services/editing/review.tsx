import { Button } from '@mantine/core';
import { ApiError } from '../../../api/index.ts';
import { Notice, Problem, Section } from '../../../ui/index.ts';
import { ChangeList } from '../document/change-list.tsx';
import { diffJson } from '../document/diff.ts';
import { Reached } from '../document/reached.tsx';
import shared from '../service.module.css';
import type { WholeService } from '../types.ts';
import { EMPTY_DRAFT, type ServiceDraft } from './draft.ts';
import classes from './editing.module.css';
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

/** Reviews a service before it is saved: changes, affected nodes, warnings. */
export function Review({ service, base, draft, plan, problem, isBusy, onSave, onBack }: ReviewProps) {
  const changes = service ? plan.changes : diffJson({}, draft).filter(({ path }) => isFilled(path, draft));
  const warnings = deriveWarnings(service ? base : undefined, draft, {
    reached: plan.nodes.length,
    addresses: plan.addresses,
  });
  const isUnchanged = service !== undefined && changes.length === 0;
  return (
    <div className={shared.stack}>
      {warnings.length > 0 && (
        <Notice tone="warn" title={text.warnings}>
          <ul style={{ margin: 0, paddingInlineStart: 18 }}>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Section title={service ? text.changes : text.created}>
        <ChangeList changes={changes} label={service ? text.changes : text.created} />
      </Section>
      {service && !isUnchanged && <Reached nodeIds={plan.nodes} service={service} />}
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
      <div className={classes.foot}>
        <Button loading={isBusy} disabled={isUnchanged} onClick={onSave}>
          {service ? text.save : text.create}
        </Button>
        <Button variant="default" onClick={onBack}>
          {text.back}
        </Button>
      </div>
    </div>
  );
}

function isFilled(path: string, draft: ServiceDraft): boolean {
  if (path === 'shield') return JSON.stringify(draft.shield) !== JSON.stringify(EMPTY_DRAFT.shield);
  const value = draft[path as keyof ServiceDraft];
  return !(Array.isArray(value) && value.length === 0);
}
