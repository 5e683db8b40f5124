import { type CommandName, mayCommand } from '@flotilla/contract';
import { Button, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { invalidate, routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useHostChange } from '../../host-commands/index.ts';
import { Problem, sayDone, useSending } from '../../ui/index.ts';
import type { MemberView } from './model.ts';
import { texts } from './texts.ts';
import { listStale } from './use-pairs.ts';

const text = texts.memberActions;
const WAIT_MS = 15_000;

type Action = 'SUB_HA_CLEAR' | 'SUB_HA_START_ALONE' | 'SUB_HA_RESEND_GARP';

/** Lists the commands of the daemon that help in the state of the member. */
function listActions({ report, isConnected }: MemberView): Action[] {
  if (!report || !isConnected) return [];
  const isSuspended = report.alarms.some(({ code }) => code === 'flap_suspended');
  return [
    ...(isSuspended ? (['SUB_HA_CLEAR'] as const) : []),
    ...(report.role === 'init' ? (['SUB_HA_START_ALONE'] as const) : []),
    ...(report.role === 'active' && report.vips.length > 0 ? (['SUB_HA_RESEND_GARP'] as const) : []),
  ];
}

interface MemberActionsProps {
  readonly member: MemberView;
  readonly onMaintenance: (member: MemberView) => void;
}

export function MemberActions({ member, onMaintenance }: MemberActionsProps) {
  const can = useCan();
  const { role } = useProject();
  const client = useQueryClient();
  const sending = useSending();
  const change = useHostChange(member.client_id, {
    type: 'HA',
    waitMs: WAIT_MS,
    explain: (result) => result?.error?.message ?? text.noAnswer,
  });
  const send = (action: Action) =>
    sending.send(async () => {
      sayDone(await change(action, { done: text.done[action](member.name) }));
      await invalidate(client, ...listStale());
    });
  const offered = listActions(member).filter((action) => mayCommand(role, `HA ${action}` as CommandName));
  return (
    <>
      <Group gap="xs">
        {can(routes.ha.maintenance) && member.report && (
          <Button variant="default" onClick={() => onMaintenance(member)}>
            {member.report.maintenance ? texts.maintenance.end : texts.maintenance.begin}
          </Button>
        )}
        {offered.map((action) => (
          <Button key={action} variant="default" disabled={sending.isBusy} onClick={() => void send(action)}>
            {text.word[action]}
          </Button>
        ))}
      </Group>
      {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
    </>
  );
}
