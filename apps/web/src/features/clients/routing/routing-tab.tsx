import { SegmentedControl } from '@mantine/core';
import { useUrlState } from '../../../app/url-state.ts';
import { Notice } from '../../../ui/index.ts';
import classes from '../client.module.css';
import type { Client } from '../model.ts';
import { ConfigPart } from './config-part.tsx';
import { HealthRoutesPart } from './health-routes-part.tsx';
import { PoliciesPart } from './policies-part.tsx';
import { RoutesPart } from './routes-part.tsx';
import { SessionsPart } from './sessions-part.tsx';
import { texts } from './texts.ts';

const text = texts.tab;

const PARTS = [
  { value: 'sessions', label: text.sessions, Part: SessionsPart },
  { value: 'routes', label: text.routes, Part: RoutesPart },
  { value: 'health', label: text.health, Part: HealthRoutesPart },
  { value: 'policies', label: text.policies, Part: PoliciesPart },
  { value: 'config', label: text.config, Part: ConfigPart },
] as const;

/** Shows and changes the BGP of a client (`?part=`). */
export function RoutingTab({ client }: { client: Client }) {
  const url = useUrlState();
  const { value, Part } = PARTS.find((part) => part.value === url.get('part')) ?? PARTS[0];
  if (!client.connected)
    return (
      <Notice tone="warn" title={text.offline}>
        {text.offlineText}
      </Notice>
    );
  return (
    <div className={classes.stack}>
      <div>
        <SegmentedControl
          size="xs"
          aria-label={text.parts}
          data={PARTS.map((part) => ({ value: part.value, label: part.label }))}
          value={value}
          onChange={(part) => url.set({ part: part === PARTS[0].value ? undefined : part }, 'push')}
        />
      </div>
      <Part client={client} />
    </div>
  );
}
