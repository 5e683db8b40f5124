import { Button } from '@mantine/core';
import { routes } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { RolloutProgress } from '../../changes/index.ts';
import { Notice } from '../../ui/index.ts';
import type { ServiceDetail } from './types.ts';

/** After a change (`?rollout=<revision>`): how far it has come, the way back, and the offer to deploy. */
export function SavedChange({ detail: { service, nodes } }: { detail: ServiceDetail }) {
  const url = useUrlState();
  const can = useCan();
  const revision = Number(url.get('rollout')) || undefined;
  if (revision === undefined) return null;
  const waiting = nodes.filter(({ deployed }) => !deployed);
  const isDeployed = waiting.length < nodes.length;
  const close = () => url.set({ rollout: undefined });
  return (
    <>
      {isDeployed && (
        <RolloutProgress
          collection="services"
          name={service.name}
          revision={revision}
          onClose={close}
          {...(revision > 1 && {
            wayBack: (
              <Button
                variant="default"
                size="compact-xs"
                onClick={() => url.set({ tab: 'document', rev: String(revision - 1), with: 'current' }, 'push')}
              >
                Back to revision {revision - 1}
              </Button>
            ),
          })}
        />
      )}
      {(waiting.length > 0 || nodes.length === 0) && can(routes.service.patch) && (
        <Notice tone="quiet" title={`Revision ${revision} is saved${isDeployed ? '' : '. Nothing runs it yet'}`}>
          {tellWaiting(waiting.length, nodes.length)}{' '}
          <Button size="compact-xs" onClick={() => url.set({ do: 'deploy', rollout: undefined }, 'push')}>
            Deploy now
          </Button>{' '}
          <Button variant="default" size="compact-xs" onClick={close}>
            Later
          </Button>
        </Notice>
      )}
    </>
  );
}

function tellWaiting(waiting: number, listed: number): string {
  if (listed === 0) return 'Choose the clients that are to run it.';
  return waiting === listed
    ? `Listed are ${listed === 1 ? 'one client' : `${listed} clients`}.`
    : `It is not deployed to ${waiting} of its ${listed} listed clients.`;
}
