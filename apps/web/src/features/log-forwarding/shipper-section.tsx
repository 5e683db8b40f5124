import { readShipperConfig } from '@flotilla/contract';
import { ForwarderSection } from './forwarder-section.tsx';
import { ShipperForm } from './shipper-form.tsx';
import type { ShipperBefore } from './shipper-values.ts';
import { texts } from './texts.ts';
import type { ForwarderCommands } from './use-forwarder.ts';

const text = texts.shipper;

const COMMANDS: ForwarderCommands = {
  type: 'LOGSHIPPER',
  update: 'LOGSHIPPER UPDATE_FILEBEAT_CONFIG',
  getStatus: 'GET_FILEBEAT_STATUS',
  getConfig: 'GET_FILEBEAT_CONFIG',
  member: 'filebeat',
};

export function ShipperSection({ clientId }: { clientId: string }) {
  return (
    <ForwarderSection
      clientId={clientId}
      commands={COMMANDS}
      text={text}
      read={readShipperConfig}
      describe={describe}
      form={(props) => <ShipperForm clientId={clientId} {...props} />}
    />
  );
}

function describe({ kind, hosts, index, has_api_key, username, service_logs, inputs, skip_ssl_verify }: ShipperBefore) {
  const servers = `${texts.shipperForm[kind]} ${hosts.join(', ')}`;
  const isSearch = kind === 'elasticsearch';
  const user = has_api_key ? text.byKey : username === null ? text.anonymous : text.byUser(username);
  const logs = [...(service_logs ? [text.ofServices] : []), ...inputs.flatMap(({ paths }) => paths)].join(', ');
  return [
    [
      text.server,
      <span key="servers" className="mono" style={{ overflowWrap: 'anywhere' }}>
        {servers}
      </span>,
    ],
    [text.index, isSearch && index !== null ? text.indexOf(index) : undefined],
    [text.user, isSearch ? user : undefined],
    [text.certificate, skip_ssl_verify ? text.unchecked : text.checked],
    [text.logs, logs],
  ] as const;
}
