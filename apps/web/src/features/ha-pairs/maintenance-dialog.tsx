import type { HaPair } from '@flotilla/contract';
import { Checkbox, Stack } from '@mantine/core';
import { useState } from 'react';
import { routes } from '../../api/index.ts';
import { ConfirmRecord, useKept, useWrite } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { type MemberView, planFailover } from './model.ts';
import { texts } from './texts.ts';
import { listStale, usePairPlace } from './use-pairs.ts';

const text = texts.maintenance;

interface MaintenanceDialogProps {
  readonly pair: HaPair;
  /** Undefined closes the dialog. */
  readonly member: MemberView | undefined;
  readonly onClose: () => void;
}

/** Begins or ends the maintenance of a member. */
export function MaintenanceDialog({ pair, member, onClose }: MaintenanceDialogProps) {
  const write = useWrite();
  const place = usePairPlace(pair);
  const [isForced, setForced] = useState(false);
  const isOn = useKept(member)?.report?.maintenance === true;
  const close = () => {
    setForced(false);
    onClose();
  };
  const send = ({ client_id, name }: MemberView) => {
    const force = !isOn && isForced;
    const body = { client_id, enabled: !isOn, ...(force && { force }) };
    return write(
      routes.ha.maintenance,
      { ...place, body },
      { done: (after: HaPair) => describeOutcome(after, { client_id, name, isOn: !isOn }), stale: listStale() },
    );
  };
  return (
    <ConfirmRecord
      of={member}
      title={({ name }) => (isOn ? text.endTitle(name) : text.beginTitle(name))}
      action={isOn ? text.end : text.begin}
      isDangerous={isForced}
      onConfirm={send}
      onClose={close}
    >
      {(asked) =>
        isOn ? text.endText : <BeginText pair={pair} member={asked} isForced={isForced} onForce={setForced} />
      }
    </ConfirmRecord>
  );
}

/** Says what the member reports then, and not what was ordered. */
function describeOutcome(
  { members_ha: reports }: HaPair,
  { client_id, name, isOn }: { client_id: string; name: string; isOn: boolean },
): string {
  if (reports[client_id]?.maintenance !== isOn) return text.sent(name);
  return isOn ? text.begun(name) : text.ended(name);
}

interface BeginTextProps {
  readonly pair: HaPair;
  readonly member: MemberView;
  readonly isForced: boolean;
  readonly onForce: (isForced: boolean) => void;
}

function BeginText({ pair, member, isForced, onForce }: BeginTextProps) {
  const isActive = member.report?.role === 'active';
  const mayNeedForce = isActive && !planFailover(pair).isReady;
  return (
    <Stack gap="sm">
      <div>{text.beginText}</div>
      <ul className={layout.names}>
        {isActive && <li>{text.active}</li>}
        <li>{text.alone}</li>
      </ul>
      {mayNeedForce && (
        <Checkbox
          label={text.force}
          description={text.forceText}
          checked={isForced}
          onChange={(event) => onForce(event.currentTarget.checked)}
        />
      )}
    </Stack>
  );
}
