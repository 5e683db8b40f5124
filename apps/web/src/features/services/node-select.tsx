import { Select } from '@mantine/core';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from './texts.tsx';
import type { ServiceNode } from './types.ts';

const text = texts.nodeSelect;
/** Longer lists can be searched. */
const SHORT_MAX = 8;

/** Returns the clients that run the service, and the chosen one of them (`?at=`). By default it is a connected one. */
export function useChosenNode(nodes: readonly ServiceNode[]): {
  readonly deployed: readonly ServiceNode[];
  readonly node: ServiceNode | undefined;
} {
  const url = useUrlState();
  const deployed = nodes.filter((one) => one.deployed);
  const node =
    deployed.find(({ client_id }) => client_id === url.get('at')) ??
    deployed.find((one) => one.connected) ??
    deployed[0];
  return { deployed, node };
}

export function NodeSelect({ deployed, node }: { deployed: readonly ServiceNode[]; node: ServiceNode }) {
  const url = useUrlState();
  return (
    <Select
      size="xs"
      aria-label={text.node}
      data={deployed.map((one) => ({
        value: one.client_id,
        label: one.connected ? one.client_name : text.offlineNode(one.client_name),
      }))}
      value={node.client_id}
      onChange={(at) => url.set({ at: at ?? undefined })}
      allowDeselect={false}
      searchable={deployed.length > SHORT_MAX}
    />
  );
}
