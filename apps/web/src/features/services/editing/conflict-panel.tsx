import { Button, Group } from '@mantine/core';
import { Notice, Section, Time } from '../../../ui/index.ts';
import { ChangeList } from '../document/change-list.tsx';
import { diffJson } from '../document/diff.ts';
import classes from '../service.module.css';
import { type ServiceDraft, toDraft } from './draft.ts';
import { rebase } from './rebase.ts';
import type { Conflict } from './use-editor.ts';

interface ConflictPanelProps {
  readonly conflict: Conflict;
  readonly base: ServiceDraft;
  readonly mine: ServiceDraft;
  readonly onApplyOnTop: () => void;
  readonly onTakeTheirs: () => void;
}

/** Two people have changed the same service: what the other one changed, what oneself did, and both ways on. */
export function ConflictPanel({ conflict, base, mine, onApplyOnTop, onTakeTheirs }: ConflictPanelProps) {
  const { service } = conflict.theirs;
  const theirs = toDraft(service);
  const { conflicts } = rebase(base, mine, theirs);
  return (
    <div className={classes.stack}>
      <Notice
        tone="warn"
        title={
          <>
            <bdi>{service.updated_by}</bdi> saved revision {service.revision} <Time at={service.updated_at} />, while
            you were editing
          </>
        }
      >
        Nothing of yours is lost, and nothing of theirs was overwritten.
        {conflicts.length > 0 && ` Both of you changed ${conflicts.join(', ')}: on top, yours would hold there.`}
      </Notice>
      <Section title="What they changed">
        <ChangeList changes={diffJson(base, theirs)} label="What they changed" />
      </Section>
      <Section title="What you changed">
        <ChangeList changes={diffJson(base, mine)} label="What you changed" />
      </Section>
      <Group gap="xs">
        <Button onClick={onApplyOnTop}>Put my changes on top of theirs</Button>
        <Button variant="default" onClick={onTakeTheirs}>
          Drop mine and take theirs
        </Button>
      </Group>
    </div>
  );
}
