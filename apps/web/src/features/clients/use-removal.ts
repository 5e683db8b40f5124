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

/** Removes a client. Services that target it are found by a dry run, and again if the removal meets them. */
export function useRemoval(client: WholeClient) {
  const project = useProject();
  const navigate = useNavigate();
  const write = useWrite();
  const [met, setMet] = useState<readonly TargetingService[]>();
  const params = { client_id: client.client_id };
  const query = { project: project.id };
  const plan = useQuery({
    queryKey: ['client-removal', client.client_id],
    queryFn: () =>
      orTargeting(async () => {
        await call(routes.client.remove, { params, query: { ...query, dry_run: 'true' } });
        return [];
      }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    meta: { topics: ['service'] },
  });
  const targeting = met ?? plan.data ?? [];
  const form = useApiForm({
    route: routes.client.remove,
    initial: { typed: '' },
    send: async () => {
      const services = await orTargeting(async () => {
        const input = { params, query: targeting.length > 0 ? { ...query, force: 'true' as const } : query };
        await write(routes.client.remove, input, { done: texts.removeClient.form.done(client.name), stale: STALE });
        await navigate({ to: '/p/$project/clients', params: { project: project.name } });
        return undefined;
      });
      if (services) setMet(services);
    },
  });
  return { plan, targeting, form };
}

/** Turns the refusal because of services into their list. */
async function orTargeting<T>(work: () => Promise<T>): Promise<T | readonly TargetingService[]> {
  try {
    return await work();
  } catch (failure) {
    const services = failure instanceof ApiError ? readTargeting(failure.body) : undefined;
    if (!services) throw failure;
    return services;
  }
}
