import type { TrafficScope } from '@flotilla/contract';
import { Stack } from '@mantine/core';
import { EndpointProblems } from './endpoint-problems.tsx';
import { TrafficCharts } from './traffic-charts.tsx';

/** Shows the traffic of a listener or cluster over all services that use it. */
export function NameTraffic({ scope, name }: { scope: TrafficScope; name: string }) {
  return (
    <Stack gap="lg">
      <TrafficCharts subject={{ scope, name }} />
      {scope === 'cluster' && <EndpointProblems cluster={name} />}
    </Stack>
  );
}
