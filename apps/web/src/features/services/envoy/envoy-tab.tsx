import { SegmentedControl } from '@mantine/core';
import { useUrlState } from '../../../app/url-state.ts';
import { Empty, Notice } from '../../../ui/index.ts';
import { NodeSelect, useChosenNode } from '../node-select.tsx';
import classes from '../service.module.css';
import type { ServiceDetail } from '../types.ts';
import { ClustersPart } from './clusters-part.tsx';
import { LevelsPart } from './levels-part.tsx';
import { ListenersPart } from './listeners-part.tsx';
import { ServerPanel } from './server-panel.tsx';
import { StatisticsPart } from './statistics-part.tsx';
import { texts } from './texts.tsx';
import type { EnvoyPlace } from './use-proxy.ts';

const text = texts.envoyTab;

const PARTS = [
  { value: 'clusters', label: text.clusters, Part: ClustersPart },
  { value: 'listeners', label: text.listeners, Part: ListenersPart },
  { value: 'statistics', label: text.statistics, Part: StatisticsPart },
  { value: 'levels', label: text.levels, Part: LevelsPart },
] as const;

/** Shows and changes one running Envoy through its admin interface (`?at=&part=`). */
export function EnvoyTab({ detail: { service, nodes } }: { detail: ServiceDetail }) {
  const url = useUrlState();
  const { deployed, node } = useChosenNode(nodes);
  if (!node) return <Empty title={text.emptyTitle}>{text.empty}</Empty>;
  const place: EnvoyPlace = { serviceId: service.id, clientId: node.client_id, clientName: node.client_name };
  const { value, Part } = PARTS.find((part) => part.value === url.get('part')) ?? PARTS[0];
  return (
    <div className={`${classes.stack} ${classes.tight}`}>
      <div className={classes.bar} role="group" aria-label={text.which}>
        <NodeSelect deployed={deployed} node={node} />
        {node.connected && <ServerPanel key={node.client_id} place={place} />}
      </div>
      {node.connected ? (
        <>
          <div>
            <SegmentedControl
              size="xs"
              aria-label={text.parts}
              data={PARTS.map((part) => ({ value: part.value, label: part.label }))}
              value={value}
              onChange={(part) =>
                url.set({ part: part === PARTS[0].value ? undefined : part, match: undefined, rows: undefined }, 'push')
              }
            />
          </div>
          <Part key={node.client_id} place={place} />
        </>
      ) : (
        <Notice tone="warn" title={text.notConnected}>
          {text.notConnectedText}
        </Notice>
      )}
    </div>
  );
}
