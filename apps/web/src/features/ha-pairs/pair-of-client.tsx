import type { HaPair } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { texts } from './texts.ts';

/** Returns the pair that the client is a member of; undefined without one, and for roles that may not see pairs. */
function usePairOfClient(clientId: string): HaPair | undefined {
  const project = useProject();
  const can = useCan();
  const { data } = useApi(
    routes.ha.list,
    { query: { project: project.id } },
    { topics: ['ha_pair'], enabled: can(routes.ha.list) },
  );
  return data?.body.items.find(({ members }) => members.some((member) => member.client_id === clientId));
}

/** Leads to the pair of a client. */
export function PairOfClient({ clientId }: { clientId: string }) {
  const project = useProject();
  const pair = usePairOfClient(clientId);
  if (!pair) return null;
  return (
    <Link to="/p/$project/ha-pairs/$pairId" params={{ project: project.name, pairId: pair.id }}>
      {texts.client.member(pair.name)}
    </Link>
  );
}

/** Says what force does to a pair when a client is removed. */
export function PairOfRemovedClient({ clientId }: { clientId: string }) {
  const pair = usePairOfClient(clientId);
  return pair ? <p role="alert">{texts.client.force(pair.name)}</p> : null;
}
