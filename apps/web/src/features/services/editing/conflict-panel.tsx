import { Button, Group } from '@mantine/core';
import { Notice, Section, Time } from '../../../ui/index.ts';
import { ServiceChanges } from '../document/service-changes.tsx';
import classes from '../service.module.css';
import { type ServiceDraft, toDraft } from './draft.ts';
import { rebase } from './rebase.ts';
import { texts } from './texts.tsx';
import type { Conflict } from './use-editor.ts';

const text = texts.conflictPanel;

interface ConflictPanelProps {
  readonly conflict: Conflict;
  readonly base: ServiceDraft;
  readonly mine: ServiceDraft;
  readonly onApplyOnTop: () => void;
  readonly onTakeTheirs: () => void;
}

/** Shown when two users changed the same service: the changes of both, and two ways to resolve them. */
export function ConflictPanel({ conflict, base, mine, onApplyOnTop, onTakeTheirs }: ConflictPanelProps) {
  const { service } = conflict.theirs;
  const theirs = toDraft(service);
  const { conflicts } = rebase(base, mine, theirs);
  return (
    <div className={classes.stack}>
      <Notice
        tone="warn"
        title={text.savedMeanwhile(<bdi>{service.updated_by}</bdi>, service.revision, <Time at={service.updated_at} />)}
      >
        {text.nothingLost(conflicts.length > 0 && text.bothChanged(conflicts.join(', ')))}
      </Notice>
      <Section title={text.theirs}>
        <ServiceChanges before={base} beforeLabel={text.base} after={theirs} afterLabel={text.theirs} />
      </Section>
      <Section title={text.yours}>
        <ServiceChanges before={base} beforeLabel={text.base} after={mine} afterLabel={text.yours} />
      </Section>
      <Group gap="xs">
        <Button onClick={onApplyOnTop}>{text.applyOnTop}</Button>
        <Button variant="default" onClick={onTakeTheirs}>
          {text.dropMine}
        </Button>
      </Group>
    </div>
  );
}
