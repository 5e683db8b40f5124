import type { TrafficGap } from '@flotilla/contract';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import type { TimeWindow } from './time-window.ts';

const ENOUGH = 500;
const NONE: readonly TrafficGap[] = [];

/** The minutes of the window in which requests were lost, newest first. */
export function useGaps({ from, to }: TimeWindow, serviceId?: string): readonly TrafficGap[] {
  const project = useProject();
  const { data } = useApi(
    routes.trafficInsight.gaps,
    {
      query: {
        project: project.id,
        from,
        to,
        limit: ENOUGH,
        ...(serviceId !== undefined && { service_id: [serviceId] }),
      },
    },
    { keepPrevious: true },
  );
  return data?.body.items ?? NONE;
}
