import { Button } from '@mantine/core';
import { routes } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { RolloutProgress } from '../../changes/index.ts';
import { Notice } from '../../ui/index.ts';
import { texts } from './texts.tsx';
import type { ServiceDetail } from './types.ts';

const text = texts.savedChange;

/** Shown after a change (`?rollout=<revision>`): its progress, a link to restore, and the offer to deploy. */
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
          {...(revision > 1 &&
            can(routes.service.revision) && {
              wayBack: (
                <Button
                  variant="default"
                  size="compact-xs"
                  onClick={() => url.set({ tab: 'document', rev: String(revision - 1), with: 'current' }, 'push')}
                >
                  {text.notice.backTo(revision - 1)}
                </Button>
              ),
            })}
        />
      )}
      {(waiting.length > 0 || nodes.length === 0) && can(routes.service.patch) && (
        <Notice tone="quiet" title={text.notice.title(revision, isDeployed ? '' : '. Nothing runs it yet')}>
          {tellWaiting(waiting.length, nodes.length)}{' '}
          <Button size="compact-xs" onClick={() => url.set({ do: 'deploy', rollout: undefined }, 'push')}>
            {text.notice.deployNow}
          </Button>{' '}
          <Button variant="default" size="compact-xs" onClick={close}>
            {text.notice.later}
          </Button>
        </Notice>
      )}
    </>
  );
}

function tellWaiting(waiting: number, listed: number): string {
  if (listed === 0) return text.tellWaiting.chooseClients;
  return waiting === listed ? text.tellWaiting.assigned(listed) : text.tellWaiting.notDeployed(waiting, listed);
}
