import { Button, Checkbox, MultiSelect, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { routes, useApi } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { State } from '../../../ui/index.ts';
import classes from './operation.module.css';
import { texts } from './texts.tsx';

const words = texts.chooseClients;

export interface ChoosableNode {
  readonly client_id: string;
  readonly client_name: string;
  readonly connected: boolean;
  readonly deployed: boolean;
  /** The Envoy version and the drain time in seconds that it should have. */
  readonly wanted?: string;
  readonly drainTime?: number;
}

const SEARCH_FROM = 10;
const NODES_SHOWN = 200;

interface ChooseNodesProps {
  readonly label: string;
  readonly nodes: readonly ChoosableNode[];
  readonly chosen: readonly string[];
  readonly onChange: (clientIds: readonly string[]) => void;
}

/** Selects nodes of one service: all, some or none. */
export function ChooseNodes({ label, nodes, chosen, onChange }: ChooseNodesProps) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const shown = nodes.filter(({ client_name }) => client_name.toLowerCase().includes(wanted));
  const isAll = nodes.every(({ client_id }) => chosen.includes(client_id));
  return (
    <fieldset className={classes.nodes}>
      <legend className={classes.legend}>
        {words.chooseNodes.chosenOf(<bdi>{label}</bdi>, chosen.length, nodes.length)}
      </legend>
      {nodes.length > 1 && (
        <Button
          variant="subtle"
          size="compact-xs"
          onClick={() => onChange(isAll ? [] : nodes.map(({ client_id }) => client_id))}
        >
          {isAll ? words.chooseNodes.chooseNone : words.chooseNodes.chooseAll}
        </Button>
      )}
      {nodes.length > SEARCH_FROM && (
        <TextInput
          size="xs"
          type="search"
          aria-label={words.chooseNodes.search}
          placeholder={words.chooseNodes.searches}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <div className={classes.nodeList}>
        {shown.slice(0, NODES_SHOWN).map((node) => (
          <Checkbox
            key={node.client_id}
            size="xs"
            checked={chosen.includes(node.client_id)}
            label={
              <span className={classes.node}>
                <bdi>{node.client_name}</bdi>
                {!node.connected && <State word={words.chooseNodes.offline} />}
                {!node.deployed && <State word={words.chooseNodes.notDeployed} />}
              </span>
            }
            onChange={(event) =>
              onChange(
                event.currentTarget.checked
                  ? [...chosen, node.client_id]
                  : chosen.filter((one) => one !== node.client_id),
              )
            }
          />
        ))}
        {shown.length > NODES_SHOWN && <span>{words.chooseNodes.andMore(shown.length - NODES_SHOWN)}</span>}
      </div>
    </fieldset>
  );
}

interface AddClientsProps {
  readonly label: string;
  /** Clients that are listed elsewhere and not offered here. */
  readonly without: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (clientIds: readonly string[]) => void;
}

const SHOWN_CLIENTS = 100;

/** Selects any clients of the project by name, host or address. */
export function AddClients({ label, without, chosen, onChange }: AddClientsProps) {
  const project = useProject();
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text, 150);
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  // Owners and admins also search by host details.
  const isWhole = useCan()(routes.client.list);
  const input = { query: { project: project.id, limit: SHOWN_CLIENTS, ...(q && { q }) } };
  const whole = useApi(routes.client.list, input, { topics: ['client'], keepPrevious: true, enabled: isWhole });
  const seen = useApi(routes.fleet.clients, input, { topics: ['client'], keepPrevious: true, enabled: !isWhole });
  const found = isWhole ? whole : seen;
  const items = (found.data?.body.items ?? []).filter(({ client_id }) => !without.includes(client_id));
  const options = new Map([
    ...chosen.map((id) => [id, names.get(id) ?? items.find((one) => one.client_id === id)?.name ?? id] as const),
    ...items.map(
      (one) => [one.client_id, one.connected ? one.name : words.addClients.offlineClient(one.name)] as const,
    ),
  ]);
  return (
    <Stack gap={4}>
      <MultiSelect
        label={label}
        placeholder={chosen.length === 0 ? words.addClients.searches : undefined}
        data={[...options].map(([value, name]) => ({ value, label: name }))}
        value={[...chosen]}
        onChange={(ids) => {
          setNames(new Map([...names, ...ids.map((id) => [id, options.get(id) ?? id] as const)]));
          onChange(ids);
        }}
        searchable
        searchValue={text}
        onSearchChange={setText}
        // The API has already searched, and not only the names.
        filter={({ options: given }) => given}
        nothingFoundMessage={found.isPending ? words.addClients.looking : words.addClients.noneFits}
        comboboxProps={{ withinPortal: true }}
        clearable
        clearButtonProps={{ 'aria-label': words.addClients.clear(label) }}
      />
      {found.isError && (
        <Text size="sm" c="dimmed">
          {words.addClients.failed}
        </Text>
      )}
    </Stack>
  );
}
