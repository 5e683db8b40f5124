import { Button, Group } from '@mantine/core';
import { texts } from '../../../texts/index.ts';
import { Notice, Section, Time } from '../../../ui/index.ts';
import { ChangeList } from '../document/change-list.tsx';
import { diffJson } from '../document/diff.ts';
import classes from '../service.module.css';
import { type ServiceDraft, toDraft } from './draft.ts';
import { rebase } from './rebase.ts';
import type { Conflict } from './use-editor.ts';

const text = texts.services.editing.conflictPanel;

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
        title={text.text(<bdi>{service.updated_by}</bdi>, service.revision, <Time at={service.updated_at} />)}
      >
        {text.notice(conflicts.length > 0 && text.textBothYou(conflicts.join(', ')))}
      </Notice>
      <Section title={text.title}>
        <ChangeList changes={diffJson(base, theirs)} label={text.title} />
      </Section>
      <Section title={text.titleYouChanged}>
        <ChangeList changes={diffJson(base, mine)} label={text.titleYouChanged} />
      </Section>
      <Group gap="xs">
        <Button onClick={onApplyOnTop}>{text.button}</Button>
        <Button variant="default" onClick={onTakeTheirs}>
          {text.buttonDropMine}
        </Button>
      </Group>
    </div>
  );
}
