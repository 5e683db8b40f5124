import type { ReleaseKind } from '@flotilla/contract';
import { Checkbox, Stack } from '@mantine/core';
import { useState } from 'react';
import { Confirm, useKept } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { texts } from './texts.ts';
import type { Hosts } from './use-hosts.ts';
import type { useVersionCommand } from './use-version-command.ts';

const text = texts.install;

interface InstallDialogProps {
  readonly kind: ReleaseKind;
  /** Undefined closes the dialog. */
  readonly version: string | undefined;
  readonly hosts: Hosts;
  readonly send: ReturnType<typeof useVersionCommand>['send'];
  readonly onClose: () => void;
}

/** Chooses hosts for a version, and shows what will happen on them. */
export function InstallDialog({ kind, version, hosts, send, onClose }: InstallDialogProps) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [force, setForce] = useState(false);
  const shown = useKept(version);
  const having = new Set(hosts.table.rows.filter((one) => one.version === shown).map(({ clientId }) => clientId));
  const close = () => {
    setChosen([]);
    setForce(false);
    onClose();
  };
  if (shown === undefined) return null;
  const install = () =>
    send({
      clients: chosen,
      command: { operation: 'SET_VERSION', version: shown, force_download: force },
      done: text.done,
    });
  return (
    <Confirm
      opened={version !== undefined}
      title={text.title(texts.kinds[kind], shown)}
      action={text.action}
      isReady={chosen.length > 0}
      onConfirm={install}
      onClose={close}
    >
      <Stack gap="sm">
        <p className={layout.note}>{text.text}</p>
        <Checkbox.Group label={text.hosts} value={[...chosen]} onChange={setChosen}>
          <Stack gap={6} mt={6} mah={280} style={{ overflow: 'auto' }}>
            {(hosts.clients.data?.body.items ?? []).map(({ client_id, name, connected }) => (
              <Checkbox key={client_id} value={client_id} label={text.host(name, having.has(client_id), connected)} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Checkbox label={text.force} checked={force} onChange={(event) => setForce(event.currentTarget.checked)} />
        <p role="status">
          {text.review(chosen.length, chosen.filter((clientId) => force || !having.has(clientId)).length)}
        </p>
      </Stack>
    </Confirm>
  );
}
