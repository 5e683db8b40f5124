import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, call, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useApiForm, useWrite } from '../../ui/index.ts';
import type { WholeClient } from './model.ts';
import { readTargeting, type TargetingService } from './targeting.ts';
import { texts } from './texts.tsx';

const STALE = [routes.client.list, routes.overview.read, routes.service.list];

/** Only force removes a client with these. */
interface Obstacles {
  readonly services: readonly TargetingService[];
  readonly isMemberOfPair: boolean;
}

const NOTHING: Obstacles = { services: [], isMemberOfPair: false };

/** Removes a client. Obstacles are found by a dry run, and again if the removal meets them. */
export function useRemoval(client: WholeClient) {
  const project = useProject();
  const navigate = useNavigate();
  const write = useWrite();
  const [met, setMet] = useState<Obstacles>();
  const params = { client_id: client.client_id };
  const query = { project: project.id };
  const plan = useQuery({
    queryKey: ['client-removal', client.client_id],
    queryFn: () =>
      orObstacles(async () => {
        await call(routes.client.remove, { params, query: { ...query, dry_run: 'true' } });
        return NOTHING;
      }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    meta: { topics: ['service', 'ha_pair'] },
  });
  const { services: targeting, isMemberOfPair } = met ?? plan.data ?? NOTHING;
  const isForced = targeting.length > 0 || isMemberOfPair;
  const form = useApiForm({
    route: routes.client.remove,
    initial: { typed: '' },
    send: async () => {
      const obstacles = await orObstacles(async () => {
        const input = { params, query: isForced ? { ...query, force: 'true' as const } : query };
        await write(routes.client.remove, input, { done: texts.removeClient.form.done(client.name), stale: STALE });
        await navigate({ to: '/p/$project/clients', params: { project: project.name } });
        return undefined;
      });
      if (obstacles) setMet(obstacles);
    },
  });
  return { plan, targeting, isForced, form };
}

/** Turns the refusal because of services or of a pair into what is in the way. */
async function orObstacles<T>(work: () => Promise<T>): Promise<T | Obstacles> {
  try {
    return await work();
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure;
    const services = readTargeting(failure.body);
    const isMemberOfPair = failure.code === 'ha.client_is_member';
    if (!services && !isMemberOfPair) throw failure;
    return { services: services ?? [], isMemberOfPair };
  }
}
