import { Stack, Text } from '@mantine/core';
import { routes, useApi } from '../../api/index.ts';
import { ClientLink } from '../../app/links.tsx';
import { useProject } from '../../app/project.tsx';
import { CommandLine } from '../../ui/index.ts';
import { hasTls, toCurl, toUrl } from './access-url.ts';
import { texts } from './texts.tsx';

const text = texts.access;

const SHOWN = 4;

export interface AccessNode {
  readonly client_id: string;
  readonly client_name: string;
  readonly addresses?: readonly string[];
  /** As the agent found them in Envoy; missing until it has reported. */
  readonly listeners?: readonly { readonly name: string; readonly serving: boolean; readonly address: string | null }[];
}

interface AccessLinesProps {
  readonly nodes: readonly AccessNode[];
  readonly version: string;
}

/** Shows the URL of each serving listener, with a command line that sends a request. */
export function AccessLines({ nodes, version }: AccessLinesProps) {
  const serving = nodes.flatMap((node) =>
    (node.listeners ?? []).flatMap(({ name, serving, address }) =>
      serving && address !== null ? [{ node, name, address }] : [],
    ),
  );
  if (serving.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {text.none}
      </Text>
    );
  return (
    <Stack gap="xs">
      {serving.slice(0, SHOWN).map((one) => (
        <AccessLine key={`${one.node.client_id} ${one.name} ${one.address}`} {...one} version={version} />
      ))}
      {serving.length > SHOWN && (
        <Text size="sm" c="dimmed">
          {text.more(serving.length - SHOWN)}
        </Text>
      )}
    </Stack>
  );
}

interface AccessLineProps {
  readonly node: AccessNode;
  readonly name: string;
  readonly address: string;
  readonly version: string;
}

function AccessLine({ node, name, address, version }: AccessLineProps) {
  const project = useProject();
  const { data, isPending } = useApi(
    routes.xds.get,
    { params: { collection: 'listeners', name }, query: { project: project.id, version } },
    { topics: ['document'] },
  );
  if (isPending) return null;
  const isTls = hasTls(data?.body.resource);
  const url = toUrl({ address, isTls, addresses: node.addresses ?? [], clientName: node.client_name });
  return (
    <div>
      <Text size="sm">
        <bdi className="mono">{url ?? address}</bdi>{' '}
        <Text span inherit c="dimmed">
          <bdi>{name}</bdi> {text.on(<ClientLink id={node.client_id} name={node.client_name} />)}
        </Text>
      </Text>
      {url !== undefined && <CommandLine text={toCurl(url)} what={text.command} />}
    </div>
  );
}
