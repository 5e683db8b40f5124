import { mayCommand, readForwarderStatus } from '@flotilla/contract';
import { Button, Group, Modal, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useProject } from '../../app/project.tsx';
import { Empty, Facts, Loaded, Notice, Section } from '../../ui/index.ts';
import { ForwarderActions } from './forwarder-actions.tsx';
import { statusFacts } from './forwarder-status.tsx';
import { texts } from './texts.ts';
import { explainOutcome, type ForwarderCommands, useForwarderAnswer } from './use-forwarder.ts';

type Fact = readonly [string, ReactNode];

interface ForwarderSectionProps<Config> {
  readonly clientId: string;
  readonly commands: ForwarderCommands;
  readonly text: { readonly title: string; readonly lead: string; readonly none: string; readonly noneText: string };
  /** Null: nothing is configured. Undefined: the answer has another form. */
  readonly read: (result: unknown) => Config | null | undefined;
  readonly describe: (config: Config) => readonly Fact[];
  /** Not a component: another function with each rendering would lose what was typed. */
  readonly form: (props: { before: Config | undefined; onClose: () => void }) => ReactNode;
}

/** One forwarder of a host: its state, its configuration, and what controls it. */
export function ForwarderSection<Config>({
  clientId,
  commands,
  text,
  read,
  describe,
  form,
}: ForwarderSectionProps<Config>) {
  const { role } = useProject();
  const mayChange = mayCommand(role, commands.update);
  const status = useForwarderAnswer(clientId, commands.type, commands.getStatus);
  const answer = useForwarderAnswer(clientId, commands.type, commands.getConfig);
  const [isEditing, setEditing] = useState(false);
  const config = read(answer.data?.body.results[0]?.result);
  const edit = mayChange && (
    <Button variant="default" size="xs" onClick={() => setEditing(true)} disabled={config === undefined}>
      {texts.configure}
    </Button>
  );
  return (
    <Section title={text.title} actions={edit}>
      <Text size="sm" c="dimmed">
        {text.lead}
      </Text>
      <Loaded query={status} what={texts.what} skeleton={3}>
        {({ body: { results } }) => (
          <ForwarderState result={results[0]} text={text} facts={config ? describe(config) : []}>
            <Group gap="xs">
              <Button
                variant="default"
                size="compact-xs"
                loading={status.isFetching}
                onClick={() => void Promise.all([status.refetch(), answer.refetch()])}
              >
                {texts.askAgain}
              </Button>
              {mayChange && config && <ForwarderActions clientId={clientId} commands={commands} />}
            </Group>
          </ForwarderState>
        )}
      </Loaded>
      <Modal opened={isEditing} onClose={() => setEditing(false)} title={text.title} size="lg">
        {form({ before: config ?? undefined, onClose: () => setEditing(false) })}
      </Modal>
    </Section>
  );
}

interface ForwarderStateProps extends Pick<ForwarderSectionProps<unknown>, 'text'> {
  readonly result: Parameters<typeof explainOutcome>[0];
  readonly facts: readonly Fact[];
  readonly children: ReactNode;
}

function ForwarderState({ result, text, facts, children }: ForwarderStateProps) {
  const status = result?.outcome === 'done' ? readForwarderStatus(result.result) : undefined;
  if (!status)
    return (
      <>
        <Notice tone="bad" title={texts.failed}>
          {explainOutcome(result)}
        </Notice>
        {children}
      </>
    );
  if (!status.configured)
    return (
      <Empty title={text.none} action={children}>
        {text.noneText}
      </Empty>
    );
  return (
    <>
      {status.error !== undefined && (
        <Notice tone="bad" title={texts.status.error}>
          <span style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{status.error}</span>
        </Notice>
      )}
      <Facts facts={[...facts, ...statusFacts(status)]} />
      {children}
    </>
  );
}
