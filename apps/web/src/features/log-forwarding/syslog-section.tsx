import { readSyslogOutput } from '@flotilla/contract';
import { ForwarderSection } from './forwarder-section.tsx';
import { SyslogForm } from './syslog-form.tsx';
import { texts } from './texts.ts';
import type { ForwarderCommands } from './use-forwarder.ts';

const text = texts.syslog;

const COMMANDS: ForwarderCommands = {
  type: 'SYSLOG_FWD',
  update: 'SYSLOG_FWD UPDATE_RSYSLOG_CONFIG',
  getStatus: 'GET_RSYSLOG_STATUS',
  getConfig: 'GET_RSYSLOG_CONFIG',
  member: 'rsyslog_config',
};

export function SyslogSection({ clientId }: { clientId: string }) {
  return (
    <ForwarderSection
      clientId={clientId}
      commands={COMMANDS}
      text={text}
      read={readSyslogOutput}
      describe={describeOutput}
      form={(props) => <SyslogForm clientId={clientId} {...props} />}
    />
  );
}

function describeOutput({ target, port, protocol, tls }: NonNullable<ReturnType<typeof readSyslogOutput>>) {
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
