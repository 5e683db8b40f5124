import type { HaPair } from '@flotilla/contract';
import { Button, Checkbox, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../../api/index.ts';
import { FormDialog, Notice, Problem } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import classes from './ha-pairs.module.css';
import { Takeover } from './history-tab.tsx';
import { type FailoverPlan, listMembers, planFailover } from './model.ts';
import { RoleState } from './pair-state.tsx';
import { texts } from './texts.ts';
import { useFailover } from './use-failover.ts';

const text = texts.failover;

interface FailoverDialogProps {
  readonly pair: HaPair;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Plans a failover, sends it, and shows what the members then report. */
export function FailoverDialog({ pair, isOpen, onClose }: FailoverDialogProps) {
  return (
    <FormDialog of={isOpen ? pair : undefined} title={({ name }) => text.title(name)} size="lg" onClose={onClose}>
      {(asked) => <Failover opened={asked} onClose={onClose} />}
    </FormDialog>
  );
}

type FailoverState = ReturnType<typeof useFailover>;

function Failover({ opened, onClose }: { opened: HaPair; onClose: () => void }) {
  const failover = useFailover(opened);
  const [isForced, setForced] = useState(false);
  // The active member may know of a risk that no report shows.
  const [wasRefused, setRefused] = useState(false);
  const plan = planFailover(failover.pair);
  const mayForce = plan.isForceable && (wasRefused || !plan.isReady || failover.check.isError);
  const canSend = (mayForce && isForced) || (plan.isReady && failover.check.isSuccess);
  const lookAgain = () => {
    setRefused(failover.phase === 'refused');
    failover.reset();
  };
  return (
    <Stack gap="md">
      {failover.phase === 'plan' ? (
        <Plan plan={plan} check={failover.check} />
      ) : (
        <Progress failover={failover} onAgain={lookAgain} />
      )}
      <Roles pair={failover.pair} />
      {failover.phase === 'plan' && mayForce && (
        <Checkbox
          label={text.force}
          description={text.forceText}
          checked={isForced}
          onChange={(event) => setForced(event.currentTarget.checked)}
        />
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {failover.phase === 'plan' ? text.cancel : text.close}
        </Button>
        {failover.phase === 'plan' && (
          <Button
            color={isForced ? 'red.9' : undefined}
            disabled={!canSend}
            loading={failover.check.isLoading}
            onClick={() => void failover.send(mayForce && isForced)}
          >
            {text.action}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

/** Names the next holder, the effect on connections, and everything that speaks against it. */
function Plan({ plan, check }: { plan: FailoverPlan; check: FailoverState['check'] }) {
  const { from, to, risks, notReady, pendingCount } = plan;
  return (
    <>
      {from && to ? (
        <div>
          <p className={classes.planned}>{text.plan(from.name, to.name)}</p>
          <ul className={layout.names}>
            {text.effects.map((effect) => (
              <li key={effect}>{effect}</li>
            ))}
          </ul>
        </div>
      ) : null}
      {check.isPending && <p className={layout.note}>{text.checking}</p>}
      {check.isError && risks.length === 0 && <Problem error={check.error} what={text.cannot} />}
      {risks.length > 0 && (
        <Notice tone={plan.isReady ? 'warn' : 'bad'} title={to ? text.risks : text.cannot}>
          <ul className={layout.names}>
            {risks.map((risk) => (
              <li key={risk}>
                {text.risk[risk]}
                {risk === 'not_ready' && notReady.length > 0 && ` ${text.notReady(notReady)}.`}
                {risk === 'pending_work' && ` ${text.pending(pendingCount)}.`}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {to && risks.length === 0 && check.isSuccess && (
        <Notice tone="good" title={text.ready}>
          {text.readyText(to.report?.vips.length ?? 0)}
        </Notice>
      )}
    </>
  );
}

function Progress({ failover, onAgain }: { failover: FailoverState; onAgain: () => void }) {
  const { phase, pair, error, isAnswered, takeover } = failover;
  const again = (
    <div>
      <Button variant="default" size="compact-sm" onClick={onAgain}>
        {text.again}
      </Button>
    </div>
  );
  switch (phase) {
    case 'plan':
      return null;
    case 'moving':
      return isAnswered ? (
        <Notice tone="warn" title={text.slow}>
          {text.slowText}
        </Notice>
      ) : (
        <Notice tone="busy" title={text.moving}>
          {text.movingText}
        </Notice>
      );
    case 'refused':
      return (
        <Notice tone="bad" title={text.refused}>
          <div>{explainRefusal(error)}</div>
          {again}
        </Notice>
      );
    case 'unknown':
      return (
        <Notice tone="warn" title={text.unknown}>
          <div>{text.unknownText}</div>
          {again}
        </Notice>
      );
    case 'failed':
      return (
        <>
          <Problem error={error} what={text.failed} />
          {again}
        </>
      );
    case 'moved':
      return (
        <Notice tone="good" title={text.moved(nameHolder(pair))}>
          <div className={classes.changeHead}>
            {takeover ? (
              <>
                <span>{texts.history.term(takeover.epoch)}</span>
                <Takeover failover={takeover.failover} />
              </>
            ) : (
              text.details
            )}
          </div>
        </Notice>
      );
  }
}

function nameHolder(pair: HaPair): string {
  return listMembers(pair).find(({ report }) => report?.role === 'active')?.name ?? '';
}

/** The reason of the daemon, in words, or the message of the controller. */
function explainRefusal(error: unknown): string {
  if (!(error instanceof ApiError)) return '';
  const { reason } = error.body;
  return typeof reason === 'string' ? (text.refusals[reason] ?? reason) : error.message;
}

function Roles({ pair }: { pair: HaPair }) {
  return (
    <dl className={classes.facts} aria-label={text.roles}>
      {listMembers(pair).map((member) => (
        <div key={member.client_id}>
          <dt>
            <bdi>{member.name}</bdi>
          </dt>
          <dd>
            <RoleState member={member} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
