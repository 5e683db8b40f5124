import type { ServiceLogType } from '@flotilla/contract';
import { Empty } from '../../../ui/index.ts';
import { type LogChoice, LogScreen, logTexts } from '../../logs/index.ts';
import { NodeSelect, useChosenNode } from '../node-select.tsx';
import type { ServiceDetail } from '../types.ts';
import { texts } from './texts.ts';

const text = texts.logsTab;

/** Shows the logs of a service on one client (`?at=`). */
export function LogsTab({ detail: { service, nodes } }: { detail: ServiceDetail }) {
  const { deployed, node } = useChosenNode(nodes);
  if (!node) return <Empty title={text.emptyTitle}>{text.empty}</Empty>;
  const choice = (value: Exclude<ServiceLogType, 'SYSTEM'>): LogChoice => ({
    value,
    label: logTexts.sources[value],
    type: 'SERVICE',
    command: { service_id: service.id, log_type: value },
  });
  return (
    <LogScreen
      client={{ id: node.client_id, name: node.client_name, connected: node.connected }}
      choices={[choice('ALL'), choice('ENVOY'), choice('FILTER'), choice('ACCESS')]}
      before={<NodeSelect deployed={deployed} node={node} />}
      fileName={`${service.name}-${node.client_name}`}
    />
  );
}
