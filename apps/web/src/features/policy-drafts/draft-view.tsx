import type { PolicyDraft } from '@flotilla/contract';
import { Button, Code, Group, List, Stack } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { putDraft } from '../../changes/index.ts';
import { Notice, Section } from '../../ui/index.ts';
import { DraftRoutes } from './draft-routes.tsx';
import { DraftTrial } from './draft-trial.tsx';
import { texts } from './texts.tsx';

const text = texts.draft;

/** A draft with its reasons, its trial, and the way to the editor. */
export function DraftView({ draft }: { readonly draft: PolicyDraft }) {
  const can = useCan();
  return (
    <Stack gap="xl">
      {draft.without_traffic !== null && (
        <Notice tone="warn" title={text.withoutTraffic}>
          {draft.without_traffic}
        </Notice>
      )}
      <Section title={text.routes}>
        <DraftRoutes draft={draft} />
      </Section>
      <Section title={text.notesTitle}>
        <Stack gap="sm">
          <Lines lines={draft.notes} />
          {draft.placeholders.length > 0 && (
            <Notice tone="busy" title={text.placeholders}>
              <Lines lines={draft.placeholders.map(({ field, what }) => text.placeholder(field, what))} />
            </Notice>
          )}
          <Skipped draft={draft} />
        </Stack>
      </Section>
      <Section title={text.policy} actions={<SaveLinks draft={draft} />}>
        <Code block tabIndex={0} aria-label={text.policy} mah={480} style={{ overflow: 'auto' }}>
          {draft.text}
        </Code>
      </Section>
      {can(routes.shieldTrial.replay) && draft.without_traffic === null && <DraftTrial draft={draft} />}
    </Stack>
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  return (
    <List size="sm">
      {lines.map((line) => (
        <List.Item key={line}>
          <bdi>{line}</bdi>
        </List.Item>
      ))}
    </List>
  );
}

/** The number of each reason. */
function countReasons<Reason extends string>(skips: readonly { readonly reason: Reason }[]): [Reason, number][] {
  const reasons = [...new Set(skips.map(({ reason }) => reason))];
  return reasons.map((reason) => [reason, skips.filter((skip) => skip.reason === reason).length]);
}

function Skipped({ draft }: { readonly draft: PolicyDraft }) {
  const lines = [
    ...countReasons(draft.skipped).map(([reason, ids]) => text.skippedOf(reason, ids)),
    ...countReasons(draft.skipped_findings).map(([reason, ids]) => text.skippedFindings(reason, ids)),
  ];
  if (lines.length === 0) return null;
  return (
    <Notice tone="quiet" title={text.skipped}>
      <Lines lines={lines} />
    </Notice>
  );
}

/** Saving is the work of the editor: it checks placeholders, takes key files, and shows what the policy changes. */
function SaveLinks({ draft }: { readonly draft: PolicyDraft }) {
  const project = useProject();
  const can = useCan();
  const navigate = useNavigate();
  const edit = async () => {
    putDraft(`new policy ${project.id}`, { name: draft.name, text: draft.text, description: '' });
    await navigate({ to: '/p/$project/policies/new', params: { project: project.name } });
  };
  return (
    <Group gap="xs">
      {can(routes.policy.create) && (
        <Button onClick={() => void edit()} title={text.editHint}>
          {text.edit}
        </Button>
      )}
      <Button
        variant="default"
        renderRoot={(props) => (
          <Link
            {...props}
            to="/p/$project/traffic/detections"
            params={{ project: project.name }}
            search={{ policy: draft.name }}
          />
        )}
      >
        {text.follow}
      </Button>
    </Group>
  );
}
