import { ActionIcon, TagsInput, Tooltip } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { State } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { AddClients } from '../operations/choose-clients.tsx';
import type { WholeService } from '../types.ts';
import { type DraftClient, isAddress } from './draft.ts';
import classes from './editing.module.css';
import { texts } from './texts.tsx';
import { useAnchor } from './use-anchor.ts';

const text = texts.clientsField;

interface ClientsFieldProps {
  readonly clients: readonly DraftClient[];
  readonly targets: WholeService['targets'];
  /** Listeners that bind to the address of each client. */
  readonly clientListeners: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (clients: readonly DraftClient[]) => void;
}

/** Edits the clients of the service with their addresses. A client that runs the service cannot be removed here. */
export function ClientsField({ clients, targets, clientListeners, error, onChange }: ClientsFieldProps) {
  const anchor = useAnchor<HTMLFieldSetElement>('clients');
  const setAddresses = (id: string, addresses: readonly string[]) =>
    onChange(clients.map((client) => (client.client_id === id ? { ...client, addresses } : client)));
  return (
    <fieldset id="clients" ref={anchor} tabIndex={-1} className={classes.clients}>
      <legend className={classes.legend}>{text.label}</legend>
      <p className={layout.note}>
        {text.listedHint}{' '}
        {clientListeners.length > 0 ? text.addressesNeeded(clientListeners.join(', ')) : text.addressesOptional}
      </p>
      {error && (
        <p className={classes.error} role="alert">
          {error}
        </p>
      )}
      {clients.length > 0 && (
        <ul className={classes.clientList} aria-label={text.listed}>
          {clients.map((client) => (
            <ClientItem
              key={client.client_id}
              client={client}
              target={targets.find(({ client_id }) => client_id === client.client_id)}
              clientListeners={clientListeners}
              onAddresses={(addresses) => setAddresses(client.client_id, addresses)}
              onRemove={() => onChange(clients.filter(({ client_id }) => client_id !== client.client_id))}
            />
          ))}
        </ul>
      )}
      <AddClients
        label={clients.length === 0 ? text.add : text.addMore}
        without={clients.map(({ client_id }) => client_id)}
        chosen={[]}
        onChange={(ids) => onChange([...clients, ...ids.map((client_id) => ({ client_id, addresses: [] }))])}
      />
    </fieldset>
  );
}

interface ClientItemProps extends Pick<ClientsFieldProps, 'clientListeners'> {
  readonly client: DraftClient;
  /** undefined: the stored service does not have the client. */
  readonly target: WholeService['targets'][number] | undefined;
  readonly onAddresses: (addresses: readonly string[]) => void;
  readonly onRemove: () => void;
}

function ClientItem({ client, target, clientListeners, onAddresses, onRemove }: ClientItemProps) {
  const name = target?.client_name ?? client.client_id;
  const whatIsNeeded = clientListeners.length > 0 ? text.addressNeeded : text.addresses;
  return (
    <li className={classes.client}>
      <span className={classes.clientName}>
        <ClientName id={client.client_id} known={target?.client_name} />
        {target?.deployed && <State word={text.deployed} tone="good" shape="full" />}
      </span>
      <TagsInput
        size="xs"
        aria-label={text.addressesOn(name)}
        placeholder={client.addresses.length > 0 ? undefined : whatIsNeeded}
        value={[...client.addresses]}
        onChange={onAddresses}
        error={explainAddresses(client, clientListeners)}
        splitChars={[',', ' ']}
        className={classes.addresses}
      />
      <Tooltip label={target?.deployed ? text.runsThere : text.takeOut}>
        <ActionIcon
          aria-label={text.takeOutClient(name)}
          aria-disabled={target?.deployed}
          data-disabled={target?.deployed || undefined}
          onClick={() => target?.deployed || onRemove()}
        >
          <IconX size={15} />
        </ActionIcon>
      </Tooltip>
    </li>
  );
}

function explainAddresses({ addresses }: DraftClient, clientListeners: readonly string[]): string | undefined {
  if (!addresses.every(isAddress)) return text.addressesOnly;
  return clientListeners.length > 0 && addresses.length === 0 ? text.addressMissing : undefined;
}

function ClientName({ id, known }: { id: string; known: string | undefined }) {
  const project = useProject();
  const read = useApi(
    routes.client.read,
    { params: { client_id: id }, query: { project: project.id } },
    { enabled: known === undefined, topics: ['client'] },
  );
  return <bdi>{known ?? read.data?.body.name ?? id}</bdi>;
}
