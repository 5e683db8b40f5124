import { mayCommand, readForwarderStatus, readSyslogOutput } from '@flotilla/contract';
import { Button, Group, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { useProject } from '../../app/project.tsx';
import { Empty, Facts, Loaded, Notice, Section } from '../../ui/index.ts';
import { ForwarderActions } from './forwarder-actions.tsx';
import { statusFacts } from './forwarder-status.tsx';
import { SyslogForm } from './syslog-form.tsx';
import { texts } from './texts.ts';
import { explainOutcome, useForwarderAnswer } from './use-forwarder.ts';

const text = texts.syslog;

export function SyslogSection({ clientId }: { clientId: string }) {
  const { role } = useProject();
  const mayChange = mayCommand(role, 'SYSLOG_FWD UPDATE_RSYSLOG_CONFIG');
  const status = useForwarderAnswer(clientId, 'SYSLOG_FWD', 'GET_RSYSLOG_STATUS');
  const config = useForwarderAnswer(clientId, 'SYSLOG_FWD', 'GET_RSYSLOG_CONFIG');
  const [isEditing, setEditing] = useState(false);
  const output = readSyslogOutput(config.data?.body.results[0]?.result);
  const edit = mayChange && (
    <Button variant="default" size="xs" onClick={() => setEditing(true)} disabled={output === undefined}>
      {text.configure}
    </Button>
  );
  return (
    <Section title={text.title} actions={edit}>
      <Text size="sm" c="dimmed">
        {text.lead}
      </Text>
      <Loaded query={status} what={texts.what} skeleton={3}>
        {({ body: { results } }) => (
          <SyslogFacts result={results[0]} output={output}>
            <Group gap="xs">
              <Button
                variant="default"
                size="compact-xs"
                loading={status.isFetching}
                onClick={() => void Promise.all([status.refetch(), config.refetch()])}
              >
                {texts.askAgain}
              </Button>
              {mayChange && output && (
                <ForwarderActions
                  clientId={clientId}
                  type="SYSLOG_FWD"
                  removal="UPDATE_RSYSLOG_CONFIG"
                  member="rsyslog_config"
                />
              )}
            </Group>
          </SyslogFacts>
        )}
      </Loaded>
      <Modal opened={isEditing} onClose={() => setEditing(false)} title={texts.form.title} size="lg">
        <SyslogForm clientId={clientId} before={output ?? undefined} onClose={() => setEditing(false)} />
      </Modal>
    </Section>
  );
}

function SyslogFacts({
  result,
  output,
  children,
}: {
  result: Parameters<typeof explainOutcome>[0];
  output: ReturnType<typeof readSyslogOutput>;
  children: React.ReactNode;
}) {
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
      <Facts facts={[...outputFacts(output), ...statusFacts(status)]} />
      {children}
    </>
  );
}

function outputFacts(output: ReturnType<typeof readSyslogOutput>) {
  if (!output) return [];
  const { target, port, protocol, tls } = output;
  const server = `${protocol} ${target.includes(':') ? `[${target}]` : target}:${port}`;
  return [
    [
      text.server,
      <span key="server" className="mono">
        {server}
      </span>,
    ],
    [text.tls, tls ? text.on(tls.server_name ?? target) : text.off],
    [text.authority, tls ? (tls.ca_cert === null ? text.hostAuthorities : text.ownAuthority) : undefined],
  ] as const;
}
