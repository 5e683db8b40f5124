import type { auditRoutes, CallOutput } from '@flotilla/contract';
import { Button, Group, Menu } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { call, routes } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Notice, Problem, useSending } from '../../ui/index.ts';
import { KeepingDrawer } from './keeping-drawer.tsx';
import { texts } from './texts.tsx';
import { type Query, toSearch } from './to-search.ts';

const text = texts;

type Verdict = CallOutput<typeof auditRoutes.verify>;

interface RecordBarProps {
  /** Current filters of the list. */
  readonly query: Query;
  /** undefined: all projects. */
  readonly project: string | undefined;
  /** Filter controls on the same line. */
  readonly children: ReactNode;
}

/** Buttons for the whole audit log. */
export function RecordBar({ query, project, children }: RecordBarProps) {
  const can = useCan();
  const sending = useSending();
  const [verdict, setVerdict] = useState<Verdict>();
  const [isOpen, setOpen] = useState(false);
  const verify = () =>
    sending.send(async () => {
      setVerdict(undefined);
      setVerdict((await call(routes.audit.verify, { query: project === undefined ? {} : { project } })).body);
    });
  return (
    <>
      <Group gap="xs">
        {children}
        <Group gap="xs" ml={{ sm: 'auto' }}>
          <Menu>
            <Menu.Target>
              <Button variant="default">{text.export}</Button>
            </Menu.Target>
            <Menu.Dropdown>
              {(['ndjson', 'csv'] as const).map((format) => (
                <Menu.Item
                  key={format}
                  component="a"
                  href={`${routes.audit.export.path}${toSearch({ ...query, format })}`}
                  download
                >
                  {format.toUpperCase()}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
          <Button variant="default" loading={sending.isBusy} onClick={() => void verify()}>
            {text.verify.action}
          </Button>
          {can(routes.auditKeeping.listSinks) && (
            <Button variant="default" onClick={() => setOpen(true)}>
              {text.keeping.action}
            </Button>
          )}
        </Group>
      </Group>
      {sending.error !== undefined && <Problem error={sending.error} what={text.verify.failed} />}
      {verdict && <VerdictNotice verdict={verdict} />}
      <KeepingDrawer opened={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

function VerdictNotice({ verdict: { ok, items } }: { verdict: Verdict }) {
  const url = useUrlState();
  const sum = (of: (item: Verdict['items'][number]) => number) => items.reduce((total, item) => total + of(item), 0);
  if (ok) {
    const unsealed = sum((item) => item.unsealed);
    const pruned = items.length === 1 ? items[0]?.pruned : undefined;
    return (
      <Notice tone="good" title={text.verify.good(sum((item) => item.checked))}>
        {unsealed > 0 && <div>{text.verify.unsealed(unsealed)}</div>}
        {pruned && <div>{text.verify.pruned(pruned.seq)}</div>}
      </Notice>
    );
  }
  const bad = items.flatMap(({ first_bad: first }) => (first ? [first] : []));
  return (
    <Notice tone="bad" title={text.verify.bad}>
      {bad.map(({ kind, message, entry_id: entry }) => (
        <div key={`${kind} ${message}`}>
          {message}{' '}
          {entry && kind !== 'missing' && (
            <Button variant="default" onClick={() => url.set({ entry })}>
              {text.verify.show}
            </Button>
          )}
        </div>
      ))}
    </Notice>
  );
}
