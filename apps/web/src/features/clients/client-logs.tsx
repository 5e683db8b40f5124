import { mayCommand } from '@flotilla/contract';
import { useProject } from '../../app/project.tsx';
import { type LogChoice, LogScreen, logTexts } from '../logs/index.ts';
import type { Client } from './model.ts';

const AGENT: LogChoice = {
  value: 'AGENT',
  label: logTexts.sources.AGENT,
  type: 'CLIENT_LOGS',
  command: { log_type: 'AGENT' },
};
const HOST: LogChoice = {
  value: 'HOST',
  label: logTexts.sources.HOST,
  type: 'CLIENT_LOGS',
  command: { log_type: 'HOST' },
};
const ROUTING: LogChoice = { value: 'ROUTING', label: logTexts.sources.ROUTING, type: 'ROUTING_LOGS', command: {} };

/** Shows the log of the agent, the journal of the host and the log of routing. */
export function ClientLogs({ client }: { client: Client }) {
  const { role } = useProject();
  const journal = mayCommand(role, 'CLIENT_LOGS HOST') ? [HOST] : [];
  return (
    <LogScreen
      client={{ id: client.client_id, name: client.name, connected: client.connected }}
      choices={[AGENT, ...journal, ROUTING]}
      fileName={client.name}
    />
  );
}
