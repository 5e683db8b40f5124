import { Notice } from '../../../ui/index.ts';
import type { WholeService } from '../types.ts';
import { texts } from './texts.tsx';

const text = texts.reached;

const NAMED = 8;

/** Lists the nodes that a change would affect, by client name. */
export function Reached({ nodeIds, service }: { nodeIds: readonly string[]; service: Pick<WholeService, 'targets'> }) {
  if (nodeIds.length === 0)
    return (
      <Notice tone="quiet" title={text.none}>
        {text.whyNone}
      </Notice>
    );
  const names = nodeIds.map((nodeId) => {
    const clientId = nodeId.split('::').at(-1) ?? nodeId;
    return service.targets.find((target) => target.client_id === clientId)?.client_name ?? clientId;
  });
  return (
    <Notice tone="busy" title={text.nodes(names.length)}>
      <bdi>{names.slice(0, NAMED).join(', ')}</bdi>
      {names.length > NAMED && texts.history.describe.andMore(names.length - NAMED)}
    </Notice>
  );
}
