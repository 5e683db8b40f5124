import type { EventTopic } from '@flotilla/contract';
import type { UseQueryResult } from '@tanstack/react-query';
import { type Loaded, routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import type { Client } from './model.ts';

const TOPICS: readonly EventTopic[] = ['client', 'service', 'node'];

/** Loads a client with the fields that the user may see, and keeps it fresh. */
export function useClient(clientId: string): UseQueryResult<Loaded<Client>> {
  const project = useProject();
  const isWhole = useCan()(routes.client.read);
  const input = { params: { client_id: clientId }, query: { project: project.id } };
  const whole = useApi(routes.client.read, input, { topics: TOPICS, enabled: isWhole });
  const seen = useApi(routes.fleet.client, input, { topics: TOPICS, enabled: !isWhole });
  return isWhole ? whole : seen;
}
